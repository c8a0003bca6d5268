"""What every subscriber is told to do about one decided transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import pairwise

from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.queued import Verdict
from tests.python.sequential_reader.records import Change, Command, Held, Key, Party, Row

REPLICATED, COMPENSATING = "replicated", "compensating"
NOT_APPLIED, LOG_CONFLICT = "not_applied", "log_conflict"
KIND_ORDER = (REPLICATED, COMPENSATING, NOT_APPLIED, LOG_CONFLICT)


@dataclass(frozen=True)
class Draft:
    """What takes a row from one state to another; `subscriber` None: at every subscriber."""

    kind: str
    change: Change
    subscriber: str | None
    before: Held | None
    after: Held | None
    article: str = ""
    key: Key | None = None
    """The row, if it is not the change's own."""
    held: Held | None = None
    """What the publisher holds after the decision, in the subscriber's partition or not."""

    @property
    def carried(self) -> Party | None:
        """Whose version a command brings: the change's, or where it undoes one the publisher's.

        None: the publisher never held the row.
        """
        if self.kind != COMPENSATING:
            return Party(str(self.change.node), self.change.change_id)
        return Party(self.held.node, self.held.change_id) if self.held else None

    def origin(self, publisher: str) -> str | None:
        """The node whose change a command carries."""
        if self.kind != COMPENSATING:
            return self.change.node
        return self.held.node if self.held and self.held.node else publisher

    @property
    def row_name(self) -> tuple[str, Key]:
        """Article and key of the row."""
        if self.key is None:
            return (self.change.article, self.change.key)
        return (self.article, self.key)


@dataclass(frozen=True)
class Log:
    """The record of a conflict for the node that lost; `lost` None: a delete."""

    change: Change
    loser: str
    lost: Row | None
    article: str = ""
    key: Key | None = None

    @property
    def row_name(self) -> tuple[str, Key]:
        """Article and key of the losing row."""
        if self.key is None:
            return (self.change.article, self.change.key)
        return (self.article, self.key)


def queued_commands(
    publication: Publication,
    verdicts: list[Verdict],
    position: int,
    subscribers: AbstractSet[str],
    is_reinitialized: bool,
    run: int,
) -> list[Command]:
    """The commands of one transaction of queued updating, in order.

    For every change that applied: the publisher's version before it to the one after it, for all
    subscribers, its own included.  For every change that did not apply as it came: the change's own
    new version to the publisher's, for the node that made it; nothing where both are no row.
    A subscription whose transaction is rejected because of its reinitialization gets none of these:
    one `reinitialize` command makes it right.  Then, where an article keeps records at the loser,
    one `log_conflict` for each.
    """
    drafts: list[Draft] = []
    logs: list[Log] = []

    def cut(verdict: Verdict) -> Held | None:
        change = verdict.change
        return in_partition(publication, str(change.node), change.article, verdict.after)

    for verdict in verdicts:
        change = verdict.change
        if verdict.outcome in ("applied", "won"):
            after = verdict.after
            draft = Draft(REPLICATED, change, None, verdict.before, after, held=after)
            drafts += to_all(publication, draft)
            if change.node in subscribers and cut(verdict) is not after:
                drafts.append(undoing(change, None, after))
        elif verdict.outcome in ("rejected", "failed") and not is_reinitialized:
            drafts.append(undoing(change, cut(verdict), verdict.after))
        if verdict.has_conflict_row and verdict.loser:
            lost = verdict.lost.row if verdict.lost else None
            logs.append(Log(change, verdict.loser.node, lost))
    return written_commands(publication, drafts, logs, position, subscribers, run)


def undoing(change: Change, after: Held | None, held: Held | None) -> Draft:
    """What makes good at its node a change of queued updating that is not there as it came."""
    return Draft(COMPENSATING, change, change.node, own_row(change), after, held=held)


def own_row(change: Change) -> Held:
    """The row as the node has it that made a change of queued updating."""
    is_gone = change.operation == "delete"
    return Held(
        row=None if is_gone else change.row,
        version=None if is_gone else change.new_version,
        node=str(change.node),
        change_id=change.change_id,
    )


def to_all(publication: Publication, draft: Draft) -> Iterator[Draft]:
    """A command for all.

    One for the publisher's own database alone where subscribers download nothing, and one for each
    of them where they have parts of the rows.
    """
    article = draft.row_name[0]
    is_downloaded = publication.articles[article].is_downloaded
    is_filtered = bool(publication.articles[article].row_filters)
    if is_downloaded and not is_filtered:
        yield draft
        return
    yield replace(draft, subscriber=publication.publisher)
    if not is_downloaded:
        return
    for subscriber in publication.subscriptions:
        yield replace(
            draft,
            subscriber=subscriber,
            before=in_partition(publication, subscriber, article, draft.before),
            after=in_partition(publication, subscriber, article, draft.after),
        )


def in_partition(
    publication: Publication, subscriber: str, article: str, held: Held | None
) -> Held | None:
    """The row as a subscriber may have it: none outside its partition."""
    if held is None or held.row is None:
        return held
    is_inside = publication.articles[article].is_inside(subscriber, held.row)
    return held if is_inside else None


