"""Databases of nodes around one publisher: uploads, runs, distribution."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from replication_conflicts.capture.install import install
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import upload
from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.engine import dialect_of, open_database
from replication_conflicts.database.statements import Tables
from replication_conflicts.distribution.agent import Agent, Options, Ports
from replication_conflicts.distribution.apply import Node
from tests.python.nodes_loop.databases import Databases, all_rows, create_tables
from tests.python.nodes_loop.lake import Lake, Publisher, Source


class Loop:
    """A publication `shop`; `nodes` have databases, and the priorities that changes are stamped
    with. `subscriptions` are names, or names with options.
    """

    def __init__(
        self,
        databases: Databases,
        folder: Path,
        options: dict[str, Any],
        nodes: Mapping[str, Decimal | None],
        subscriptions: Mapping[str, Mapping[str, Any]],
        constraints: str = "",
    ) -> None:
        self.publication = node_publication("shop", options)
        self.lake = Lake(folder / "lake.db").make()
        self.publisher = Publisher(self.lake, self.publication, options["shop"], subscriptions)
        self.databases = databases
        self.urls = {node: databases.make(node) for node in nodes}
        self.engines = {node: open_database(url) for node, url in self.urls.items()}
        self.tables = Tables(self.publication, dialect_of(next(iter(self.engines.values()))))
        for node, engine in self.engines.items():
            create_tables(engine, self.publication, with_version=False, constraints=constraints)
            install(engine, self.publication, node, priority=nodes[node])

    def upload(self, node: str) -> None:
        with _opened(self.urls[node]) as engine:
            upload(engine, self.publication, self.lake, most=40)

    def distribute(self, node: str) -> None:
        with _opened(self.urls[node]) as engine:
            summary = self._agent(engine, node).run()
        assert not summary.refused

    def initialize(self, node: str) -> None:
        with _opened(self.urls[node]) as engine:
            self._agent(engine, node).initialize()

    def _agent(self, engine: Engine, node: str) -> Agent:
        state = capture_state(engine, node, self.tables)
        source = Source(self.publisher, self.publication, node)
        agent = Agent(
            engine,
            Node(self.publication, node, self.tables, state),
            Ports(source, source, self.lake),
            Options(most_transactions=7),
        )
        agent.prepare()
        return agent

    def synchronize(self, node: str) -> None:
        self.upload(node)
        self.publisher.run()
        self.distribute(node)

    def settle(self) -> None:
        """Synchronize until nobody has anything left to say."""
        for _ in range(3):
            for node in self.urls:
                self.synchronize(node)

    def check(self) -> None:
        published = self.publisher.published()
        for node, engine in self.engines.items():
            assert all_rows(engine, self.publication) == published, node
        assert self.publisher.reader.rejected == []
        assert self.publisher.reader.waiting == []
        assert self.lake.refusals() == []


class _opened:
    """An engine of one's own: a forked process must not share connections."""

    def __init__(self, url: str) -> None:
        self._engine = open_database(url)

    def __enter__(self) -> Engine:
        return self._engine

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()
