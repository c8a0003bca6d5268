"""Partitions of subscribers: rows that a row filter, an expression in Spark SQL, lets through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from replication_conflicts.lakehouse.tables import rows_frame
from replication_conflicts.publication.publication import Publication
from replication_conflicts.publication.values import Row
from replication_conflicts.scenarios.suite import Suite

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ROW = "__row"


class Partitions:
    """Whether rows lie in a subscriber's partition, by the row filters of a suite."""

    def __init__(self, spark: SparkSession, suite: Suite, publication: Publication) -> None:
        self._spark = spark
        self._publication = publication
        self._filters = _row_filters(suite)

    def inside(self, subscriber: str, article: str, rows: list[Row]) -> list[bool]:
        """One flag per row. A filter that gives NULL leaves the row outside."""
        condition = self._filters.get((article, subscriber))
        if condition is None or not rows:
            return [True] * len(rows)
        columns = self._publication.articles[article].columns
        kinds = {name: kind.ddl for name, kind in columns.items()} | {_ROW: "int"}
        numbered = [{**row, _ROW: index} for index, row in enumerate(rows)]
        frame = rows_frame(self._spark, kinds, numbered)
        kept = {row[0] for row in frame.where(condition).select(_ROW).collect()}
        return [index in kept for index in range(len(rows))]


def _row_filters(suite: Suite) -> dict[tuple[str, str], str]:
    articles = suite.options["articles"]
    assert isinstance(articles, Mapping)
    return {
        (name, subscriber): str(condition)
        for name, article in articles.items()
        for subscriber, condition in (article.get("row_filter") or {}).items()
    }
