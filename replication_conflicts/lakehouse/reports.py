"""What subscribers report: refused commands go into the queue, events into a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.distribution.ports import Refusal, Reinitialized
from replication_conflicts.lakehouse.feed import LakehouseFeed
from replication_conflicts.lakehouse.relations import LakehouseProblem, Relations, make_events_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
        feed = LakehouseFeed(self._spark, self._relations, self._publication)
        feed.append_refusals([_refusal_record(one) for one in refusals])

    def reinitialized(self, event: Reinitialized) -> None:
        """The event that ends the subscription's wait.

        Errors: LakehouseProblem where no run would ever see it.
        """
        from pyspark.sql import functions as f

        self.check_takes_events()
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

    def check_takes_events(self) -> None:
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
