"""Where the agent's commands and snapshots come from, and where its reports go.

The agent needs no more of the lakehouse than this; `lakehouse` has it on the project's tables.
Both reports are idempotent: the agent repeats one until it is sure that it has arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy import Connection

from replication_conflicts.distribution.commands import AgentCommand, Place, Texts


@dataclass(frozen=True)
class SnapshotRow:
    """A row of a snapshot, with its version and, in merge replication, what it knows."""

    article: str
    row: Texts
    version: str
    lineage: Mapping[str, int]


@dataclass(frozen=True)
class Refusal:
    """A command that the subscriber's database refused: a row of the `apply_errors` feed.

    `row` is the row as the subscriber holds it, None where it holds none.
    """

    subscriber: str
    command_id: str
    article: str
    key: Texts
    operation: str
    error_code: int
    error_text: str
    row: Texts | None


@dataclass(frozen=True)
class Reinitialized:
    """A subscriber has taken the snapshot that stands for a place in the queue."""

    subscriber: str
    snapshot_position: int
    at: datetime


class CommandSource(Protocol):
    """A subscriber's commands."""

    def after(self, place: Place) -> Iterator[AgentCommand]:
        """All commands behind a place in the queue, by place; never all in memory."""

    def count(self, place: Place) -> int:
        """How many commands there are behind a place in the queue."""


class SnapshotSource(Protocol):
    """Rows to start over with, article by article; never all in memory."""

    def rows(self, command: AgentCommand) -> Iterator[SnapshotRow]:
        """The snapshot that a `reinitialize` command names."""

    def initial_rows(self) -> Iterator[SnapshotRow]:
        """What every node holds before the first command."""


class ReportSink(Protocol):
    """What goes back from the subscriber."""

    def refused(self, refusals: Iterable[Refusal]) -> None:
        """Commands that the database refused; one with a known `command_id` is left out."""

    def reinitialized(self, event: Reinitialized) -> None:
        """The subscriber has taken its snapshot; an event that is known is left out."""


class CaptureState(Protocol):
    """What triggers at the node keep beside the rows, and what commands mean for it.

    Everything happens in the transaction of the rows.
    """

    def applied(self, connection: Connection, commands: Sequence[AgentCommand]) -> None:
        """Commands went to the database, each of which acted or did not."""

    def freed(self, connection: Connection) -> Sequence[AgentCommand]:
        """Earlier commands that may act now, because of what people did; they are given once."""

    def started_over(self, connection: Connection) -> None:
        """The tables are about to be replaced: what is pending goes."""

    def took(self, connection: Connection, rows: Sequence[SnapshotRow]) -> None:
        """Rows of one article came with a snapshot."""

    def pending(self, connection: Connection) -> Mapping[str, int]:
        """How many changes are in no feed yet, by article."""

    def awaits_snapshot(self, connection: Connection) -> bool:
        """Whether people have said that a snapshot replaces the rows that were there."""


class NoCapture:
    """A node that captures nothing."""

    def applied(self, connection: Connection, commands: Sequence[AgentCommand]) -> None:
        """Nothing is kept."""

    def freed(self, connection: Connection) -> Sequence[AgentCommand]:
        """No command waits."""
        return ()

    def started_over(self, connection: Connection) -> None:
        """Nothing is pending."""

    def took(self, connection: Connection, rows: Sequence[SnapshotRow]) -> None:
        """Nothing is kept."""

    def pending(self, connection: Connection) -> Mapping[str, int]:
        """Nothing is pending."""
        return {}

    def awaits_snapshot(self, connection: Connection) -> bool:
        """Nobody was asked."""
        return False
