"""What reaches a feed beside what captures upload: copies, and rows that break the contract."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.demo.lakehouse import queue_table
from replication_conflicts.lakehouse.queue_table import CHANGE, queue_record, records_frame
from replication_conflicts.publication.feed import QUEUE_POSITION, FeedRow, feed_columns
from replication_conflicts.publication.values import parse_timestamp
from replication_conflicts.workload import BrokenRow, Story
from replication_conflicts.workload.faults import COPIES_OF_LAST_DELIVERY, COPIES_OF_THIS_DELIVERY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass
class FaultyFeed:
    """Something on the way to one publication's feed that delivers what nobody has sent.

    `places`: where in the queue the changes of the last delivery are; `end`: its last place.
    """

    spark: SparkSession
    publication: NodePublication
    story: Story
    rng: random.Random
    places: range = range(0)
    end: int = 0

    def disturb(self, delivery: int, now: datetime) -> int:
        """Add to a delivery that captures have made; the number of rows, all in one commit."""
        places = range(self.end + 1, self._last_position() + 1)
        again = [
            *self._chosen(places, COPIES_OF_THIS_DELIVERY),
            *self._chosen(self.places, COPIES_OF_LAST_DELIVERY),
        ]
        node = next(iter(self.story.subscribers))
        broken = self.story.broken_rows(delivery, node, now, self._known(delivery))
        records = self._records(broken, places.stop)
        rows = self._again(again)
        if records:
            rows = rows.unionByName(self._frame(records))
        rows.write.insertInto(queue_table(self.publication.name))
        given = [one["ordinal"] for one in records]
        self.end = max([places.stop - 1, *(one for one in given if isinstance(one, int))])
        self.places = places
        return len(again) + len(broken)

    def _chosen(self, places: range, number: int) -> list[int]:
        return self.rng.sample(places, min(number, len(places)))

    def _last_position(self) -> int:
        query = f"select coalesce(max(queue_position), 0) from {queue_table(self.publication.name)}"
        return int(self.spark.sql(query).collect()[0][0])

    def _again(self, places: Sequence[int]) -> DataFrame:
        """What captures have sent to these places, as it was."""
        from pyspark.sql import functions as f

        captured = self._captured().where(f.col(QUEUE_POSITION).isin(*places))
        return captured.dropDuplicates(["change_id"])

    def _captured(self) -> DataFrame:
        from pyspark.sql import functions as f

        table = self.spark.table(queue_table(self.publication.name))
        return table.where((f.col("entry") == CHANGE) & f.col("batch").isNotNull())

    def _records(self, broken: Sequence[BrokenRow], place: int) -> list[dict[str, object]]:
        """Records from a place in the queue on, unless they bring a place, or none on purpose."""
        return [
            {
                **queue_record(self.publication, one.row, None),
                "ordinal": one.row.values.get(QUEUE_POSITION, place + number),
            }
            for number, one in enumerate(broken)
        ]

    def _frame(self, records: Sequence[dict[str, object]]) -> DataFrame:
        from pyspark.sql import functions as f

        return (
            records_frame(self.spark, records)
            .withColumn(QUEUE_POSITION, f.col("ordinal").cast("bigint"))
            .withColumn("entry", f.lit(CHANGE))
            .drop("ordinal")
        )

    def _known(self, delivery: int) -> FeedRow | None:
        """The first update of the story's known article, once there was a delivery before."""
        from pyspark.sql import functions as f

        if delivery == 1:
            return None
        article = self.publication.article(self.story.known_article)
        found = (
            self._captured()
            .where((f.col("article") == article.name) & (f.col("operation") == "update"))
            .orderBy(QUEUE_POSITION)
            .limit(1)
            .withColumn("changed_at", f.col("changed_at").cast("string"))
            .collect()
        )
        if not found:
            return None
        record = found[0].asDict(recursive=True)
        values = {name: record[name] for name in feed_columns(self.publication.options)}
        values["changed_at"] = parse_timestamp(record["changed_at"])
        own = {name: article.kinds[name].from_text(text) for name, text in record["row"].items()}
        return FeedRow(article.name, {**values, **own})
