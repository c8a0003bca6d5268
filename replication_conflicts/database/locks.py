"""Keeping others from writing to tables while what is in them is looked at and replaced."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from sqlalchemy import Connection, inspect

from replication_conflicts.database.images import quoted
from replication_conflicts.database.statements import run_plain

# PostgreSQL's names; who holds the second one may also change the table
Mode = Literal["share row exclusive", "exclusive", "access exclusive"]


def lock_tables(connection: Connection, names: Iterable[str], mode: Mode) -> None:
    """Let nobody else write to these tables, as far as there are any, until the transaction ends.

    All take them in the order of their names, so that none waits for another in a circle. SQLite
    has let nobody else write since the transaction began.
    """
    if connection.dialect.name != "postgresql":
        return
    inspector = inspect(connection)
    there = [quoted(name) for name in sorted(set(names)) if inspector.has_table(name)]
    if there:
        run_plain(connection, f"lock table {', '.join(there)} in {mode} mode")
