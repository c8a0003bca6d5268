"""Merge replication: what the publisher knows of a row, and what a change knows of it.

A key that was never held has no state.  A row that was deleted keeps its state as a tombstone:
`row` and `version` are None, the version that deleted it is the `writer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.records import Change, Held, Key, Party, Row

PUBLISHERS_PRIORITY = Decimal("100.00")


# the place of rows that were there at first: every node knows them
BEFORE_QUEUE = -(2**63)


@dataclass(frozen=True)
class Writer:
    """The version that last wrote a row or one of its columns, and how it defends itself."""

    node: str
    """Whose version it is; the run's own node for versions that a run made."""
    number: int
    priority: Decimal
    party: Party
    """Who is named as loser or winner for it."""
    place: int
    """The place in the queue from which on nodes know it; before it for what was there at first."""
    order: tuple[int, int] = (BEFORE_QUEUE, BEFORE_QUEUE)
    """Where, or behind which place, the deciding transaction acts, and the change's own place:
    later writers have a larger one.
    """

    @property
    def version(self) -> str:
        """The version as commands name it."""
        return f"{self.node}:{self.number}"


def strongest(writers: list[Writer]) -> Writer:
    """The one of highest priority, the latest among equals; what the run writes for a change shares
    its place, and stands behind it.
    """
    return max(writers, key=lambda one: (one.priority, one.order, one.node, one.number))


@dataclass(frozen=True, kw_only=True)
class MergeHeld(Held):
    """A row or a tombstone at the publisher."""

    writer: Writer
    """Who made the last applied version."""
    lineage: dict[str, int]
    """Every version that went into this one: node to highest number."""
    columns: dict[str, Writer] = field(default_factory=dict)
    """The last writer of every column; of a tombstone the deleter of all."""
    operation: str = "insert"
    """What made the last version: insert, update or delete."""
    last_row: Row = field(default_factory=dict)
    """The row; of a tombstone the last one that there was."""
    known_as: tuple[Writer, ...] = ()
    """Who knows one of these knows the row: deletes that found a tombstone; of a row that was put
    back with a logical record, the change that won.
    """

    @property
    def settled_version(self) -> str:
        """A tombstone has the version of who deleted the row."""
        return self.writer.version


def held_by(
    writer: Writer,
    row: Row | None,
    last_row: Row,
    lineage: dict[str, int],
    columns: dict[str, Writer] | None = None,
    operation: str = "update",
) -> MergeHeld:
    """The state of a row that `writer` has just written; `columns` None: all of them."""
    return MergeHeld(
        row=row,
        version=None if row is None else writer.version,
        node=writer.party.node,
        change_id=writer.party.change_id,
        position=writer.order[1],
        writer=writer,
        lineage=lineage,
        columns=columns if columns is not None else dict.fromkeys(last_row, writer),
        operation=operation,
        last_row=last_row if row is None else row,
    )


def initial_row(publication: Publication, row: Row, version: str) -> MergeHeld:
    """A row that an article starts with: the version of a node, made by no change, so by no insert
    either.
    """
    node, number = version.rsplit(":", 1)
    writer = Writer(
        node, int(number), PUBLISHERS_PRIORITY, Party(publication.publisher, None), BEFORE_QUEUE
    )
    return held_by(writer, row, row, {node: int(number)})


def own_number(change: Change, lineage: dict[str, int]) -> int:
    """The number of the version that a change makes.

    Feeds without lineages have none: the change is then the next of its node among the versions
    that went into the row.
    """
    node = str(change.node)
    if change.lineage is not None:
        return change.lineage[node]
    return lineage.get(node, 0) + 1


def knows(change: Change, writer: Writer) -> bool:
    """Whether the node that made a change knew a version then; it knows what it wrote itself."""
    if writer.node == change.node:
        return True
    if change.lineage is not None:
        return change.lineage.get(writer.node, 0) >= writer.number
    return writer.place <= (change.known_position or 0)


def knows_row(change: Change, held: MergeHeld) -> bool:
    """Whether a change was made in knowledge of the last applied version of its row."""
    return any(knows(change, writer) for writer in (held.writer, *held.known_as))


def compare(change: Change, held: MergeHeld | None) -> str:
    """The comparison of versions; a row that was never held is known to everybody."""
    if held is None:
        return "descendant"
    if change.lineage is not None:
        number = change.lineage[str(change.node)]
        if number <= held.lineage.get(str(change.node), 0):
            return "ancestor"
    return "descendant" if knows_row(change, held) else "concurrent"


@dataclass(frozen=True)
class Scribe:
    """Writes the versions of one deciding transaction."""

    publication: Publication
    place: int
    """The place from which on nodes know what it writes."""
    acts_at: int | None = None
    """The place where, or behind which, it acts; None: the same."""
    floor: Mapping[str, int] = field(default_factory=dict)
    """Numbers that are taken in the row's logical record, where versions count per record."""

    def of_change(self, change: Change, lineage: dict[str, int]) -> Writer:
        """The version that a change makes when it applies; a client's then defends like the
        publisher's.
        """
        node = str(change.node)
        publication = self.publication
        subscription = publication.subscriptions.get(node)
        is_promoted = subscription is None or subscription.is_direct_client
        return Writer(
            node=node,
            number=own_number(change, lineage),
            priority=PUBLISHERS_PRIORITY if is_promoted else change.priority,
            party=Party(node, change.change_id),
            place=self.place,
            order=self._order(change.position or 0),
        )

    def own(self, lineage: dict[str, int], position: int) -> Writer:
        """A version that the run makes itself."""
        node = self.publication.own_node
        return Writer(
            node=node,
            number=max(lineage.get(node, 0), self.floor.get(node, 0)) + 1,
            priority=PUBLISHERS_PRIORITY,
            party=Party(self.publication.publisher, None),
            place=self.place,
            order=self._order(position),
        )

    def _order(self, position: int) -> tuple[int, int]:
        """What acts behind a place has written before what has the next place."""
        return (self.place if self.acts_at is None else self.acts_at, position)

    def lineage(self, held: MergeHeld | None, change: Change, writer: Writer) -> dict[str, int]:
        """What went into the row once the change is in it, and `writer` has written it.

        Where conflicts are found per logical record a change's lineage is the record's: of it, the
        row keeps the change's own version only.
        """
        known = dict(held.lineage) if held else {}
        record = self.publication.record_of(change.article)
        if change.lineage is not None and not (record and record.detection):
            known = union(known, change.lineage)
        number = own_number(change, dict(held.lineage) if held else {})
        return union(known, {str(change.node): number, writer.node: writer.number})

    def with_delete(self, tombstone: MergeHeld, change: Change) -> MergeHeld:
        """A tombstone that one more delete has found."""
        writer = self.of_change(change, tombstone.lineage)
        return replace(
            tombstone,
            lineage=self.lineage(tombstone, change, writer),
            known_as=(*tombstone.known_as, writer),
        )


def union(*lineages: Mapping[str, int]) -> dict[str, int]:
    """The highest number of every node."""
    known: dict[str, int] = {}
    for lineage in lineages:
        for node, number in lineage.items():
            known[node] = max(known.get(node, 0), number)
    return known


MergeRows = dict[str, dict[Key, MergeHeld]]
