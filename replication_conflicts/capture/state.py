"""What commands and snapshots mean for what is captured at a node."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Engine, inspect

from replication_conflicts.capture import tables
from replication_conflicts.capture.install import CaptureProblem, captured_node
from replication_conflicts.distribution.articles import NodePublication
from replication_conflicts.distribution.commands import AgentCommand
from replication_conflicts.distribution.ports import CaptureState, NoCapture, SnapshotRow


class QueuedCapture:
    """Queued updating: versions are in the rows themselves."""

    def __init__(self, publication: NodePublication) -> None:
        self._publication = publication

    def applied(self, connection: Connection, commands: Sequence[AgentCommand]) -> None:
        """The statements have set the versions."""

    def started_over(self, connection: Connection) -> None:
        """What is pending was made on rows that go; a batch on its way is never sent again."""
        mine = tables.queue.c.publication == self._publication.name
        connection.execute(tables.queue.delete().where(mine))
        node = tables.nodes.c.publication == self._publication.name
        connection.execute(
            tables.nodes.update()
            .where(node, tables.nodes.c.batch_size.is_not(None))
            .values(next_batch=tables.nodes.c.next_batch + 1, batch_size=None)
        )

    def took(self, connection: Connection, rows: Sequence[SnapshotRow]) -> None:
        """The statements have set the versions."""


def capture_state(engine: Engine, publication: NodePublication, node: str) -> CaptureState:
    """What the agent has to keep up to date in this database.

    Errors: CaptureProblem where the database takes part as another node.
    """
    with engine.begin() as connection:
        if not inspect(connection).has_table(tables.nodes.name):
            return NoCapture()
        try:
            captured_as = captured_node(connection, publication.name)
        except CaptureProblem:
            return NoCapture()
    if captured_as != node:
        raise CaptureProblem(f"this database is the node '{captured_as}', not '{node}'")
    return QueuedCapture(publication)
