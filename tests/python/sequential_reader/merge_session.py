"""Merge replication: how one synchronization session is decided, change by change."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.python.sequential_reader.contract import Transaction
from tests.python.sequential_reader.merge import Decision, Loss, decide
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


@dataclass
class Session:
    """What became of a session: a decision per change, the rows written, and the conflicts."""

    decisions: list[Decision] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    losses: list[tuple[Change, Loss]] = field(default_factory=list)

    def add(self, decision: Decision) -> None:
        """A decision that concerns the change's own row alone."""
        change = decision.change
        self.decisions.append(decision)
        self.losses.extend((change, loss) for loss in decision.losses)
        if decision.after is not None and decision.after is not decision.before:
            self.written.append(
                Written(change, change.article, change.key, decision.before, decision.after)
            )


def decide_session(publication: Publication, rows: MergeRows, transaction: Transaction) -> Session:
    """Decide the changes of one session in order, and write what applies into `rows`."""
    position = transaction.position
    assert position is not None
    scribe = Scribe(publication, position)
    session = Session()
    for change in transaction.changes:
        decision = decide(scribe, change, rows[change.article].get(change.key))
        session.add(decision)
        if decision.after is not None:
            rows[change.article][change.key] = decision.after
    return session
