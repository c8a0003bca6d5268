"""`replication-conflicts query`: one SQL query over the project's tables, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from replication_conflicts.words import counted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def print_query(console: Console, spark: SparkSession, schema: str, query: str, limit: int) -> None:
    """Run a query with the target schema as the current one, and print at most `limit` rows.

    In a new warehouse the schema is not there yet; its feeds may be made before the first build.
    """
    if spark.catalog.databaseExists(schema):
        spark.sql(f"use {schema}")
    result = spark.sql(query)
    rows = result.limit(limit + 1).collect()
    if not result.columns:
        console.print("Done.")
        return
    console.print(_table(result, [list(row) for row in rows[:limit]]))
    more = f"; there are more: --limit {limit * 10}" if len(rows) > limit else ""
    console.print(f"{counted(min(len(rows), limit), 'row')}{more}", style="dim")


def _table(result: DataFrame, rows: list[list[object]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for field in result.schema.fields:
        is_number = field.dataType.typeName() in ("integer", "long", "decimal", "double", "float")
        justify: JustifyMethod = "right" if is_number else "left"
        table.add_column(Text(field.name), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    return table


def _cell(value: object) -> Text:
    if value is None:
        return Text("NULL", style="dim")
    if isinstance(value, Mapping):
        return Text(", ".join(f"{key}={_plain(item)}" for key, item in value.items()))
    return Text(_plain(value))


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "NULL" if value is None else str(value)


def short_error(error: Exception) -> str:
    """The first lines of what Spark says, without its plan and stack."""
    text = str(error)
    for end in ("\n;", "\n'", "== SQL", "JVM stacktrace"):
        text = text.split(end)[0]
    return text.strip()
