"""Commands of a node, as builds write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.lakehouse.finished_run import knows_from_the_first
from replication_conflicts.lakehouse.relations import (
    LakehouseProblem,
    Relations,
    older_configuration,
)
from replication_conflicts.publication.commands import (
    BEHIND_BITS,
    RECORD_KINDS,
    AgentCommand,
    Place,
    command_from_record,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

# commands are read in windows of the queue, each of about as many as this
_WINDOW = 20_000
_EVERYTHING_BEHIND = 2**31


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
        self._columns = {name: one.kinds.keys() for name, one in publication.articles.items()}
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

    @property
    def are_whole(self) -> bool:
        """Where there are row filters, runs write commands for the subscribers that they know."""
        is_publisher = self._subscriber == self._publication.publisher
        if is_publisher or not self._publication.has_row_filters:
            return True
        return knows_from_the_first(
            self._spark, self._published, self._publication.name, self._subscriber
        )

    def reach(self, place: Place) -> bool:
        """Whether anything has been decided at a place in the queue, or behind it."""
        log = self._spark.table(f"{self._published}.change_outcomes")
        is_own = log.publication == self._publication.name
        return not log.where(is_own & (log.transaction_position >= place.position)).isEmpty()

    def count(self, place: Place) -> int:
        """How many commands there are behind a place in the queue."""
        return self._behind(place).count()

    def records(self, place: Place) -> Iterator[AgentCommand]:
        """Conflicts that the node lost up to a place, and commands to start over."""
        from pyspark.sql import functions as f

        is_record = f.col("kind").isin(*RECORD_KINDS)
        found = self._behind(Place()).where(is_record & ~is_behind(place))
        for row in found.orderBy("queue_position", "sequence").toLocalIterator():
            yield command_from_record(row.asDict(recursive=True))

    def after(self, place: Place) -> Iterator[AgentCommand]:
        """All commands behind a place in the queue, window by window."""
        from pyspark.sql import functions as f

        while (end := self._end_of_window(place)) is not None:
            window = self._behind(place).where(f.col("queue_position") <= end)
            for row in window.orderBy("queue_position", "sequence").toLocalIterator():
                command = command_from_record(row.asDict(recursive=True))
                self._check_columns(command)
                yield command
            place = Place(end, _EVERYTHING_BEHIND)

    def _check_columns(self, command: AgentCommand) -> None:
        """Errors: LakehouseProblem where a row has columns of which this process knows nothing."""
        article = command.article
        if not command.changes_a_row or command.row is None or article not in self._columns:
            return
        unknown = command.row.keys() - self._columns[article]
        if unknown:
            raise older_configuration(article, unknown)

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
