"""What is recorded about a decided transaction: outcomes and conflicts."""

from __future__ import annotations

from tests.python.sequential_reader.merge import Decision
from tests.python.sequential_reader.merge_commands import carried
from tests.python.sequential_reader.merge_result import Lost
from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.queued import Verdict
from tests.python.sequential_reader.records import Conflict, Held, Outcome, Party


def queued_outcome(verdict: Verdict, position: int, run: int) -> Outcome:
    """The outcome of a change of a queued transaction; `position` is the transaction's."""
    change = verdict.change
    held = verdict.held
    loser = verdict.loser or Party("", None)
    winner = verdict.winner or Party("", None)
    assert change.change_id is not None
    assert change.position is not None
    return Outcome(
        article=change.article,
        key=change.key,
        change_id=change.change_id,
        node=str(change.node),
        transaction_id=change.transaction_id,
        transaction_position=position,
        position=change.position,
        operation=str(change.operation),
        old_version=change.old_version,
        new_version=change.new_version,
        held_version=held.version if held else None,
        held_node=held.node if held else None,
        held_change_id=held.change_id if held else None,
        is_clean=verdict.is_clean,
        outcome=verdict.outcome,
        publisher_version=verdict.after.version if verdict.after else None,
        is_written=verdict.outcome in ("applied", "won"),
        conflict_kind=verdict.kind,
        conflict_type=verdict.type,
        reason_code=verdict.reason_code,
        loser_node=loser.node or None,
        loser_change_id=loser.change_id,
        winner_node=winner.node or None,
        winner_change_id=winner.change_id,
        run=run,
    )


def queued_conflict(
    publication: Publication, verdict: Verdict, left: Held | None, position: int, run: int
) -> Conflict | None:
    """The conflict of a change of a queued transaction, if it has one.

    `left`: the row as the whole transaction leaves it.
    """
    if not verdict.has_conflict_row:
        return None
    change = verdict.change
    assert verdict.kind
    assert verdict.type
    assert verdict.reason_code
    assert verdict.loser
    assert verdict.winner
    assert change.position is not None
    return Conflict(
        article=change.article,
        key=change.key,
        kind=verdict.kind,
        type=verdict.type,
        reason_code=verdict.reason_code,
        loser_node=verdict.loser.node,
        loser_change_id=verdict.loser.change_id,
        winner_node=verdict.winner.node,
        winner_change_id=verdict.winner.change_id,
        lost=verdict.lost.row if verdict.lost else None,
        transaction_id=change.transaction_id,
        transaction_position=position,
        position=change.position,
        is_kept_at_publisher=is_kept_at_publisher(publication, change.article),
        run=run,
        won=verdict.after.row if verdict.after else None,
        settled_version=left.settled_version if left else None,
    )


def is_kept_at_publisher(publication: Publication, article: str) -> bool:
    """Whether the publisher keeps a record of the article's conflicts."""
    return publication.articles[article].conflict_logging in ("publisher", "both")


def merge_outcome(decision: Decision, position: int, run: int) -> Outcome:
    """The outcome of a change of a merge session; `position` is the session's."""
    change = decision.change
    held = decision.before
    loss = decision.losses[0] if decision.losses else None
    assert change.change_id is not None
    assert change.position is not None
    return Outcome(
        article=change.article,
        key=change.key,
        change_id=change.change_id,
        node=str(change.node),
        transaction_id=change.transaction_id,
        transaction_position=position,
        position=change.position,
        operation=str(change.operation),
        old_version=None,
        new_version=carried(decision).version,
        held_version=held.version if held else None,
        held_node=held.node if held else None,
        held_change_id=held.change_id if held else None,
        is_clean=decision.comparison == "descendant",
        outcome=decision.outcome,
        publisher_version=decision.after.version if decision.after else None,
        is_written=decision.is_written,
        conflict_kind=loss.kind if loss else None,
        conflict_type=loss.type if loss else None,
        reason_code=(loss.reason_code or loss.type) if loss else None,
        loser_node=loss.loser.node if loss else None,
        loser_change_id=loss.loser.change_id if loss else None,
        winner_node=loss.winner.node if loss else None,
        winner_change_id=loss.winner.change_id if loss else None,
        run=run,
        comparison=decision.comparison,
    )


def merge_conflict(publication: Publication, lost: Lost, position: int, run: int) -> Conflict:
    """The conflict that was decided together with a change."""
    change, loss = lost.change, lost.loss
    assert change.position is not None
    return Conflict(
        article=lost.article,
        key=lost.key,
        kind=loss.kind,
        type=loss.type,
        reason_code=loss.reason_code or loss.type,
        loser_node=loss.loser.node,
        loser_change_id=loss.loser.change_id,
        winner_node=loss.winner.node,
        winner_change_id=loss.winner.change_id,
        lost=loss.lost,
        transaction_id=change.transaction_id,
        transaction_position=position,
        position=change.position,
        is_kept_at_publisher=is_kept_at_publisher(publication, lost.article),
        run=run,
        won=lost.after.row if lost.after else None,
        settled_version=lost.after.settled_version if lost.after else None,
    )
