"""The demo's side of the tables: it appends what arrives, and reads what a run made of it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from replication_conflicts.nodes import (
    Command,
    FeedRow,
    Publication,
    StoredRow,
    command_from_record,
)
from replication_conflicts.nodes.tables import (
    append_feed,
    append_initial,
    create_table,
    feed_table_columns,
    rows_frame,
    table_name,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FEEDS = "feeds"
INITIAL = "initial"
PUBLISHED = "published"
SCHEMAS = (FEEDS, INITIAL, PUBLISHED)
_COMMIT = re.compile(r"^(\d{20})\.json$")


class Lakehouse:
    """The schemas of the root project's embedded target."""

    def __init__(self, spark: SparkSession, publication: Publication) -> None:
        self.spark = spark
        self.publication = publication
        self._read_up_to: dict[str, int] = {}

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

    def start(self, rows: Iterable[StoredRow]) -> None:
        """Make the feeds' tables, empty, and those of the initial snapshot, full."""
        for schema in (FEEDS, INITIAL):
            self.spark.sql(f"create schema if not exists {schema}")
        for name, article in self.publication.articles.items():
            columns = feed_table_columns(self.publication, article)
            create_table(self.spark, table_name(FEEDS, self.publication, name), columns)
        append_initial(self.spark, INITIAL, self.publication, rows)

    def deliver(self, rows: Iterable[FeedRow]) -> None:
        """Append rows to the feeds."""
        append_feed(self.spark, FEEDS, self.publication, rows)

    def report_reinitialized(self, subscriber: str, position: int, at: datetime) -> None:
        """Tell the next run that a subscriber has taken its snapshot."""
        table = f"{PUBLISHED}.subscription_events"
        event = {
            "publication": self.publication.name,
            "subscriber": subscriber,
            "event": "reinitialized",
            "snapshot_position": position,
            "at": at,
        }
        # the seed's table, whatever its format
        columns = dict(self.spark.table(table).dtypes)
        rows_frame(self.spark, columns, [event]).write.insertInto(table)

    # what a run made of it

    def published(self) -> list[StoredRow]:
        """The published rows of all articles, with their versions."""
        return [
            stored
            for name in self.publication.articles
            for stored in self._stored(
                name, f"select * from {table_name(PUBLISHED, self.publication, name)}"
            )
        ]

    def commands(self, subscribers: Sequence[str]) -> dict[str, list[Command]]:
        """What each of the subscribers may have and was not read for it before, in order."""
        found: dict[str, list[Command]] = {name: [] for name in subscribers}
        unread = " or ".join(
            f"(subscriber = '{name}' and queue_position > {self._read_up_to.get(name, 0)})"
            for name in subscribers
        )
        query = (
            f"select * from {PUBLISHED}.subscriber_commands"
            f" where publication = '{self.publication.name}' and ({unread})"
            " order by queue_position, sequence"
        )
        for row in self.spark.sql(query).collect():
            command = command_from_record(self.publication, row.asDict(recursive=True))
            found[command.subscriber].append(command)
            self._read_up_to[command.subscriber] = command.queue_position
        return found

    def snapshot(self, command: Command) -> list[StoredRow]:
        """The rows that a `reinitialize` command names."""
        return [
            stored
            for table in command.snapshot
            for stored in self._stored(
                table.article,
                f"select * from {table.relation} version as of {table.table_version}"
                " where not is_deleted",
            )
        ]

    def versions(self) -> dict[str, int]:
        """The Delta version of every data table of the project."""
        return {
            folder.name: max(commits)
            for folder in sorted(self._folder(PUBLISHED).iterdir())
            if (commits := list(_commits(folder / "_delta_log")))
        }

    def count(self, query: str) -> int:
        """The number that a query gives."""
        return int(self.spark.sql(query).collect()[0][0] or 0)

    def rows(self, query: str) -> list[Mapping[str, object]]:
        """The rows of a small result."""
        return [row.asDict(recursive=True) for row in self.spark.sql(query).collect()]

    def _stored(self, name: str, query: str) -> Iterator[StoredRow]:
        article = self.publication.articles[name]
        columns = ", ".join(f"cast(`{column}` as string)" for column in article.columns)
        for row in self.spark.sql(f"select {columns}, row_version from ({query})").collect():
            texts = dict(zip(article.columns, row, strict=False))
            yield StoredRow(name, article.from_texts(texts), str(row[-1]))

    def _folder(self, schema: str) -> Path:
        warehouse = self.spark.conf.get("spark.sql.warehouse.dir") or ""
        return Path(unquote(urlparse(warehouse).path)) / f"{schema}.db"


def _commits(log: Path) -> Iterator[int]:
    if log.is_dir():
        for file in log.iterdir():
            found = _COMMIT.match(file.name)
            if found:
                yield int(found.group(1))
