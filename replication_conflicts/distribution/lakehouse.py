"""The agent's ports on the project's Delta tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from replication_conflicts.distribution.articles import NodeArticle, NodePublication
from replication_conflicts.distribution.commands import AgentCommand, Place, command_from_record
from replication_conflicts.distribution.ports import Refusal, Reinitialized, SnapshotRow
from replication_conflicts.nodes.commands import BEHIND_BITS
from replication_conflicts.nodes.tables import create_table

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

# commands are read in windows of the queue, each of about as many as this
_WINDOW = 20_000
_EVERYTHING_BEHIND = 2**31

# the columns of the relation subscription_events
EVENT_COLUMNS = {
    "publication": "string",
    "subscriber": "string",
    "event": "string",
    "snapshot_position": "bigint",
    "queue_position": "bigint",
    "at": "timestamp",
}


class LakehouseProblem(Exception):
    """A relation that is not there, or not of the kind that is needed."""


@dataclass(frozen=True)
class Relations:
    """The schemas: what a build writes, what arrives, and what every node starts with."""

    published: str = "published"
    feeds: str = "feeds"
    initial: str = "initial"
    # the table that the project's relation subscription_events reads; None: that among the feeds
    events: str | None = None

    @property
    def events_table(self) -> str:
        """The table that events of subscriptions go to."""
        return self.events or f"{self.feeds}.subscription_events"


class LakehouseCommands:
    """Commands of one subscriber, or of the publisher: what all subscribers get, and its own."""

    def __init__(
        self,
        spark: SparkSession,
        relations: Relations,
        publication: NodePublication,
        subscriber: str,
        window: int = _WINDOW,
    ) -> None:
        self._spark = spark
        self._published = relations.published
        self._publication = publication.options
        self._subscriber = subscriber
        self._window = window

    @property
    def _relation(self) -> str:
        is_publisher = self._subscriber == self._publication.publisher
        name = "distribution_commands" if is_publisher else "subscriber_commands"
        return f"{self._published}.{name}"

    @property
    def are_written(self) -> bool:
        """Whether a build has written commands yet."""
        return self._spark.catalog.tableExists(self._relation)

    def count(self, place: Place) -> int:
        """How many commands there are behind a place in the queue."""
        return self._behind(place).count()

    def after(self, place: Place) -> Iterator[AgentCommand]:
        """All commands behind a place in the queue, window by window."""
        from pyspark.sql import functions as f

        while (end := self._end_of_window(place)) is not None:
            window = self._behind(place).where(f.col("queue_position") <= end)
            for row in window.orderBy("queue_position", "sequence").toLocalIterator():
                yield command_from_record(self._publication, row.asDict(recursive=True))
            place = Place(end, _EVERYTHING_BEHIND)

    def _end_of_window(self, place: Place) -> int | None:
        """The place of the last command in the next window, whose transaction is in it whole."""
        places = self._behind(place).select("queue_position").orderBy("queue_position")
        found = places.limit(self._window).selectExpr("max(queue_position)").first()
        return None if found is None or found[0] is None else int(found[0])

    def _behind(self, place: Place) -> DataFrame:
        from pyspark.sql import functions as f

        if not self.are_written:
            raise LakehouseProblem(
                f"there is no {self._relation}: run a build first, or name the schema that builds"
                " write to (option --published)."
            )
        is_mine = is_for(self._subscriber)
        return self._spark.table(self._relation).where(
            (f.col("publication") == self._publication.name) & is_mine & is_behind(place)
        )


def is_for(node: str) -> Column:
    """Whether a command is for a node: for it alone, or for all."""
    from pyspark.sql import functions as f

    subscriber = f.col("subscriber")
    return subscriber.isNull() | (subscriber == node)


def is_behind(place: Place) -> Column:
    """Whether a command stands behind a place in the queue."""
    # no parameters in SQL: Delta's parser does not bind them
    from pyspark.sql import functions as f

    position = f.col("queue_position")
    is_later_there = f.shiftright("sequence", BEHIND_BITS) > place.behind
    return (position > place.position) | ((position == place.position) & is_later_there)


class LakehouseSnapshots:
    """Published tables at a Delta version, and the rows that every node starts with."""

    def __init__(
        self, spark: SparkSession, relations: Relations, publication: NodePublication
    ) -> None:
        self._spark = spark
        self._relations = relations
        self._publication = publication

    def rows(self, command: AgentCommand) -> Iterator[SnapshotRow]:
        """The snapshot that a `reinitialize` command names, parents first."""
        tables = {table.article: table for table in command.snapshot}
        for name, article in self._publication.articles.items():
            if name not in tables:
                raise LakehouseProblem(f"snapshot {command.command_id} has no table of '{name}'")
            table = tables[name]
            yield from self._read(
                article,
                f"select * from {table.relation} version as of {table.table_version}"
                " where not is_deleted",
            )

    def initial_rows(self) -> Iterator[SnapshotRow]:
        """Articles without an initial snapshot start empty."""
        for name, article in self._publication.articles.items():
            relation = f"{self._relations.initial}.{self._publication.name}__{name}"
            if self._spark.catalog.tableExists(relation):
                for row in self._read(article, f"select * from {relation}"):
                    yield self._with_initial_lineage(row)

    def _with_initial_lineage(self, row: SnapshotRow) -> SnapshotRow:
        """Under merge replication all nodes know the version of an initial row, and no other."""
        node, _, number = row.version.rpartition(":")
        if not self._publication.is_merge or row.lineage or not number.isdigit():
            return row
        return replace(row, lineage={node: int(number)})

    def _read(self, article: NodeArticle, query: str) -> Iterator[SnapshotRow]:
        frame = self._spark.sql(query)
        lineage = "lineage" if "lineage" in frame.columns else "cast(null as map<string,bigint>)"
        texts = [
            f"{canonical_sql(name, kind)} as `text {number}`"
            for number, (name, kind) in enumerate(article.shape.columns.items())
        ]
        selected = frame.selectExpr(*texts, "row_version", f"{lineage} as known")
        for row in selected.toLocalIterator():
            *values, version, known = tuple(row)
            row_texts = dict(zip(article.shape.columns, values, strict=True))
            yield SnapshotRow(article.name, row_texts, str(version), known or {})


class LakehouseReports:
    """Tables that reports of subscribers go to."""

    def __init__(
        self, spark: SparkSession, relations: Relations, publication: NodePublication
    ) -> None:
        self._spark = spark
        self._relations = relations
        self._publication = publication

    def refused(self, refusals: Iterable[Refusal]) -> None:
        """Refused commands wait beside the changes, for their place in the queue."""
        from replication_conflicts.capture.lakehouse import LakehouseFeed

        feed = LakehouseFeed(self._spark, self._relations, self._publication)
        feed.append_refusals([_refusal_record(one) for one in refusals])

    def reinitialized(self, event: Reinitialized) -> None:
        """The event that ends the subscription's wait.

        Errors: LakehouseProblem where no run would ever see it.
        """
        from pyspark.sql import functions as f

        self._check_events()
        make_events_table(self._spark, self._relations)
        events = self._spark.table(self._relations.events_table)
        values = {
            "publication": self._publication.name,
            "subscriber": event.subscriber,
            "event": "reinitialized",
            "snapshot_position": event.snapshot_position,
        }
        known = events
        for name, value in values.items():
            known = known.where(f.col(name) == f.lit(value))
        if known.limit(1).count():
            return
        given = {**values, "queue_position": None, "at": event.at.isoformat()}
        columns = [
            f.lit(given.get(one.name)).cast(one.dataType).alias(one.name)
            for one in events.schema.fields
        ]
        self._spark.range(1).select(*columns).write.insertInto(self._relations.events_table)

    def _check_events(self) -> None:
        """Errors: LakehouseProblem where builds cannot read the table that events go to."""
        relation = f"{self._relations.published}.subscription_events"
        if not self._spark.catalog.tableExists(relation):
            return
        if self._spark.catalog.getTable(relation).tableType != "VIEW":
            raise LakehouseProblem(
                f"{relation} is a table, as a seed is: a build writes it anew, and reports of"
                " subscribers would be lost. Make subscription_events a view, for example a model:"
                " select * from {{ source('feeds', 'subscription_events') }}, of the table"
                f" {self._relations.events_table} (option --events)."
            )


def make_events_table(spark: SparkSession, relations: Relations) -> None:
    """Make the table that events go to, unless it is there."""
    create_table(spark, relations.events_table, EVENT_COLUMNS)


def canonical_sql(column: str, spark_type: str) -> str:
    """Spark's expression for the canonical text of a column."""
    name = f"`{column.replace('`', '``')}`"
    kind = spark_type.strip().lower()
    if kind == "binary":
        return f"base64({name})"
    if kind.startswith(("array", "map", "struct")):
        return f"to_json({name})"
    return f"cast({name} as string)"


def _refusal_record(refusal: Refusal) -> Mapping[str, object]:
    return {
        "subscriber": refusal.subscriber,
        "command_id": refusal.command_id,
        "article": refusal.article,
        "key": dict(refusal.key),
        "operation": refusal.operation,
        "error_code": refusal.error_code,
        "error_text": refusal.error_text,
        "row": None if refusal.row is None else dict(refusal.row),
    }
