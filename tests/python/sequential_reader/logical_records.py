"""Logical records: which rows belong together, at the publisher and in a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tests.python.sequential_reader.contract import IMAGE
from tests.python.sequential_reader.merge_state import MergeHeld, MergeRows, knows_row, union
from tests.python.sequential_reader.publication import LogicalRecord, Publication
from tests.python.sequential_reader.records import Change, Key, Row
from tests.python.sequential_reader.texts import value_of

RowName = tuple[str, Key]
HeldOf = Callable[[str], Mapping[Key, MergeHeld]]
"""The rows and tombstones of an article."""
LastRow = Callable[[str, Key], Row | None]
"""The last row of a key; None where there never was one."""


@dataclass
class Group:
    """The changes and images that a session brings about one record, or about several between which
    a row moves.
    """

    record: LogicalRecord
    tops: set[Key]
    own_tops: set[Key]
    """The records that the session itself has; of the others it only has rows that others have
    moved there, or that it has taken out of them."""
    left_tops: set[Key]
    """The records in which its rows were, as far as it knows the rows that the publisher holds."""
    concerned: dict[RowName, set[Key]]
    """The records of every row that the session names: where the publisher has it, where the node
    had it before the session, and where the session has it."""
    were: dict[RowName, set[Key]]
    """Where the node had it before the session."""
    changes: list[Change] = field(default_factory=list)
    images: list[Change] = field(default_factory=list)


@dataclass(frozen=True)
class Member:
    """A row of the publisher that a group is about."""

    held: MergeHeld
    tops: set[Key]
    """Its record; of a row that the session names also the one in which its node had it.  Empty for
    one that belongs to no record, and that the session does not change: nobody is in conflict with
    it.
    """
    is_of_session: bool = True
    """Whether its record is one that the session has, or the session names it."""


def top_key(
    publication: Publication, record: LogicalRecord, article: str, row: Row | None, last: LastRow
) -> Key | None:
    """The key of the record's top row; None for a row that belongs to no record.

    Rows that are deleted still lead to their record.
    """
    if row is None:
        return None
    if article == record.top:
        return publication.articles[article].key_of(row)
    parent, columns = record.members[article]
    parent_key = tuple(row.get(column) for column in columns)
    if None in parent_key:
        return None
    if parent == record.top:
        return parent_key
    return top_key(publication, record, parent, last(parent, parent_key), last)


def last_rows(held: HeldOf) -> LastRow:
    """Rows as the publisher holds, or held, them."""

    def last(article: str, key: Key) -> Row | None:
        one = held(article).get(key)
        return one.last_row if one else None

    return last


def members(
    publication: Publication, record: LogicalRecord, tops: set[Key], held: HeldOf
) -> dict[RowName, MergeHeld]:
    """The rows of some records as the publisher holds them, deleted ones included."""
    last = last_rows(held)
    return {
        (article, key): one
        for article in record.articles
        for key, one in held(article).items()
        if top_key(publication, record, article, one.last_row, last) in tops
    }


def members_of_group(publication: Publication, group: Group, held: HeldOf) -> dict[RowName, Member]:
    """Those of the records that the session has or takes rows out of, and what it names itself,
    wherever others have moved it: to another record, or out of every one.
    """
    found = {}
    for top in group.tops:
        for name, row in members(publication, group.record, {top}, held).items():
            is_of_session = top in group.own_tops or name in group.concerned
            if is_of_session or top in group.left_tops:
                found[name] = Member(row, {top} | group.were.get(name, set()), is_of_session)
    last = last_rows(held)
    changed = {(one.article, one.key) for one in group.changes}
    for name, tops in group.concerned.items():
        article, key = name
        one = held(article).get(key)
        if one and top_key(publication, group.record, article, one.last_row, last) is None:
            found[name] = Member(one, tops if name in changed else set())
    return found


def groups_of(
    publication: Publication, changes: Iterable[Change], held: HeldOf
) -> tuple[list[Group], dict[int, Group]]:
    """The groups of a session in the order of their first changes, and the group of each change (by
    its place among them); changes of rows that belong to no record have none.  Changes of one row
    are in one group, wherever it moves.
    """
    changes = list(changes)
    before_tops_of = _before_tops(publication, changes, held)
    tops_of = _tops(publication, changes, held)
    own_tops_of = _own_tops(publication, changes, held)
    left_tops_of = _left_tops(publication, changes, held)
    named = {(one.article, one.key) for one in changes}
    groups: list[Group] = []
    found: dict[int, Group] = {}
    for number, change in enumerate(changes):
        record = publication.record_of(change.article)
        if record is None:
            continue
        name = (change.article, change.key)
        own_tops = own_tops_of[name]
        before_tops = before_tops_of.get(name, set())
        tops = tops_of[name] | before_tops | own_tops
        if not tops:
            continue
        group = Group(
            record,
            set(tops),
            {top for top in own_tops if _is_brought(record, top, named, held)},
            left_tops_of[name] | before_tops | own_tops,
            {name: tops},
            {name: before_tops or own_tops},
        )
        for other in [one for one in groups if one.record is record and one.tops & group.tops]:
            groups.remove(other)
            group.tops |= other.tops
            group.own_tops |= other.own_tops
            group.left_tops |= other.left_tops
            group.concerned |= other.concerned
            group.were |= other.were
            group.changes += other.changes
            group.images += other.images
            found = {place: group if one is other else one for place, one in found.items()}
        (group.images if change.operation == IMAGE else group.changes).append(change)
        group.changes.sort(key=lambda one: one.position or 0)
        groups.append(group)
        found[number] = group
    return groups, found


def _is_brought(record: LogicalRecord, top: Key, named: set[RowName], held: HeldOf) -> bool:
    """Whether a session that has a row of a record has the record: its node sends the top row with
    it.  Another one has the row in a record that it does not hold, or does not know of.
    """
    one = held(record.top).get(top)
    return (record.top, top) in named or one is None or one.row is None


def _tops(publication: Publication, changes: list[Change], held: HeldOf) -> dict[RowName, set[Key]]:
    """The top rows of the records that the rows of a session belong to, before it or in it."""
    last = _with_session(changes, held)
    found: dict[RowName, set[Key]] = {}
    for change in changes:
        record = publication.record_of(change.article)
        if record is None:
            continue
        before = held(change.article).get(change.key)
        rows = [before.last_row if before else None]
        rows += [] if change.operation == "delete" else [change.row]
        tops = {top_key(publication, record, change.article, row, last) for row in rows}
        found.setdefault((change.article, change.key), set()).update(
            top for top in tops if top is not None
        )
    return found


def _own_tops(
    publication: Publication, changes: list[Change], held: HeldOf
) -> dict[RowName, set[Key]]:
    """The top rows of the records that the rows of a session belong to as the session has them; a
    top row that it deletes is its own record.
    """
    brought = _brought(changes)

    def top_of(record: LogicalRecord, article: str, row: Row | None) -> Key | None:
        if article != record.top and row is not None:
            parent, columns = record.members[article]
            parent_key = tuple(row.get(column) for column in columns)
            if (parent, parent_key) in brought:
                return top_of(record, parent, brought[(parent, parent_key)])
        return top_key(publication, record, article, row, last_rows(held))

    found: dict[RowName, set[Key]] = {}
    for change in changes:
        record = publication.record_of(change.article)
        if record is None:
            continue
        tops = found.setdefault((change.article, change.key), set())
        if change.operation != "delete":
            top = top_of(record, change.article, change.row)
        else:
            top = change.key if change.article == record.top else None
        if top is not None:
            tops.add(top)
    return found


def _before_tops(
    publication: Publication, changes: list[Change], held: HeldOf
) -> dict[RowName, set[Key]]:
    """The top rows of the records that a session has taken rows out of, as its node had them: as
    far as it says what stood in the columns that name the parent.
    """
    before: dict[RowName, list[Row]] = {}
    for change in changes:
        record = publication.record_of(change.article)
        said = change.previous_values or {}
        if record is None or change.article == record.top or change.operation == IMAGE:
            continue
        _, columns = record.members[change.article]
        if not any(column in said for column in columns):
            continue
        types = publication.articles[change.article].columns
        row = {**change.row, **{c: value_of(types[c], said[c]) for c in columns if c in said}}
        before.setdefault((change.article, change.key), []).append(row)
    brought = _brought(changes)
    published = last_rows(held)

    def last(article: str, key: Key) -> Row | None:
        name = (article, key)
        return before[name][0] if name in before else brought.get(name) or published(article, key)

    found: dict[RowName, set[Key]] = {}
    for (article, key), rows in before.items():
        record = publication.record_of(article)
        assert record is not None
        tops = {top_key(publication, record, article, row, last) for row in rows}
        found[(article, key)] = {top for top in tops if top is not None}
    return found


def _left_tops(
    publication: Publication, changes: list[Change], held: HeldOf
) -> dict[RowName, set[Key]]:
    """The top rows of the records that the rows of a session were in, where it knows the row that
    the publisher holds: what a node deletes, or moves, it takes out of the record that it has.
    """
    found: dict[RowName, set[Key]] = {}
    for change in changes:
        record = publication.record_of(change.article)
        if record is None:
            continue
        tops = found.setdefault((change.article, change.key), set())
        before = held(change.article).get(change.key)
        if before is not None and knows_row(change, before):
            top = top_key(publication, record, change.article, before.last_row, last_rows(held))
            if top is not None:
                tops.add(top)
    return found


def _brought(changes: list[Change]) -> dict[RowName, Row]:
    """The rows that a session has, as it has them last."""
    return {(c.article, c.key): c.row for c in changes if c.operation != "delete"}


def _with_session(changes: list[Change], held: HeldOf) -> LastRow:
    """Rows as the publisher holds them, and those that it never held as the session has them."""
    published = last_rows(held)
    brought = _brought(changes)
    return lambda article, key: published(article, key) or brought.get((article, key))


def taken_numbers(
    publication: Publication, article: str, row: Row | None, rows: MergeRows
) -> dict[str, int]:
    """The numbers that are taken in a row's record, where conflicts are found per record."""
    record = publication.record_of(article)
    if record is None or not record.detection:
        return {}
    top = top_key(publication, record, article, row, last_rows(rows.__getitem__))
    if top is None:
        return {}
    return record_lineage(members(publication, record, {top}, rows.__getitem__).values())


def record_lineage(held: Iterable[MergeHeld]) -> dict[str, int]:
    """What is known of a record: of every node the highest number in any member."""
    return union(*(one.lineage for one in held))
