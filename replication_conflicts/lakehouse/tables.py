"""Feed rows and initial rows as tables: one DataFrame an article, appended."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from replication_conflicts.publication.feed import FeedRow, feed_columns
from replication_conflicts.publication.publication import Article, Publication
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.statements import VERSION_COLUMN

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def feed_table_columns(publication: Publication, article: Article) -> dict[str, str]:
    """Name and Spark type of every column of an article's feed."""
    own = {name: kind.ddl for name, kind in article.columns.items()}
    return feed_columns(publication) | own


def initial_table_columns(article: Article) -> dict[str, str]:
    """Name and Spark type of every column of an article's initial snapshot."""
    return {name: kind.ddl for name, kind in article.columns.items()} | {VERSION_COLUMN: "string"}


def table_name(schema: str, publication: Publication, article: str) -> str:
    """The relation of one article's feed or initial rows in a schema."""
    return f"{schema}.{publication.name}__{article}"


def create_table(
    spark: SparkSession, table: str, columns: Mapping[str, str], file_format: str = "delta"
) -> None:
    """An empty table, unless it is there."""
    listed = ", ".join(f"`{name}` {kind}" for name, kind in columns.items())
    spark.sql(f"create table if not exists {table} ({listed}) using {file_format}")


def append_rows(
    spark: SparkSession,
    table: str,
    columns: Mapping[str, str],
    rows: Sequence[Mapping[str, object]],
    file_format: str = "delta",
) -> None:
    """Rows (dicts; what is missing is NULL) go to the end of a table, in one commit."""
    if not rows:
        return
    frame = rows_frame(spark, columns, rows)
    frame.write.format(file_format).mode("append").saveAsTable(table)


def rows_frame(
    spark: SparkSession, columns: Mapping[str, str], rows: Sequence[Mapping[str, object]]
) -> DataFrame:
    """Rows as a DataFrame. Errors: a value that its type cannot hold fails when it is read.

    The rows go to Spark as one JSON text: a DataFrame from Python objects would start Python
    workers, which takes seconds.
    """
    from pyspark.sql import functions as f

    # from_json reads no varchar and char; the table that the rows go to has the length
    kinds = {name: re.sub(r"(var)?char\(\d+\)", "string", kind) for name, kind in columns.items()}
    schema = ", ".join(f"`{name}`: {kind}" for name, kind in kinds.items())
    text = json.dumps([{name: row.get(name) for name in columns} for row in rows], default=_text)
    parsed = f.from_json(f.lit(text), f"array<struct<{schema}>>", {"mode": "FAILFAST"})
    return spark.range(1).select(f.inline(parsed)).coalesce(1)


def _text(value: object) -> str:
    """A value that JSON has no form for, as from_json reads it."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, date):  # a datetime is one, too
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    raise TypeError(f"{value!r} is no value of a column")


def append_feed(
    spark: SparkSession,
    schema: str,
    publication: Publication,
    rows: Iterable[FeedRow],
    file_format: str = "delta",
) -> None:
    """Feed rows go to `<schema>.<publication>__<article>`, one commit an article."""
    by_article: dict[str, list[Mapping[str, object]]] = {}
    for row in rows:
        by_article.setdefault(row.article, []).append(row.values)
    for name, values in by_article.items():
        columns = feed_table_columns(publication, publication.articles[name])
        append_rows(spark, table_name(schema, publication, name), columns, values, file_format)


def append_initial(
    spark: SparkSession,
    schema: str,
    publication: Publication,
    rows: Iterable[StoredRow],
    file_format: str = "delta",
) -> None:
    """Initial rows go to `<schema>.<publication>__<article>`, one commit an article."""
    by_article: dict[str, list[Mapping[str, object]]] = {}
    for row in rows:
        values = {**row.row, VERSION_COLUMN: row.version}
        by_article.setdefault(row.article, []).append(values)
    for name, values_of_article in by_article.items():
        columns = initial_table_columns(publication.articles[name])
        table = table_name(schema, publication, name)
        append_rows(spark, table, columns, values_of_article, file_format)
