"""Who has a subscription, as the last build knows it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.lakehouse.relations import LakehouseProblem, Relations

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def check_subscriptions(
    spark: SparkSession,
    relations: Relations,
    publication: NodePublication,
    nodes: AbstractSet[str],
    advice: str,
) -> None:
    """Nodes other than the publisher must have one; before the first build nobody knows.

    `advice`: what happens without one, and what to do. Errors: LakehouseProblem, for the first
    node in the order of names.
    """
    table = f"{relations.published}.subscriptions"
    if not nodes or not spark.catalog.tableExists(table):
        return
    rows = spark.table(table).where(f"publication = '{publication.name}'")
    known = {str(row["subscriber"]) for row in rows.select("subscriber").collect()}
    for node in sorted(nodes - known - {publication.options.publisher}):
        raise LakehouseProblem(
            f"{node} has no subscription to {publication.name} in {table}: {advice}"
        )
