"""Merge replication: how one synchronization session is decided."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.python.sequential_reader.constraints import (
    Made,
    failure_at_the_end,
    partition_failure,
    row_failure,
)
from tests.python.sequential_reader.contract import Transaction
from tests.python.sequential_reader.merge import Decision, Loss, decide, failed
from tests.python.sequential_reader.merge_state import MergeHeld, MergeRows, Scribe
from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.records import Change, Key


@dataclass(frozen=True)
class Written:
    """A new version of one row; `change` is what made the run write it."""

    change: Change
    article: str
    key: Key
    before: MergeHeld | None
    after: MergeHeld


@dataclass(frozen=True)
class Lost:
    """A conflict that was decided together with a change; `after` is held of the row then."""

    change: Change
    loss: Loss
    article: str
    key: Key
    after: MergeHeld | None


@dataclass
class Session:
    """What became of a session: a decision per change, the rows written, and the conflicts."""

    decisions: list[Decision] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    rows: dict[tuple[str, Key], MergeHeld] = field(default_factory=dict)
    """What the session leaves, where that is not what was held before."""

    def add(self, decision: Decision) -> None:
        """A decision that concerns the change's own row alone."""
        change = decision.change
        self.decisions.append(decision)
        for loss in decision.losses:
            self.lose(change, loss, decision.after)
        if decision.after is not None and decision.after is not decision.before:
            self.write(change, change.article, change.key, decision.before, decision.after)

    def lose(self, change: Change, loss: Loss, after: MergeHeld | None) -> None:
        """A conflict, and what the publisher holds of the losing row after it."""
        article, key = (loss.article, loss.key) if loss.key else (change.article, change.key)
        self.lost.append(Lost(change, loss, article, key, after))

    def write(
        self, change: Change, article: str, key: Key, before: MergeHeld | None, after: MergeHeld
    ) -> None:
        """A new version of a row."""
        self.written.append(Written(change, article, key, before, after))
        self.rows[(article, key)] = after


def decide_session(
    publication: Publication, rows: MergeRows, transaction: Transaction, judges: bool = True
) -> Session:
    """Decide the changes of one session in order, and write what applies into `rows`.

    Unique and foreign keys are judged at the end; after each failure the session is decided again
    without the failed changes.  The publisher's own changes never fail; `judges` False: none does.
    """
    position = transaction.position
    assert position is not None
    scribe = Scribe(publication, position)
    failures: dict[str, int] = {}
    numbers = {str(c.change_id): number for number, c in enumerate(transaction.changes)}
    is_judged = judges and transaction.changes[0].node != publication.publisher
    while True:
        session = _attempt(scribe, rows, transaction.changes, failures, is_judged)
        if not is_judged:
            break
        made = [
            Made(numbers[str(one.change.change_id)], one.article, one.key, one.after.row)
            for one in session.written
        ]
        failure = failure_at_the_end(publication, rows, made)
        if failure is None:
            break
        failures[str(transaction.changes[failure[0]].change_id)] = failure[1]
    for (article, key), held in session.rows.items():
        rows[article][key] = held
    return session


def _attempt(
    scribe: Scribe,
    rows: MergeRows,
    changes: list[Change],
    failures: dict[str, int],
    is_judged: bool,
) -> Session:
    """Decide all changes in order; those that are known to fail do not apply."""
    session = Session()
    for change in changes:
        held = session.rows.get((change.article, change.key), rows[change.article].get(change.key))
        decision = decide(scribe, change, held)
        code = failures.get(str(change.change_id)) or own_failure(scribe.publication, decision)
        if is_judged and decision.is_written and code is not None:
            decision = failed(scribe, change, held, decision.comparison, code)
        session.add(decision)
    return session


def own_failure(publication: Publication, decision: Decision) -> int | None:
    """The constraint that the row breaks by itself which a change would leave, if it does."""
    change = decision.change
    if not decision.is_written or decision.after is None:
        return None
    article = publication.articles[change.article]
    before = decision.before.row if decision.before else None
    after = decision.after.row
    return row_failure(article, after) or partition_failure(
        article, str(change.node), str(change.operation), before, after
    )
