"""The publication's queue, which gives feed rows their place, and the counters of its nodes."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field

from replication_conflicts.publication.feed import QUEUE_POSITION, FeedRow


class Positions:
    """Gives out the queue positions of one publication, counted from 1."""

    def __init__(self, start: int = 1) -> None:
        self._next = start

    def take(self) -> int:
        """The next position."""
        self._next += 1
        return self._next - 1

    def pass_by(self, position: int) -> None:
        """A row brought its own position: what comes next stands behind it."""
        self._next = max(self._next, position + 1)


@dataclass
class Queue:
    """What has been uploaded and not yet been delivered to the pipeline.

    Several queues may share one publication's positions: a row gets its place when it is
    delivered, so that what one of them holds back is never late.
    """

    positions: Positions = field(default_factory=Positions)
    _waiting: list[FeedRow] = field(default_factory=list)

    def put(self, rows: Iterable[FeedRow]) -> None:
        """Rows enter the queue in the order given."""
        self._waiting.extend(rows)

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def take(self) -> list[FeedRow]:
        """All waiting rows as they are, without positions; the queue is empty afterwards."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def deliver(self) -> list[FeedRow]:
        """All waiting rows, with their positions; the queue is empty afterwards."""
        return [self.place(row) for row in self.take()]

    def place(self, row: FeedRow) -> FeedRow:
        """The row with the next position, or with the one that it brings."""
        if QUEUE_POSITION not in row.values:
            return row.at(self.positions.take())
        position = row.values[QUEUE_POSITION]
        if isinstance(position, int):
            self.positions.pass_by(position)
        return row


@dataclass
class Identity:
    """Counters behind the ids and versions of one node: deterministic, never random.

    Two simulated nodes of the same name (the publisher of cases that run side by side) share
    one, so that no id and no version is given twice.
    """

    publication: str
    node: str
    _counters: dict[str, int] = field(default_factory=dict)

    def next_number(self, purpose: str = "version") -> int:
        """The node's next number for a purpose, counted from 1."""
        self._counters[purpose] = self._counters.get(purpose, 0) + 1
        return self._counters[purpose]

    def next_guid(self) -> str:
        """A row version of queued updating."""
        name = f"{self.publication}/{self.node}/{self.next_number('guid')}"
        return str(uuid.uuid5(uuid.NAMESPACE_URL, name))

    def next_id(self, purpose: str) -> str:
        """An id for a `change`, a `transaction` or a `session`."""
        number = self.next_number(purpose)
        return f"{self.publication}/{self.node}/{purpose}-{number}"
