"""The statements for Spark, carried out on a Delta table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from replication_conflicts.statements import ArticleShape, parameter_name, statements
from tests.python.conftest import ScratchProject

ARTICLE = ArticleShape(
    publication="inventory",
    name="awkward",
    columns={
        "order": "int",
        "größe": "string",
        "unit price": "decimal(10,2)",
        "quo\"te's": "string",
        "back`tick": "string",
        "100%": "double",
        "is_on": "boolean",
        "day": "date",
        "counted_at": "timestamp",
        "picture": "binary",
        "tags": "map<string,bigint>",
        "new_version": "string",
    },
    primary_key=("order", "größe"),
)
ROW: dict[str, str | None] = {
    "order": "-7",
    "größe": "O'Brien's \\ \"漢字\" :größe",
    "unit price": "12345678.90",
    "quo\"te's": "'; drop table awkward; --",
    "back`tick": "",
    "100%": "1.0E10",
    "is_on": "true",
    "day": "2024-02-29",
    "counted_at": "2026-01-01 00:00:01.000005",
    "picture": "AP8=",
    "tags": '{"a":4611686018427387904}',
    "new_version": "the column, not the version",
}


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@pytest.mark.spark
def test_a_command_acts_where_its_version_is_held_and_once(
    scratch_copy: Callable[[], ScratchProject],
) -> None:
    project = scratch_copy()
    spark = project.build.spark
    spark.sql(f"create schema {project.schema}")
    spark.sql(f"use {project.schema}")
    columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in ARTICLE.columns.items())
    spark.sql(
        f"create table awkward ({columns}, row_version string) using delta"
        " tblproperties ('delta.columnMapping.mode' = 'name')"
    )
    texts = [
        f"base64({quoted(name)})"
        if kind == "binary"
        else f"to_json({quoted(name)})"
        if kind.startswith("map")
        else f"cast({quoted(name)} as string)"
        for name, kind in ARTICLE.columns.items()
    ]

    def command(
        operation: str, row: Mapping[str, str | None], old: str | None, new: str | None
    ) -> list[tuple[str | None, ...]]:
        (found,) = (
            one
            for one in statements(ARTICLE)
            if (one.operation, one.dialect) == (operation, "spark")
        )
        values = {parameter_name(column): value for column, value in row.items()}
        values |= {"old_version": old, "new_version": new}
        spark.sql(found.statement, {name: values[name] for name in found.parameters})
        return [
            tuple(one)
            for one in spark.sql(f"select {', '.join(texts)}, row_version from awkward").collect()
        ]

    nulls = {**dict.fromkeys(ARTICLE.columns), "order": ROW["order"], "größe": ROW["größe"]}
    held = [(*ROW.values(), "v1")]
    try:
        assert command("insert", ROW, None, "v1") == held
        assert command("insert", nulls, None, "v2") == held, "the row is there already"
        assert command("update", nulls, "v0", "v2") == held, "another version is held"
        assert command("delete", ROW, "v0", None) == held, "another version is held"
        assert command("update", nulls, "v1", "v2") == [(*nulls.values(), "v2")]
        assert command("update", ROW, "v1", "v2") == [(*nulls.values(), "v2")], "a second time"
        assert command("delete", ROW, "v2", None) == []
        assert command("delete", ROW, "v2", None) == [], "a second time"
    finally:
        spark.sql("use default")
