"""Where captured changes go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from replication_conflicts.nodes.feed import FeedRow


class BatchMismatch(Exception):
    """The feed has a batch of this number with other changes: the database is not what it was."""


class FeedSink(Protocol):
    """The publication's queue, which gives each change its place."""

    def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
        """All rows of a batch enter the queue in their order, or none; a batch that is there stays.

        Batches of a node are counted from 1. Errors: BatchMismatch.
        """
