"""How fast the Distribution Agent is: `python -m tests.python.nodes_loop.bench`.

Commands in transactions of ten rows into a PostgreSQL server of one's own, and the same statements
by the bare driver, both with one commit a transaction, and the agent also as it is by default.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from rich.console import Console

from replication_conflicts.distribution.agent import Agent, Options, Ports
from replication_conflicts.distribution.apply import Node
from replication_conflicts.distribution.articles import node_publication
from replication_conflicts.distribution.commands import AgentCommand
from replication_conflicts.distribution.database import open_database
from replication_conflicts.distribution.local_postgres import LocalPostgres
from replication_conflicts.distribution.statements import Tables
from tests.python.nodes_loop.databases import (
    create_tables,
    postgres_databases,
    publications,
)
from tests.python.nodes_loop.standins import Lists

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


def main(transactions: int = 2_000) -> None:
    """Print commands a second, and how the agent compares with the driver."""
    publication = node_publication("shop", publications(ARTICLES))
    tables = Tables(publication, "postgres")
    given = list(commands(transactions))
    console = Console()
    with LocalPostgres() as server:
        databases = postgres_databases(server)
        speeds = {
            "bare driver, 1 transaction a commit": bare(databases.make("bare"), tables, given)
        }
        for most in (1, Options.most_transactions):
            engine = open_database(databases.make(f"agent_{most}"))
            create_tables(engine, publication, with_version=True)
            lists = Lists(list(given))
            agent = Agent(
                engine,
                Node(publication, "north", tables),
                Ports(lists, lists, lists),
                Options(most_transactions=most),
            )
            agent.prepare()
            started = time.perf_counter()
            summary = agent.run()
            assert summary.commands.total() == len(given)
            speeds[f"agent, {most} transactions a commit"] = len(given) / (
                time.perf_counter() - started
            )
            engine.dispose()
    for name, speed in speeds.items():
        console.print(f"{name}: {speed:,.0f} commands a second", highlight=False)


def bare(url: str, tables: Tables, given: list[AgentCommand]) -> float:
    """The same statements with the same values, transaction by transaction."""
    engine = open_database(url)
    create_tables(engine, tables.publication, with_version=True)
    table = tables["item"]
    sql = {
        name: str(table.statement(name).clause.compile(dialect=engine.dialect))
        for name in ("insert", "update")
    }
    values = [(one.queue_position, one.operation or "", table.values(one)) for one in given]
    with closing(engine.raw_connection()) as connection:
        started = time.perf_counter()
        for start in range(0, len(values), ROWS):
            chunk = values[start : start + ROWS]
            cursor = connection.cursor()
            for name in ("insert", "update"):
                cursor.executemany(
                    sql[name], [bound for _, operation, bound in chunk if operation == name]
                )
            connection.commit()
        return len(values) / (time.perf_counter() - started)


if __name__ == "__main__":
    main()
