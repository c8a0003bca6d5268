"""A merge subscriber's version numbers: none that the publication knows is given again."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, case, text

from replication_conflicts.capture import tables
from replication_conflicts.capture.triggers.postgres_merge import sequence_name
from replication_conflicts.database.statements import escaped
from replication_conflicts.publication.rows import SnapshotRow


def continue_numbers(
    connection: Connection, publication: str, node: str, rows: Iterable[SnapshotRow]
) -> None:
    """Count on behind the node's own numbers in rows of a snapshot.

    A new database starts at 1, and what the node has published before has such numbers.
    """
    last = max((row.lineage.get(node, 0) for row in rows), default=0)
    if not last:
        return
    if connection.dialect.name == "sqlite":
        number = tables.nodes.c.last_number
        connection.execute(
            tables.nodes.update()
            .where(tables.nodes.c.publication == publication)
            .values(last_number=case((number < last, last), else_=number))
        )
        return
    sequence = sequence_name(publication)
    connection.execute(
        text(
            "select setval(cast(:sequence as regclass), :last)"
            f" from {escaped(sequence)} where last_value < :last or not is_called"
        ),
        {"sequence": sequence, "last": last},
    )
