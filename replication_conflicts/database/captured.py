"""What triggers at a node's database keep of its rows, as far as the agent must know of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from sqlalchemy import Connection

from replication_conflicts.publication.commands import AgentCommand
from replication_conflicts.publication.rows import SnapshotRow


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

    def sent_before(self, connection: Connection, last_number: int) -> None:
        """The feed has changes of the node up to this version number: it is not given again."""

    def pending(self, connection: Connection) -> Mapping[str, int]:
        """How many changes wait for an upload, by article."""

    def awaits_snapshot(self, connection: Connection) -> bool:
        """Whether people have said that a snapshot replaces the rows that were there."""

    def own_triggers(self, article: str) -> frozenset[str]:
        """The names that its triggers at an article's table have; others are the application's."""


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

    def sent_before(self, connection: Connection, last_number: int) -> None:
        """No number is given."""

    def pending(self, connection: Connection) -> Mapping[str, int]:
        """Nothing is pending."""
        return {}

    def awaits_snapshot(self, connection: Connection) -> bool:
        """Nobody was asked."""
        return False

    def own_triggers(self, article: str) -> frozenset[str]:
        """There are none."""
        return frozenset()