def written_commands(
    publication: Publication,
    drafts: Iterable[Draft],
    logs: Iterable[Log],
    position: int,
    subscribers: AbstractSet[str],
    run: int,
    first: int = 0,
) -> list[Command]:
    """Commands about rows in their order, then the records of conflicts for those who lost.

    The losing node gets the record where the article says so; the publisher needs no command.
    """
    commands: list[Command] = []
    for draft in in_order(publication, drafts):
        article, key = draft.row_name
        before, after = draft.before, draft.after
        is_named_only = draft.kind == NOT_APPLIED
        commands.append(
            Command(
                position=position,
                sequence=first + len(commands),
                subscriber=draft.subscriber,
                kind=draft.kind,
                origin=draft.origin(publication.publisher),
                transaction_id=draft.change.transaction_id,
                article=article,
                operation=None if is_named_only else operation_of(before, after),
                key=key,
                row=after.row if after else None,
                old_version=before.version if before else None,
                new_version=after.version if after else None,
                change_id=draft.change.change_id,
                run=run,
                carried=draft.carried,
                left_version=draft.held.settled_version if draft.held else None,
                lineage=getattr(after, "lineage", None),
            )
        )
    for log in sorted(logs, key=lambda log: publication.depth(log.row_name[0])):
        article, key = log.row_name
        keeper = publication.articles[article].conflict_logging
        if log.loser not in subscribers or keeper not in ("subscriber", "both"):
            continue
        commands.append(
            Command(
                position=position,
                sequence=first + len(commands),
                subscriber=log.loser,
                kind=LOG_CONFLICT,
                origin=log.change.node,
                transaction_id=log.change.transaction_id,
                article=article,
                operation=None,
                key=key,
                row=log.lost,
                old_version=None,
                new_version=None,
                change_id=log.change.change_id,
                run=run,
            )
        )
    return commands


def operation_of(before: Held | None, after: Held | None) -> str | None:
    """What takes a row from one state to the other; None when it is no row in both."""
    is_before = before is not None and before.row is not None
    is_after = after is not None and after.row is not None
    if is_after:
        return "update" if is_before else "insert"
    return "delete" if is_before else None


def in_order(publication: Publication, drafts: Iterable[Draft]) -> list[Draft]:
    """The order of commands inside a transaction.

    Inserts and updates parents first, then deletes children first, and deletes of a key before an
    insert of the same key: where rows begin to come back that have been deleted, at any subscriber,
    everything from there on is ordered by itself. What need not stand before stands in the last
    part.
    """
    commands = [
        (draft, operation_of(draft.before, draft.after) == "delete")
        for draft in drafts
        if operation_of(draft.before, draft.after) is not None or draft.kind == NOT_APPLIED
    ]
    begins = _parts(commands)
    early = _early(publication, [draft for draft, _ in commands])
    ordered = []
    for number, (draft, is_delete) in enumerate(commands):
        depth = publication.depth(draft.row_name[0])
        position = draft.change.position or 0
        parts = begins[draft.kind]
        order = (
            KIND_ORDER.index(draft.kind),
            sum(one <= position for one in parts) if number in early else len(parts),
            is_delete,
            -depth if is_delete else depth,
            position,
        )
        ordered.append((order, draft))
    return [draft for _, draft in sorted(ordered, key=lambda pair: pair[0])]


def _early(publication: Publication, drafts: list[Draft]) -> set[int]:
    """Which commands stay in their own part of a transaction: those with another of their row
    behind them, those that may let go of a row above that is deleted and comes back, and inserts
    that an insert or update which stays may need.
    """
    early: set[int] = set()
    by_kind: dict[str, list[int]] = defaultdict(list)
    for number, draft in enumerate(drafts):
        by_kind[draft.kind].append(number)
    for numbers in by_kind.values():

        def position(number: int) -> int:
            return drafts[number].change.position or 0

        def operation(number: int) -> str | None:
            return operation_of(drafts[number].before, drafts[number].after)

        def depth(number: int) -> int:
            return publication.depth(drafts[number].row_name[0])

        by_row: dict[object, list[int]] = defaultdict(list)
        for number in sorted(numbers, key=position):
            by_row[drafts[number].subscriber, drafts[number].row_name].append(number)
        leaving = []
        for of_row in by_row.values():
            early.update(of_row[:-1])
            for one, following in pairwise(of_row):
                if operation(one) == "delete" and operation(following) != "delete":
                    leaving.append(one)
        if not leaving:
            continue
        last = max(map(position, leaving))
        shallowest = min(map(depth, leaving))
        early.update(
            number
            for number in numbers
            if operation(number) in ("update", "delete")
            and position(number) < last
            and depth(number) > shallowest
        )
        writes = [position(one) for one in early & {*numbers} if operation(one) != "delete"]
        early.update(
            number
            for number in numbers
            if operation(number) == "insert" and writes and position(number) < max(writes)
        )
    return early


def _parts(commands: list[tuple[Draft, bool]]) -> dict[str, list[int]]:
    """Where the parts of a transaction begin, by the kind of the commands: the first places at
    which rows come back, after others that come back have been deleted.
    """
    leaving: dict[str, set[int]] = defaultdict(set)
    back: dict[str, set[int]] = defaultdict(set)
    last: dict[object, tuple[int, bool]] = {}
    for draft, is_delete in commands:
        place = (draft.kind, draft.subscriber, draft.row_name)
        position = draft.change.position or 0
        deleted_at, was_delete = last.get(place, (0, False))
        if was_delete and not is_delete:
            leaving[draft.kind].add(deleted_at)
            back[draft.kind].add(position)
        last[place] = (position, is_delete)
    begins: dict[str, list[int]] = defaultdict(list)
    for kind, positions in back.items():
        for position in sorted(positions):
            last_leaving = max(one for one in leaving[kind] if one < position)
            last_back = max((one for one in positions if one < position), default=last_leaving)
            if last_leaving >= last_back:
                begins[kind].append(position)
    return begins
