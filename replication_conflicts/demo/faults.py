"""What reaches a feed beside what captures upload: copies, and rows that break the contract."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from replication_conflicts.capture.lakehouse import CHANGE, queue_record, records_frame
from replication_conflicts.demo.lakehouse import queue_table
from replication_conflicts.distribution.articles import NodePublication
from replication_conflicts.nodes import FeedRow
from replication_conflicts.nodes.feed import QUEUE_POSITION, feed_columns
from replication_conflicts.nodes.values import parse_timestamp
from replication_conflicts.workload import BrokenRow, Story
from replication_conflicts.workload.faults import COPIES_OF_LAST_DELIVERY, COPIES_OF_THIS_DELIVERY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass
class FaultyFeed:
    """Something on the way to one publication's feed that delivers what nobody has sent.

    `last` is the place in the queue that the delivery before has ended with.
    """

    spark: SparkSession
    publication: NodePublication
    story: Story
    rng: random.Random
    last: int = 0
    before_last: int = 0

    def disturb(self, delivery: int, now: datetime) -> int:
        """Add to a delivery that captures have made; the number of rows, all in one commit."""
        end = self._last_position()
        again = [
            *self._chosen(range(self.last + 1, end + 1), COPIES_OF_THIS_DELIVERY),
            *self._chosen(range(self.before_last + 1, self.last + 1), COPIES_OF_LAST_DELIVERY),
        ]
        node = next(iter(self.story.subscribers))
        broken = self.story.broken_rows(delivery, node, now, self._known(delivery))
        rows = self._again(again)
        if broken:
            rows = rows.unionByName(self._broken(broken, end))
        rows.write.insertInto(queue_table(self.publication.name))
        self.before_last, self.last = self.last, end + len(broken)
        return len(again) + len(broken)

    def _chosen(self, places: Sequence[int], number: int) -> list[int]:
        return self.rng.sample(places, min(number, len(places)))

    def _last_position(self) -> int:
        query = f"select coalesce(max(queue_position), 0) from {queue_table(self.publication.name)}"
        return int(self.spark.sql(query).collect()[0][0])

    def _again(self, places: Sequence[int]) -> DataFrame:
        """What was delivered at these places, as it was."""
        from pyspark.sql import functions as f

        table = self.spark.table(queue_table(self.publication.name))
        return table.where(f.col(QUEUE_POSITION).isin(*places) & (f.col("entry") == CHANGE))

    def _broken(self, broken: Sequence[BrokenRow], end: int) -> DataFrame:
        """Rows behind a place in the queue, unless they bring a place, or none on purpose."""
        from pyspark.sql import functions as f

        records = [
            {
                **queue_record(self.publication, one.row, None),
                "ordinal": one.row.values.get(QUEUE_POSITION, end + number),
            }
            for number, one in enumerate(broken, start=1)
        ]
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
            self.spark.table(queue_table(self.publication.name))
            .where(
                (f.col("article") == article.name)
                & (f.col("operation") == "update")
                & f.col("batch").isNotNull()
            )
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
