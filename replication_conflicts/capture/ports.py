"""Where captured changes go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from replication_conflicts.publication.feed import FeedRow


class BatchMismatch(Exception):
    """The feed has a batch of this number with other changes: the database is not what it was."""

    @classmethod
    def of(cls, node: str, number: int) -> BatchMismatch:
        """What the feed has of a node does not come from this database."""
        return cls(
            f"the feed has another batch {number} of {node}, or a later one: the database was set"
            " back, or two databases are the same node. To go on with it: `capture remove`, and"
            " `capture install` anew."
        )


@dataclass(frozen=True)
class FeedBatch:
    """Changes that enter the queue together; each of a node has a higher number."""

    node: str
    number: int
    rows: Sequence[FeedRow]


class FeedSink(Protocol):
    """The publication's queue, which gives each change its place."""

    def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
        """All rows of a batch enter the queue in their order, or none; a batch that is there stays.

        Each batch of a node has a higher number than the one before. Errors: BatchMismatch.
        """


class FeedMemory(Protocol):
    """What a queue knows of what has been delivered."""

    def has_batch(self, node: str, first: int) -> bool:
        """Whether it has a batch of a node with this number, or a later one."""


class SharedFeedSink(Protocol):
    """A queue that takes batches of several nodes in one commit."""

    def deliver_together(self, batches: Sequence[FeedBatch]) -> None:
        """The batches enter the queue in their order, all or none; one that is there stays.

        Errors: BatchMismatch.
        """
