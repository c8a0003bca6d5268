"""Merge replication: the decision about one change of one row.

Compare it with what is held; where nothing is in conflict it applies or is merged; else the two
contend, and the whole row of the winner stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tests.python.sequential_reader.merge_state import (
    MergeHeld,
    Scribe,
    Writer,
    compare,
    held_by,
    knows,
    strongest,
)
from tests.python.sequential_reader.publication import Article
from tests.python.sequential_reader.records import Change, Key, Party, Row
from tests.python.sequential_reader.resolvers import CHALLENGER, HELD, WAITING, Overflow, resolve

UPDATE_ROW, UPDATE_COLUMN = 1, 2
DELETE_BEATS_UPDATE, UPDATE_BEATS_DELETE = 3, 4
DUPLICATE_KEY, OVERFLOW = 2627, 8115


@dataclass(frozen=True)
class Loss:
    """A conflict: what lost against whom.  `lost` None: a delete, which has no data."""

    kind: str
    type: int
    loser: Party
    winner: Party
    lost: Row | None
    losing_version: str
    winning_version: str | None = None
    """What the publisher then holds; None for what failed, which lost against no version."""
    reason_code: int | None = None
    """None: the conflict's type."""
    article: str = ""
    key: Key = ()
    """Where the loser stood, if not at the row of the deciding change."""


@dataclass(frozen=True)
class Decision:
    """What becomes of one change; `after` is what the publisher holds then."""

    change: Change
    comparison: str
    outcome: str
    before: MergeHeld | None
    after: MergeHeld | None
    losses: tuple[Loss, ...] = field(default=())
    is_kept_at_node: bool = False
    """A failed change that is not undone: its node keeps the row and uploads it again."""

    @property
    def is_written(self) -> bool:
        """Whether the change made, or took part in, a new version of its row."""
        return self.after is not self.before and self.outcome != "already_deleted"

    @property
    def is_as_it_came(self) -> bool:
        """Whether the row at the publisher now is the version that the change carried."""
        if self.outcome in ("already_known", "already_deleted"):
            return True
        writer = self.after.writer if self.after else None
        return self.is_written and writer is not None and writer.node == self.change.node


def decide(scribe: Scribe, change: Change, held: MergeHeld | None) -> Decision:
    """Decide about one change without looking at any other row."""
    comparison = compare(change, held)
    article = scribe.publication.articles[change.article]
    is_delete = change.operation == "delete"
    if comparison == "ancestor":
        return Decision(change, comparison, "already_known", held, held)
    if is_delete and held is None:
        return Decision(change, comparison, "already_deleted", None, None)
    if is_delete and held is not None and held.row is None:
        after = scribe.with_delete(held, change)
        return Decision(change, comparison, "already_deleted", held, after)
    if held is None or comparison == "descendant":
        return applied(scribe, change, held, comparison)
    columns = columns_in_conflict(article, change, held)
    if not columns:
        return applied(scribe, change, held, comparison)
    if article.ignore_equal_values and has_equal_values(article, change, held, columns):
        others = set(changed_columns(article, change)) - set(columns)
        if article.is_column_tracked and change.operation == "update" and others:
            return applied(scribe, change, held, comparison, only=others)
        return Decision(change, comparison, "same_value", held, held)
    if change.node == scribe.publication.publisher:
        return overwritten(scribe, change, held, columns, "applied")
    if change.operation == "insert" and held.row is not None:
        return failed(scribe, change, held, comparison, DUPLICATE_KEY)
    return contended(scribe, change, held, columns)


def changed_columns(article: Article, change: Change) -> tuple[str, ...]:
    """The columns that a change writes; inserts and deletes concern all of them."""
    if change.operation == "update" and change.changed_columns is not None:
        return change.changed_columns
    return tuple(article.columns)


def columns_in_conflict(article: Article, change: Change, held: MergeHeld) -> tuple[str, ...]:
    """What a change that does not know the held version is in conflict with.

    Row tracking, or a tombstone: the whole row.  Column tracking: the columns that it changes (a
    delete: all) and whose last writer it does not know.
    """
    if not article.is_column_tracked or held.row is None:
        return tuple(article.columns)
    return tuple(
        column
        for column in changed_columns(article, change)
        if not knows(change, held.columns[column])
    )


