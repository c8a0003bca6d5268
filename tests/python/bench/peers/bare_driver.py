"""What the Distribution Agent stands beside: the same statements by the driver alone.

Commands in transactions of ten rows go into a PostgreSQL server of one's own.  The driver has the
statements and their values ready, sends them together by operation, and commits each transaction.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from replication_conflicts.database.engine import open_database
from replication_conflicts.database.statements import Tables
from replication_conflicts.publication.commands import AgentCommand
from tests.python.nodes_loop.databases import create_tables

ROWS = 10
ARTICLES: dict[str, Any] = {
    "item": {
        "columns": {"id": "int", "name": "string", "price": "decimal(10,2)", "at": "timestamp"},
        "primary_key": ["id"],
    }
}


def commands(transactions: int) -> Iterator[AgentCommand]:
    """Each transaction inserts half of its rows and updates the other half."""
    for position in range(1, transactions + 1):
        for sequence in range(ROWS):
            is_insert = sequence < ROWS // 2
            number = (position if is_insert else max(position - 1, 1)) * ROWS + sequence % 5
            old = None if is_insert else f"v{number}"
            key: dict[str, str | None] = {"id": str(number)}
            row = {"name": "it's", "price": "1.50", "at": "2026-01-01 00:00:00.5"}
            yield AgentCommand(
                f"{position}/{sequence}",
                "replicated",
                position,
                sequence,
                "item",
                "insert" if is_insert else "update",
                key,
                {**key, **row},
                old,
                f"v{number}",
            )


def run(url: str, tables: Tables, given: Sequence[AgentCommand]) -> float:
    """Seconds for the commands at a database of its own."""
    engine = open_database(url)
    create_tables(engine, tables.publication, with_version=True)
    table = tables["item"]
    sql = {
        name: str(table.statement(name).clause.compile(dialect=engine.dialect))
        for name in ("insert", "update")
    }
    values = [(one.operation or "", table.values(one)) for one in given]
    with closing(engine.raw_connection()) as connection:
        started = time.perf_counter()
        for start in range(0, len(values), ROWS):
            chunk = values[start : start + ROWS]
            cursor = connection.cursor()
            for name in ("insert", "update"):
                cursor.executemany(
                    sql[name], [bound for operation, bound in chunk if operation == name]
                )
            connection.commit()
        return time.perf_counter() - started
