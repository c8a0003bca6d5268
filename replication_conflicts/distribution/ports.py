"""Where the agent's commands and snapshots come from, and where its reports go.

The agent needs no more of the lakehouse than this; `lakehouse` has it on the project's tables.
Both reports are idempotent: the agent repeats one until it is sure that it has arrived.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from replication_conflicts.publication.commands import AgentCommand, Place
from replication_conflicts.publication.rows import SnapshotRow
from replication_conflicts.publication.values import Texts


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


@dataclass(frozen=True)
class FirstRows:
    """What a node begins with, article by article, and up to which place of the queue it has it."""

    rows: Iterator[SnapshotRow]
    place: Place = field(default_factory=Place)


class CommandSource(Protocol):
    """A subscriber's commands."""

    def after(self, place: Place) -> Iterator[AgentCommand]:
        """All commands behind a place in the queue, by place; never all in memory."""

    def count(self, place: Place) -> int:
        """How many commands there are behind a place in the queue."""

    def reach(self, place: Place) -> bool:
        """Whether anything has been decided at a place in the queue, or behind it."""

    @property
    def are_whole(self) -> bool:
        """Whether they go back to the first decision, so that a node may begin with none."""

    def records(self, place: Place) -> Iterator[AgentCommand]:
        """What the node is told up to a place beside changes of rows: conflicts that it lost, and
        to start over.
        """


class SnapshotSource(Protocol):
    """Rows to start over with, article by article; never all in memory."""

    def rows(self, command: AgentCommand) -> Iterator[SnapshotRow]:
        """The snapshot that a `reinitialize` command names."""

    def first_rows(self) -> FirstRows:
        """What the node begins with, of all articles."""

    def initial_rows(self, articles: Collection[str]) -> Iterator[SnapshotRow]:
        """What every node holds of these articles before the first command about them."""

    def last_number(self, node: str) -> int:
        """The highest version number of what a node has sent, decided or not; 0 without any.

        Of merge replication.
        """


class ReportSink(Protocol):
    """What goes back from the subscriber."""

    def refused(self, refusals: Iterable[Refusal]) -> None:
        """Commands that the database refused; one with a known `command_id` is left out."""

    def check_takes_events(self) -> None:
        """Errors: the problem that keeps runs from seeing an event; asked before a snapshot."""

    def reinitialized(self, event: Reinitialized) -> None:
        """The subscriber has taken its snapshot; an event that is known is left out."""
