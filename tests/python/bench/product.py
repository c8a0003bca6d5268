"""The project under measurement: a generated one that installs this one as a package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from replication_conflicts.dbt_build import BuildResult, DbtBuild
from replication_conflicts.lakehouse import tables
from replication_conflicts.publication.publication import publication_from_vars
from replication_conflicts.scenarios.project import INPUTS, Configuration, ConsumerProject
from tests.python.bench import workload
from tests.python.bench.workload import ARTICLE, EMPTY, PUBLICATION, Batch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RELATION = f"{PUBLICATION}__{ARTICLE}"
WITHOUT_TESTS = ("--exclude-resource-type", "test", "--exclude-resource-type", "unit_test")
# what subscribers are to do, and what is only made for that
COMMANDS = "distribution_commands+ command_statements+ reinitializations+"


class BuildFailed(Exception):
    """A dbt command of the benchmark failed; the message says why."""


@dataclass(frozen=True)
class Home:
    """Where the benchmark works, and its Spark settings."""

    folder: Path
    settings: Mapping[str, str]

    @property
    def state(self) -> Path:
        """The folder of the warehouse, the metastore and the logs."""
        return self.folder / "state"


class Product:
    """One generated project with one article of `rows` published rows."""

    def __init__(self, home: Home, name: str, rows: int, replication: str = "queued") -> None:
        self._project = ConsumerProject(name, home.folder / name, home.state)
        self._replication = replication
        self.rows = rows
        options = workload.options(replication)
        configuration = Configuration(publication_from_vars(PUBLICATION, options), options)
        self._project.write([configuration], home.settings)
        self._publication = configuration.publication
        self.dbt = DbtBuild(self._project.folder, self._project.profiles, threads=4)
        checked(self.dbt.run("deps"))
        self._place = EMPTY
        self._prepare()

    @property
    def spark(self) -> SparkSession:
        """The session."""
        return self.dbt.spark

    @property
    def feed(self) -> str:
        """The change feed."""
        return f"{self._project.feeds}.{RELATION}"

    @property
    def versions(self) -> str:
        """The published rows, tombstones included: the table that runs merge into."""
        return f"{self._project.schema}.{RELATION}__versions"

    @property
    def log(self) -> str:
        """The decision log."""
        return f"{self._project.schema}.change_outcomes"

    @property
    def initial(self) -> str:
        """The rows that are published before the first change."""
        return f"{self._project.initial}.{RELATION}"

    @property
    def schema(self) -> str:
        """The schema that builds write."""
        return self._project.schema

    def deliver(self, batch: Batch) -> None:
        """A batch arrives in the feed."""
        place = self._place.behind(batch)
        feed = batch.feed(place, self._published(), self._replication)
        # a node's own number stands for the one that the row has of it
        self.spark.conf.set("spark.sql.mapKeyDedupPolicy", "LAST_WIN")
        self.spark.sql(f"insert into {self.feed} by name {feed}")
        self.spark.conf.unset("spark.sql.mapKeyDedupPolicy")
        self._place = place

    def empty_feed(self) -> None:
        """What has been decided leaves the feed."""
        self.spark.sql(f"truncate table {self.feed}")

    def build(self, *, commands: bool = True) -> BuildResult:
        """One run of the pipeline, without tests; `commands`: with those for subscribers."""
        left_out = () if commands else ("--exclude", *COMMANDS.split())
        return checked(self.dbt.run("build", *WITHOUT_TESTS, *left_out))

    def last_run(self) -> int:
        """The number of the last run that decided something."""
        return self.number(f"select max(run_sequence) from {self.log}")

    def outcomes(self) -> dict[str, int]:
        """How many changes of what arrived last came out how."""
        rows = self.spark.sql(
            f"select outcome, count(*) from {self.log} where {self._place.condition} group by 1"
        )
        return {str(row[0]): int(row[1]) for row in rows.collect()}

    def decided(self) -> int:
        """How many changes the decision log has."""
        return self.number(f"select count(*) from {self.log}")

    def arrived(self) -> int:
        """How many changes arrived last."""
        return self._place.next_position - self._place.first_position

    def stale(self) -> int:
        """How many of them must fall: those that did not know what was held."""
        return self.number(
            f"select count(*) from {self.feed} where {self._place.condition}"
            " and change_id like 'stale/%'"
        )

    def export(self, query: str, folder: Path) -> list[Path]:
        """What a query gives as CSV files without a header."""
        frame = self.spark.sql(query)
        frame.write.mode("overwrite").csv(folder.resolve().as_uri())
        return sorted(folder.glob("*.csv"))

    def new_changes(self, most: int | None = None) -> str:
        """A query of what arrived last, or of its first changes."""
        end = self._place.next_position if most is None else self._place.first_position + most
        return f"select * from {self.feed} where {self._place.condition} and queue_position < {end}"

    def number(self, query: str) -> int:
        """The one number that a query gives."""
        return int(self.spark.sql(query).collect()[0][0])

    def _prepare(self) -> None:
        project, spark = self._project, self.spark
        for schema in (project.schema, project.feeds, project.initial, project.inputs):
            spark.sql(f"drop schema if exists {schema} cascade")
            spark.sql(f"create schema {schema}")
        for name, columns in INPUTS.items():
            tables.create_table(spark, f"{project.inputs}.{name}", columns)
        subscriptions = [
            {"publication": PUBLICATION, "subscriber": name, "type": "server", "priority": "75"}
            for name in workload.SUBSCRIBERS
        ]
        tables.append_rows(
            spark, f"{project.inputs}.subscriptions", INPUTS["subscriptions"], subscriptions
        )
        article = self._publication.articles[ARTICLE]
        columns = tables.feed_table_columns(self._publication, article)
        tables.create_table(spark, self.feed, columns)
        query = workload.initial_rows(self.rows, self._replication)
        spark.sql(f"create table {self.initial} using delta as {query}")

    def _published(self) -> str:
        """A relation of what is published, in the form that the feed is drawn from."""
        columns = ", ".join(workload.COLUMNS)
        is_merge = self._replication == "merge"
        if self._place == EMPTY:
            lineage = f"map('{workload.PUBLISHER}', 1L)" if is_merge else "null"
            return f"(select {columns}, row_version, {lineage} as lineage from {self.initial})"
        lineage = "lineage" if is_merge else "null"
        return f"(select {columns}, row_version, {lineage} as lineage from {self.versions})"


def checked(result: BuildResult) -> BuildResult:
    """The result. Errors: BuildFailed when something in it failed."""
    if not result.success:
        raise BuildFailed("; ".join(result.errors) or "dbt failed without a message")
    return result
