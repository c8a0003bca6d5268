"""One SQL statement over the project's tables, for people to read."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from replication_conflicts.words import counted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_UNBOUNDED = 1_000_000


class Form(Enum):
    """How rows are printed."""

    AUTO = "auto"
    TABLE = "table"
    RECORDS = "records"
    CSV = "csv"


def print_query(
    console: Console,
    spark: SparkSession,
    schema: str,
    query: str,
    limit: int,
    form: Form = Form.AUTO,
) -> None:
    """Run a query with the target schema as the current one, and print at most `limit` rows.

    As a table, or column by column (`records`) where that is asked for, or a table would be wider
    than the terminal; as `csv` without anything else. In a new warehouse the schema is not there
    yet; its feeds may be made before the first build.
    """
    if spark.catalog.databaseExists(schema):
        spark.sql(f"use {schema}")
    result = spark.sql(query)
    found = result.limit(limit + 1).collect()
    if not result.columns:
        console.print("Done.")
        return
    rows = [list(row) for row in found[:limit]]
    more = f"; there are more: --limit {limit * 10}" if len(found) > limit else ""
    if form is Form.CSV:
        _write_csv(console, result.columns, rows)
        if more:
            # not among the lines of the file
            Console(stderr=True, highlight=False).print(f"{counted(len(rows), 'row')}{more}")
        return
    table = _table(result, rows)
    unbounded = console.options.update(width=_UNBOUNDED)
    is_too_wide = console.measure(table, options=unbounded).maximum > console.width
    if form is Form.RECORDS or (form is Form.AUTO and is_too_wide):
        _print_records(console, result.columns, rows)
    else:
        console.print(table)
    console.print(f"{counted(len(rows), 'row')}{more}", style="dim")


def _write_csv(console: Console, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """NULL is an empty field."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(["" if value is None else _cell(value).plain for value in row] for row in rows)
    # whatever the width of the terminal, a line is a line
    console.out(text.getvalue(), end="")


def _print_records(
    console: Console, columns: Sequence[str], rows: Sequence[Sequence[object]]
) -> None:
    """Each row as a list of its columns."""
    for number, row in enumerate(rows, start=1):
        record = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
        record.add_column(style="dim", no_wrap=True)
        record.add_column(overflow="fold")
        for name, value in zip(columns, row, strict=True):
            record.add_row(Text(name), _cell(value))
        console.rule(Text(f"row {number}"), align="left", characters="-")
        console.print(record)


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
        # Spark's own order of keys is none
        items = sorted(value.items(), key=lambda item: str(item[0]))
        return Text(", ".join(f"{key}={_plain(item)}" for key, item in items))
    return Text(_plain(value))


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "NULL" if value is None else str(value)
