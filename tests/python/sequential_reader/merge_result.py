"""Merge replication: what has become of a synchronization session."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.python.sequential_reader.constraints import partition_failure, row_failure
from tests.python.sequential_reader.merge import Decision, Loss
from tests.python.sequential_reader.merge_state import MergeHeld
from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.records import Change, Key

Identity = tuple[str, Key, str, str | None]


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

    @property
    def identity(self) -> Identity:
        """What names the conflict: the row, the losing and the winning version."""
        return (self.article, self.key, self.loss.losing_version, self.loss.winning_version)


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
        if decision.after is None or decision.after is decision.before:
            return
        if decision.is_written:
            self.write(change, change.article, change.key, decision.before, decision.after)
        else:
            # a delete that found a tombstone writes nothing, and yet is remembered
            self.rows[(change.article, change.key)] = decision.after

    def lose(self, change: Change, loss: Loss, after: MergeHeld | None) -> None:
        """A conflict, and what the publisher holds of the losing row after it."""
        article, key = (loss.article, loss.key) if loss.key else (change.article, change.key)
        self.lost.append(Lost(change, loss, article, key, after))

    def extend(self, part: Session) -> None:
        """What became of a part of the session."""
        self.decisions += part.decisions
        self.written += part.written
        self.lost += part.lost
        self.rows |= part.rows

    def write(
        self, change: Change, article: str, key: Key, before: MergeHeld | None, after: MergeHeld
    ) -> None:
        """A new version of a row."""
        self.written.append(Written(change, article, key, before, after))
        self.rows[(article, key)] = after


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
