"""The Distribution Agent into PostgreSQL, transactions of ten rows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median

from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.engine import open_database
from replication_conflicts.database.local_postgres import LocalPostgres
from replication_conflicts.database.statements import Tables
from replication_conflicts.distribution.agent import Agent, Options, Ports
from replication_conflicts.distribution.apply import Node
from replication_conflicts.publication.commands import AgentCommand
from tests.python.bench.bench import Bench
from tests.python.bench.peers import bare_driver
from tests.python.bench.results import Result
from tests.python.nodes_loop.databases import create_tables, postgres_databases, publications
from tests.python.nodes_loop.standins import Lists

# so many commands a second are enough, whatever the driver does
ENOUGH = 5_000
SHARE = 0.5


def run(bench: Bench) -> None:
    """Commands per second, with a commit for each transaction and as the agent does by default."""
    publication = node_publication("shop", publications(bare_driver.ARTICLES))
    tables = Tables(publication, "postgres")
    given = list(bare_driver.commands(bench.sizes.agent_transactions))
    most = Options.most_transactions
    bare, single, default = [], [], []
    with LocalPostgres() as server:
        databases = postgres_databases(server)
        for number in range(bench.repeats):
            bare.append(bare_driver.run(databases.make(f"bare_{number}"), tables, given))
            single.append(_agent(databases.make(f"single_{number}"), tables, given, 1))
            default.append(_agent(databases.make(f"default_{number}"), tables, given, most))
    theirs = len(given) / median(bare)
    for what, taken in (
        ("agent, a commit each transaction", median(single)),
        (f"agent, a commit each {most} transactions", median(default)),
    ):
        bench.add(
            Result(
                what,
                f"{len(given) / taken:,.0f} commands/s",
                "the driver alone, a commit each transaction",
                f"{theirs:,.0f} commands/s",
                median(bare) / taken,
                min(SHARE, ENOUGH / theirs),
                is_speed=True,
            )
        )


def _agent(url: str, tables: Tables, given: Sequence[AgentCommand], most: int) -> float:
    """Seconds that the agent needs, committing `most` transactions together."""
    engine = open_database(url)
    create_tables(engine, tables.publication, with_version=True)
    lists = Lists(list(given))
    node = Node(tables.publication, "north", tables)
    agent = Agent(engine, node, Ports(lists, lists, lists), Options(most_transactions=most))
    agent.prepare()
    started = time.perf_counter()
    summary = agent.run()
    taken = time.perf_counter() - started
    assert summary.commands.total() == len(given)
    engine.dispose()
    return taken
