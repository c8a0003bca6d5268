"""A merge subscriber's version numbers: none that the publication knows is given again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select, text

from replication_conflicts.capture import tables
from replication_conflicts.capture.triggers.postgres_merge import sequence_name
from replication_conflicts.database.statements import escaped


class OwnNumbers:
    """The count of a node's versions in its database, kept ahead of what is known of the node.

    A new database starts at 1, and what the node has published before has such numbers.
    """

    def __init__(self, publication: str, node: str) -> None:
        self._publication = publication
        self._node = node
        self._reached = 0
        self._has_raised = False

    def last_in(
        self, lineages: Iterable[Mapping[str, int]], versions: Iterable[str | None] = ()
    ) -> int:
        """The highest of the node's own numbers; 0 where there is none."""
        known = (lineage.get(self._node, 0) for lineage in lineages)
        named = (self._number_of(version) for version in versions if version)
        return max((*known, *named), default=0)

    def _number_of(self, version: str) -> int:
        node, _, number = version.rpartition(":")
        return int(number) if node == self._node and number.isdecimal() else 0

    def count_on(self, connection: Connection, last: int) -> None:
        """The next version has a higher number than this."""
        if last <= self._reached:
            return
        held = self._last_given(connection)
        if held < last:
            self._raise(connection, last)
            self._has_raised = True
        elif not self._has_raised:
            # what was raised here may be undone with its transaction, and is asked for again
            self._reached = held

    def _last_given(self, connection: Connection) -> int:
        if connection.dialect.name == "sqlite":
            mine = tables.nodes.c.publication == self._publication
            query = select(tables.nodes.c.last_number).where(mine)
            return int(connection.execute(query).scalar_one())
        sequence = escaped(sequence_name(self._publication))
        given = f"select case when is_called then last_value else 0 end from {sequence}"
        return int(connection.execute(text(given)).scalar_one())

    def _raise(self, connection: Connection, last: int) -> None:
        if connection.dialect.name == "sqlite":
            mine = tables.nodes.c.publication == self._publication
            connection.execute(tables.nodes.update().where(mine).values(last_number=last))
            return
        sequence = sequence_name(self._publication)
        connection.execute(
            text(
                "select setval(cast(:sequence as regclass), :last)"
                # people may be at work meanwhile
                f" from {escaped(sequence)} where last_value < :last or not is_called"
            ),
            {"sequence": sequence, "last": last},
        )
