"""The loop on real tables: SQLite databases, the feed in Delta, `dbt build`, the agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine

from replication_conflicts.capture.install import install
from replication_conflicts.capture.lakehouse import LakehouseFeed
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import upload
from replication_conflicts.dbt_build import DbtBuild
from replication_conflicts.distribution.agent import Agent, Ports, Summary
from replication_conflicts.distribution.apply import Node
from replication_conflicts.distribution.articles import node_publication
from replication_conflicts.distribution.database import open_database
from replication_conflicts.distribution.lakehouse import (
    LakehouseCommands,
    LakehouseReports,
    LakehouseSnapshots,
    Relations,
    canonical_sql,
)
from replication_conflicts.distribution.statements import Tables
from replication_conflicts.nodes import publication_from_vars
from replication_conflicts.nodes.tables import append_rows, create_table
from replication_conflicts.scenarios.project import INPUTS, Configuration, ConsumerProject
from tests.python.nodes_loop.databases import (
    Rows,
    create_tables,
    sqlite_databases,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_BUILD = ("build", "--exclude-resource-type", "test", "--exclude-resource-type", "unit_test")
# what the first build makes and no later one changes
_STANDING = ("--exclude", "config.materialized:view", "command_statements")


class World:
    """A generated project with the publication `shop`, and databases as its nodes.

    `nodes` have databases; `subscriptions` are rows of that relation, without the publication.
    """

    def __init__(
        self,
        folder: Path,
        state: Path,
        publications: dict[str, Any],
        subscriptions: Sequence[Mapping[str, object]],
        nodes: Mapping[str, Decimal | None],
    ) -> None:
        project = ConsumerProject("loop", folder / "loop", state)
        options = publications["shop"]
        project.write([Configuration(publication_from_vars("shop", options), options)])
        self._build = DbtBuild(project.folder, project.profiles, threads=4)
        assert self._build.run("deps").errors == ()
        self.spark: SparkSession = self._build.spark
        self.publication = node_publication("shop", publications)
        self.relations = Relations(
            project.schema, project.feeds, project.initial, f"{project.inputs}.subscription_events"
        )
        self._prepare(project, subscriptions)
        databases = sqlite_databases(folder)
        self._is_built = False
        self.engines: dict[str, Engine] = {}
        for node, priority in nodes.items():
            self.engines[node] = open_database(databases.make(node))
            create_tables(self.engines[node], self.publication, with_version=False)
            install(self.engines[node], self.publication, node, priority=priority)
        self.tables = Tables(self.publication, "sqlite")

    def _prepare(
        self, project: ConsumerProject, subscriptions: Sequence[Mapping[str, object]]
    ) -> None:
        for schema in (project.schema, project.feeds, project.inputs):
            self.spark.sql(f"drop schema if exists {schema} cascade")
            self.spark.sql(f"create schema {schema}")
        for name, columns in INPUTS.items():
            create_table(self.spark, f"{project.inputs}.{name}", columns)
        rows = [{"publication": "shop", **one} for one in subscriptions]
        table = f"{project.inputs}.subscriptions"
        append_rows(self.spark, table, INPUTS["subscriptions"], rows)

    @property
    def feed(self) -> LakehouseFeed:
        return LakehouseFeed(self.spark, self.relations, self.publication)

    def build(self) -> None:
        result = self._build.run(*_BUILD, *(_STANDING if self._is_built else ()))
        assert result.errors == ()
        self._is_built = True

    def distribute(self, node: str) -> Summary:
        engine = self.engines[node]
        state = capture_state(engine, node, self.tables)
        ports = Ports(
            LakehouseCommands(self.spark, self.relations, self.publication, node, window=50),
            LakehouseSnapshots(self.spark, self.relations, self.publication),
            LakehouseReports(self.spark, self.relations, self.publication),
        )
        agent = Agent(engine, Node(self.publication, node, self.tables, state), ports)
        agent.prepare()
        return agent.run()

    def synchronize(self) -> dict[str, Summary]:
        for node in self.engines:
            upload(self.engines[node], self.publication, self.feed)
        self.build()
        return {node: self.distribute(node) for node in self.engines}

    def published(self) -> Rows:
        """The published rows as canonical text."""
        found: Rows = {}
        for name, article in self.publication.articles.items():
            columns = article.shape.columns
            texts = [f"{canonical_sql(one, kind)} as `{one}`" for one, kind in columns.items()]
            relation = f"{self.relations.published}.shop__{name}"
            found[name] = {}
            for row in self.spark.table(relation).selectExpr(*texts, "row_version").collect():
                values = row.asDict()
                # Java writes some floating point numbers with other digits, of the same value
                for column, kind in article.kinds.items():
                    values[column] = kind.to_text(kind.from_text(values[column]))
                key = tuple(values[column] for column in article.shape.primary_key)
                found[name][key] = values
        return found


def differences(ours: Rows, theirs: Rows) -> list[tuple[object, ...]]:
    """Rows that are not the same at both."""
    return [
        (article, key, ours[article].get(key), theirs[article].get(key))
        for article in theirs
        for key in {*ours[article], *theirs[article]}
        if ours[article].get(key) != theirs[article].get(key)
    ]