def has_equal_values(
    article: Article, change: Change, held: MergeHeld, columns: tuple[str, ...]
) -> bool:
    """Row tracking compares whole rows, column tracking the columns in conflict; an insert of a key
    that is held is the same with all of its row only.
    """
    if change.operation == "delete" or held.row is None:
        return False
    is_part = article.is_column_tracked and change.operation == "update"
    compared = columns if is_part else tuple(article.columns)
    return all(change.row[column] == held.row[column] for column in compared)


def defender(article: Article, held: MergeHeld, columns: tuple[str, ...]) -> Writer:
    """Who defends the held side: the row's writer; with column tracking the one of highest priority
    among the last writers of the columns in conflict, the latest among equals.
    """
    if not article.is_column_tracked or held.row is None:
        return held.writer
    return strongest([held.columns[column] for column in columns])


# --- what applies ---------------------------------------------------------------------------------


def whole(scribe: Scribe, change: Change, held: MergeHeld | None) -> MergeHeld:
    """The row as the change carries it (a delete: its tombstone), all columns written by it."""
    writer = scribe.of_change(change, held.lineage if held else {})
    return held_by(
        writer,
        None if change.operation == "delete" else change.row,
        held.last_row if held else change.row,
        scribe.lineage(held, change, writer),
        operation=str(change.operation),
    )


def applied(
    scribe: Scribe,
    change: Change,
    held: MergeHeld | None,
    comparison: str,
    only: set[str] | None = None,
) -> Decision:
    """A change without conflict.

    With column tracking an update writes its changed columns only (`only`: these of them).  If it
    knew the held version and the row is the one that it carried, that is its own version; else the
    row is merged: a version that the run makes, whose columns keep their last writers.
    """
    article = scribe.publication.articles[change.article]
    is_part = article.is_column_tracked and change.operation == "update"
    if held is None or held.row is None or not is_part:
        return Decision(change, comparison, "applied", held, whole(scribe, change, held))
    written = [c for c in changed_columns(article, change) if only is None or c in only]
    row = {**held.row, **{column: change.row[column] for column in written}}
    own = scribe.of_change(change, held.lineage)
    is_merged = comparison == "concurrent" or row != change.row
    writer = scribe.own(held.lineage, change.position or 0) if is_merged else own
    after = held_by(
        writer,
        row,
        row,
        scribe.lineage(held, change, writer),
        columns={**held.columns, **dict.fromkeys(written, own)},
    )
    return Decision(change, comparison, "merged" if is_merged else "applied", held, after)


# --- what is in conflict --------------------------------------------------------------------------


def contended(
    scribe: Scribe, change: Change, held: MergeHeld, columns: tuple[str, ...]
) -> Decision:
    """Two versions that did not know each other: the resolver says which one stays."""
    article = scribe.publication.articles[change.article]
    opponent = defender(article, held, columns)
    by_priority = CHALLENGER if change.priority > opponent.priority else HELD
    try:
        verdict = resolve(article, change, held.row, columns, by_priority)
    except Overflow:
        return failed(scribe, change, held, "concurrent", OVERFLOW)
    if verdict.row is not None:
        return computed(scribe, change, held, columns, verdict.winner, verdict.row)
    if verdict.winner == CHALLENGER:
        return overwritten(scribe, change, held, columns, "won")
    loss = Loss(
        kind=kind_of(change, held),
        type=type_of(article, change, held, is_challenger_winner=False),
        loser=Party(str(change.node), change.change_id),
        winner=opponent.party,
        lost=None if change.operation == "delete" else change.row,
        losing_version=lost_version(scribe, change, held),
        winning_version=held.writer.version,
    )
    outcome = "waiting" if verdict.winner == WAITING else "lost"
    return Decision(change, "concurrent", outcome, held, held, (loss,))


