"""The demo's side of the tables: what it makes before the first build, and reads after each."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.demo.commands import read_commands
from replication_conflicts.demo.databases import NodeRows
from replication_conflicts.demo.side_by_side import side_by_side
from replication_conflicts.demo.site import Links, Site
from replication_conflicts.lakehouse.delta_log import newest_versions
from replication_conflicts.lakehouse.feed import LakehouseFeed
from replication_conflicts.lakehouse.relations import (
    Relations,
    canonical_columns,
    make_events_table,
)
from replication_conflicts.lakehouse.reports import LakehouseReports
from replication_conflicts.lakehouse.snapshots import LakehouseSnapshots
from replication_conflicts.lakehouse.tables import append_initial
from replication_conflicts.publication.commands import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RELATIONS = Relations()
SCHEMAS = (RELATIONS.feeds, RELATIONS.initial, RELATIONS.published)


def queue_table(publication: str) -> str:
    """Where captures put the changes of a publication."""
    return f"{RELATIONS.feeds}.{publication}_queue"


class Lakehouse:
    """The schemas of the root project's embedded target."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self._feeds: dict[str, LakehouseFeed] = {}

    # what arrives

    def clear(self) -> None:
        """Drop every schema of the demo, with the files that a killed run may have left there."""
        for schema in SCHEMAS:
            self.spark.sql(f"drop schema if exists {schema} cascade")
            shutil.rmtree(self._folder(schema), ignore_errors=True)

    def has_tables(self) -> bool:
        """Whether one of the schemas has a table."""
        existing = {row[0] for row in self.spark.sql("show schemas").collect()}
        return any(
            self.spark.sql(f"show tables in {schema}").limit(1).count()
            for schema in SCHEMAS
            if schema in existing
        )

    def has_files(self) -> bool:
        """Whether every schema has its folder: the metastore does not know when one is removed."""
        return all(self._folder(schema).is_dir() for schema in SCHEMAS)

    def start(self, sites: Sequence[Site]) -> None:
        """Make the feeds' tables, empty, and those of the initial snapshot, full."""
        for schema in (RELATIONS.feeds, RELATIONS.initial):
            self.spark.sql(f"create schema if not exists {schema}")
        make_events_table(self.spark, RELATIONS)
        side_by_side(self._start, sites)

    def _start(self, site: Site) -> None:
        self.feed(site.publication).prepare()
        append_initial(self.spark, RELATIONS.initial, site.publication.options, site.initial)

    def feed(self, publication: NodePublication) -> LakehouseFeed:
        """Where captures deliver."""
        if publication.name not in self._feeds:
            feed = LakehouseFeed(self.spark, RELATIONS, publication)
            self._feeds[publication.name] = feed
        return self._feeds[publication.name]

    def deliver_again(self, publication: str, version: int) -> int:
        """Everything that the feed held at a Delta version comes once more; the number of rows."""
        table = queue_table(publication)
        self.spark.sql(f"insert into {table} select * from {table} version as of {version}")
        return self.count(f"select count(*) from {table} version as of {version}")

    # what a run made of it

    def links(self, publication: NodePublication, places: Mapping[str, Place]) -> Links:
        """What the agents of a publication's nodes need, which stand at these places."""
        return Links(
            read_commands(self.spark, RELATIONS, publication, places),
            {node: LakehouseSnapshots(self.spark, RELATIONS, publication, node) for node in places},
            LakehouseReports(self.spark, RELATIONS, publication),
        )

    def published(self, publication: NodePublication) -> NodeRows:
        """The published rows of all articles, in the form of a node's."""
        found: NodeRows = {}
        for name, article in publication.articles.items():
            texts = canonical_columns(article.shape.columns)
            version = article.shape.version_column
            table = f"{RELATIONS.published}.{publication.name}__{name}"
            rows = self.spark.table(table).selectExpr(*texts, f"row_version as `{version}`")
            found[name] = {}
            for row in rows.collect():
                values = row.asDict()
                # Java writes some floating point numbers with other digits, of the same value
                for column, kind in article.kinds.items():
                    values[column] = kind.to_text(kind.from_text(values[column]))
                key = tuple(values[column] for column in article.shape.primary_key)
                found[name][key] = values
        return found

    def versions(self) -> dict[str, int]:
        """The Delta version of every data table of the project."""
        return newest_versions(self._folder(RELATIONS.published))

    def feed_version(self, publication: str) -> int:
        """The Delta version of a publication's queue."""
        name = queue_table(publication).partition(".")[2]
        return newest_versions(self._folder(RELATIONS.feeds))[name]

    def count(self, query: str) -> int:
        """The number that a query gives."""
        return int(self.spark.sql(query).collect()[0][0] or 0)

    def rows(self, query: str) -> list[Mapping[str, object]]:
        """The rows of a small result."""
        return [row.asDict(recursive=True) for row in self.spark.sql(query).collect()]

    def _folder(self, schema: str) -> Path:
        warehouse = self.spark.conf.get("spark.sql.warehouse.dir") or ""
        return Path(unquote(urlparse(warehouse).path)) / f"{schema}.db"
