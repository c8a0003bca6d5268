"""A subscriber's database with an agent, and commands for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine

from replication_conflicts.capture.install import ExistingRows, install
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import upload
from replication_conflicts.database.articles import NodePublication, node_publication
from replication_conflicts.database.engine import dialect_of, open_database
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.distribution.agent import Agent, Options, Ports, Summary
from replication_conflicts.distribution.apply import Node
from replication_conflicts.publication.commands import AgentCommand
from replication_conflicts.publication.feed import FeedRow
from tests.python.nodes_loop.databases import Databases, all_rows, create_tables, publications
from tests.python.nodes_loop.standins import Lists


class _NoFeed:
    def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
        pass


class Subscriber:
    """A database with an agent at it; with `replication` it is captured, too."""

    def __init__(
        self,
        databases: Databases,
        articles: dict[str, Any],
        constraints: str = "",
        *,
        replication: str | None = None,
        existing: ExistingRows = ExistingRows.REFUSE,
        sql: str = "",
    ) -> None:
        """`sql` runs before capture is installed."""
        is_captured = replication is not None
        options = publications(articles, replication=replication or "queued")
        self.publication: NodePublication = node_publication("shop", options)
        self.url = databases.make("north")
        self.engine: Engine = open_database(self.url)
        create_tables(
            self.engine, self.publication, with_version=not is_captured, constraints=constraints
        )
        if sql:
            self.execute(sql)
        if is_captured:
            install(self.engine, self.publication, "north", existing)
        self.lists = Lists()

    def agent(self, **options: Any) -> Agent:
        rows = Tables(self.publication, dialect_of(self.engine))
        node = Node(self.publication, "north", rows, capture_state(self.engine, "north", rows))
        ports = Ports(self.lists, self.lists, self.lists)
        agent = Agent(self.engine, node, ports, Options(**options))
        agent.prepare()
        return agent

    def run(self, **options: Any) -> Summary:
        return self.agent(**options).run()

    def rows(self) -> dict[str, Any]:
        return all_rows(self.engine, self.publication)

    def execute(self, *statements: str) -> None:
        with self.engine.begin() as connection:
            for statement in statements:
                run_plain(connection, statement)

    def values(self, query: str) -> list[Any]:
        """The first column of what a query finds."""
        with self.engine.begin() as connection:
            return list(run_plain(connection, query).scalars())

    def upload(self) -> None:
        """What people have done is in the feed."""
        upload(self.engine, self.publication, _NoFeed())

    def give(self, *commands: AgentCommand) -> None:
        self.lists.commands.extend(commands)


def command(
    position: int,
    operation: str,
    key: dict[str, str | None],
    row: dict[str, str | None] | None = None,
    old: str | None = None,
    new: str | None = None,
    *,
    article: str = "item",
    sequence: int = 1,
    kind: str = "replicated",
) -> AgentCommand:
    return AgentCommand(
        command_id=f"{position}/{sequence}",
        kind=kind,
        queue_position=position,
        sequence=sequence,
        article=article,
        operation=operation,
        key=key,
        row=None if row is None else {**key, **row},
        old_version=old,
        new_version=new,
    )


def insert(position: int, key: int, name: str, sequence: int = 1) -> AgentCommand:
    return command(
        position,
        "insert",
        {"id": str(key)},
        {"name": name},
        new=f"v{position}.{sequence}",
        sequence=sequence,
    )