def overwritten(
    scribe: Scribe, change: Change, held: MergeHeld, columns: tuple[str, ...], outcome: str
) -> Decision:
    """The change's whole row stays; what was held has lost."""
    return Decision(
        change,
        "concurrent",
        outcome,
        held,
        whole(scribe, change, held),
        (held_loss(scribe, change, held, columns),),
    )


def held_loss(scribe: Scribe, change: Change, held: MergeHeld, columns: tuple[str, ...]) -> Loss:
    """The conflict that the held side lost against a change."""
    article = scribe.publication.articles[change.article]
    return Loss(
        kind=kind_of(change, held),
        type=type_of(article, change, held, is_challenger_winner=True),
        loser=defender(article, held, columns).party,
        winner=Party(str(change.node), change.change_id),
        lost=held.row,
        losing_version=held.writer.version,
        winning_version=own_version(scribe, change, held),
    )


def computed(
    scribe: Scribe,
    change: Change,
    held: MergeHeld,
    columns: tuple[str, ...],
    winner: str,
    row: Row,
) -> Decision:
    """A resolver has made a row that neither side had: a version of the run's own."""
    article = scribe.publication.articles[change.article]
    own = scribe.own(held.lineage, change.position or 0)
    after = held_by(own, row, row, scribe.lineage(held, change, own))
    if winner == CHALLENGER:
        loss = replace(held_loss(scribe, change, held, columns), winning_version=own.version)
        return Decision(change, "concurrent", "won", held, after, (loss,))
    loss = Loss(
        kind=kind_of(change, held),
        type=type_of(article, change, held, is_challenger_winner=False),
        loser=Party(str(change.node), change.change_id),
        winner=defender(article, held, columns).party,
        lost=change.row,
        losing_version=lost_version(scribe, change, held),
        winning_version=own.version,
    )
    return Decision(change, "concurrent", "lost", held, after, (loss,))


def failed(
    scribe: Scribe, change: Change, held: MergeHeld | None, comparison: str, reason_code: int
) -> Decision:
    """A change that breaks a constraint does not apply; the publisher wins."""
    types: Mapping[str, int] = {"insert": 5, "delete": 7, "update": 9}
    loss = Loss(
        kind=f"failed_{change.operation}",
        type=types[str(change.operation)],
        loser=Party(str(change.node), change.change_id),
        winner=Party(scribe.publication.publisher, None),
        lost=None if change.operation == "delete" else change.row,
        losing_version=lost_version(scribe, change, held),
        winning_version=failed_against(held),
        reason_code=reason_code,
    )
    is_kept = not scribe.publication.articles[change.article].compensate_for_errors
    return Decision(change, comparison, "failed", held, held, (loss,), is_kept)


def failed_against(held: MergeHeld | None) -> str:
    """What names the publisher's side where a change fails, or falls with one that does: what is
    held then, apart from what wins against it.
    """
    return f"failed/{held.writer.version if held else ''}"


def own_version(scribe: Scribe, change: Change, held: MergeHeld | None) -> str:
    """The version that a change carries, whether it applied or not."""
    return scribe.of_change(change, held.lineage if held else {}).version


def lost_version(scribe: Scribe, change: Change, held: MergeHeld | None) -> str:
    """What names a change that lost: its version.

    A feed without lineages counts versions for each row, and those that lose have the same number
    again: there it is the change itself.
    """
    return str(change.change_id) if change.lineage is None else own_version(scribe, change, held)


def kind_of(change: Change, held: MergeHeld) -> str:
    """The kind of a conflict, the incoming change first."""
    if held.row is None:
        return "update_delete"
    return {"delete": "delete_update", "insert": "insert_insert"}.get(
        str(change.operation), "update_update"
    )


def type_of(article: Article, change: Change, held: MergeHeld, is_challenger_winner: bool) -> int:
    """The type of a conflict: who beat whom."""
    if held.row is None:
        return UPDATE_BEATS_DELETE if is_challenger_winner else DELETE_BEATS_UPDATE
    if change.operation == "delete":
        return DELETE_BEATS_UPDATE if is_challenger_winner else UPDATE_BEATS_DELETE
    return UPDATE_COLUMN if article.is_column_tracked else UPDATE_ROW
