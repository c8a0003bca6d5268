"""The whole loop on real tables: SQLite databases, the feed in Delta, `dbt build`, the agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import Engine

from replication_conflicts.capture.install import install
from replication_conflicts.capture.ports import BatchMismatch
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import read, seal, upload
from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.engine import open_database
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.dbt_build import WITHOUT_STANDING, DbtBuild
from replication_conflicts.distribution.agent import Agent, Ports, Summary
from replication_conflicts.distribution.apply import Node
from replication_conflicts.distribution.ports import Refusal
from replication_conflicts.lakehouse.commands import LakehouseCommands
from replication_conflicts.lakehouse.feed import LakehouseFeed
from replication_conflicts.lakehouse.relations import Relations, canonical_columns
from replication_conflicts.lakehouse.reports import LakehouseReports
from replication_conflicts.lakehouse.snapshots import LakehouseSnapshots
from replication_conflicts.lakehouse.tables import append_rows, create_table
from replication_conflicts.publication.publication import publication_from_vars
from replication_conflicts.scenarios.project import INPUTS, Configuration, ConsumerProject
from tests.python.nodes_loop.databases import (
    Rows,
    all_rows,
    create_tables,
    publications,
    sqlite_databases,
)
from tests.python.nodes_loop.people import ARTICLES, ODD, TEXTS, Person

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NODES = ("HQ", "north", "south")
# names in the lakehouse are letters, digits and _
LABEL = ("label", "text_of_it")
SIMPLE: dict[str, Any] = {
    "item": {**ARTICLES["item"]},
    LABEL[0]: {
        **ARTICLES[ODD[0]],
        "columns": {"item": "int", LABEL[1]: "string", "count": "bigint"},
        "primary_key": ["item", LABEL[1]],
    },
}
OPTIONS = publications(SIMPLE, policy="publisher_wins_reinitialize")
_BUILD = ("build", "--exclude-resource-type", "test", "--exclude-resource-type", "unit_test")
# a later build: dbt's record of the project is the one of the first build
_LATER = (*WITHOUT_STANDING, "--no-write-json")


class World:
    """A generated project, and three databases as its nodes."""

    def __init__(self, folder: Path, state: Path) -> None:
        project = ConsumerProject("loop", folder / "loop", state)
        options = OPTIONS["shop"]
        project.write([Configuration(publication_from_vars("shop", options), options)])
        self._build = DbtBuild(project.folder, project.profiles, threads=4)
        assert self._build.run("deps").errors == ()
        self.spark: SparkSession = self._build.spark
        self.publication = node_publication("shop", OPTIONS)
        self.relations = Relations(
            project.schema, project.feeds, project.initial, f"{project.inputs}.subscription_events"
        )
        self._prepare(project)
        databases = sqlite_databases(folder)
        self._is_built = False
        self.engines: dict[str, Engine] = {}
        self.people: dict[str, Person] = {}
        for number, node in enumerate(NODES):
            self.engines[node] = open_database(databases.make(node))
            create_tables(self.engines[node], self.publication, with_version=False)
            install(self.engines[node], self.publication, node)
            self.people[node] = Person(self.engines[node], number, LABEL)
        self.tables = Tables(self.publication, "sqlite")

    def _prepare(self, project: ConsumerProject) -> None:
        for schema in (project.schema, project.feeds, project.inputs):
            self.spark.sql(f"drop schema if exists {schema} cascade")
            self.spark.sql(f"create schema {schema}")
        for name, columns in INPUTS.items():
            create_table(self.spark, f"{project.inputs}.{name}", columns)
        rows = [{"publication": "shop", "subscriber": node, "type": "server"} for node in NODES[1:]]
        table = f"{project.inputs}.subscriptions"
        append_rows(self.spark, table, INPUTS["subscriptions"], rows)

    @property
    def feed(self) -> LakehouseFeed:
        return LakehouseFeed(self.spark, self.relations, self.publication)

    def build(self) -> None:
        result = self._build.run(*_BUILD, *(_LATER if self._is_built else ()))
        assert result.errors == ()
        self._is_built = True

    def distribute(self, node: str) -> Summary:
        engine = self.engines[node]
        state = capture_state(engine, node, self.tables)
        ports = Ports(
            LakehouseCommands(self.spark, self.relations, self.publication, node, window=50),
            LakehouseSnapshots(self.spark, self.relations, self.publication, node),
            LakehouseReports(self.spark, self.relations, self.publication),
        )
        agent = Agent(engine, Node(self.publication, node, self.tables, state), ports)
        agent.prepare()
        return agent.run()

    def synchronize(self) -> dict[str, Summary]:
        for node in NODES:
            upload(self.engines[node], self.publication, self.feed)
        self.build()
        return {node: self.distribute(node) for node in NODES}

    def published(self) -> Rows:
        """The published rows as canonical text."""
        found: Rows = {}
        for name, article in self.publication.articles.items():
            texts = canonical_columns(article.shape.columns)
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


@pytest.mark.spark
@pytest.mark.soak
def test_databases_end_equal_to_the_published_rows(tmp_path: Path, scratch_state: Path) -> None:
    world = World(tmp_path, scratch_state)
    for _ in range(40):
        world.people["HQ"].work()
    world.synchronize()
    assert len(all_rows(world.engines["north"], world.publication)["item"]) > 5
    for _ in range(25):
        for node in NODES:
            world.people[node].work()
    with world.engines["north"].begin() as connection:
        for number, awkward in enumerate(TEXTS):
            run_plain(
                connection,
                f"insert into label (item, text_of_it, count)"
                f" values (77, '{awkward.replace(chr(39), chr(39) * 2)}', {number})",
            )
    _die_between_feed_and_queue(world, "south")
    summaries = world.synchronize()
    assert summaries["north"].commands["reinitialize"] == 1
    assert summaries["north"].snapshot_rows > 0
    world.synchronize()
    published = world.published()
    assert len(published["item"]) > 5
    for node, engine in world.engines.items():
        assert _differences(all_rows(engine, world.publication), published) == [], node
    _reports_arrive_once(world)


def _differences(ours: Rows, theirs: Rows) -> list[tuple[object, ...]]:
    """Rows that are not the same at both."""
    return [
        (article, key, ours[article].get(key), theirs[article].get(key))
        for article in theirs
        for key in {*ours[article], *theirs[article]}
        if ours[article].get(key) != theirs[article].get(key)
    ]


def _die_between_feed_and_queue(world: World, node: str) -> None:
    """The feed has the batch and the database does not know it; then a backup brings another."""
    engine = world.engines[node]
    batch = seal(engine, world.publication)
    assert batch is not None
    rows = read(engine, world.publication, batch)
    for _ in range(2):
        world.feed.deliver(node, batch.number, rows)
    feed = world.spark.table(f"{world.relations.feeds}.shop_queue").where(f"node = '{node}'")
    assert feed.count() == len(rows)
    assert feed.select("queue_position").distinct().count() == len(rows)
    with pytest.raises(BatchMismatch, match="set back"):
        world.feed.deliver(node, batch.number, rows[1:])


def _reports_arrive_once(world: World) -> None:
    reports = LakehouseReports(world.spark, world.relations, world.publication)
    refused = Refusal("north", "c1", "item", {"id": "1"}, "insert", 547, "it's refused", None)
    for _ in range(2):
        reports.refused([refused])
    queue = world.spark.table(f"{world.relations.feeds}.shop_queue")
    (entry,) = queue.where("entry = 'apply_error'").collect()
    (last,) = queue.selectExpr("max(queue_position)").collect()
    assert (entry["queue_position"], entry["error_text"]) == (last[0], "it's refused")
    assert (entry["key"], entry["row"]) == ({"id": "1"}, None)
    events = world.spark.table(world.relations.events_table)
    names = events.selectExpr("subscriber", "snapshot_position").collect()
    assert len(names) == len(set(names)) > 0
