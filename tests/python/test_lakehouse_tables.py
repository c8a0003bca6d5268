"""Rows that come back from Spark as they were written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

import pytest

from replication_conflicts.lakehouse import tables
from replication_conflicts.lakehouse.delta_log import newest_versions
from replication_conflicts.lakehouse.relations import canonical_columns
from tests.python.conftest import ScratchProject

COLUMNS = {
    "text": "string",
    "short": "varchar(9)",
    "number": "bigint",
    "tiny": "tinyint",
    "amount": "decimal(38,10)",
    "ratio": "double",
    "flag": "boolean",
    "day": "date",
    "moment": "timestamp",
    "local": "timestamp_ntz",
    "bytes": "binary",
    "lineage": "map<string,bigint>",
    "names": "array<string>",
    "odd name": "string",
}
ROWS: list[dict[str, object]] = [
    {
        "text": "it's \"quoted\"\n\\ | 'ü' 雪 \u0000",
        "short": "a",
        "number": 2**62 + 1,
        "tiny": -128,
        "amount": Decimal("-1234567890123456789012345678.0000000001"),
        "ratio": 0.1,
        "flag": True,
        "day": date(1, 1, 1),
        "moment": datetime(2024, 2, 29, 23, 59, 59, 999999, tzinfo=timezone.utc),
        "local": datetime(1492, 10, 12, 1, 2, 3),
        "bytes": b"\x00\xff",
        "lineage": {"north": 2**62, "it's": 1},
        "names": ["a", "ü'\""],
        "odd name": "",
    },
    {"text": "", "number": 0, "ratio": float("inf"), "names": [], "lineage": {}},
    {},
]


@pytest.mark.spark
def test_values_come_back_as_they_were(scratch_copy: Callable[[], ScratchProject]) -> None:
    spark = scratch_copy().build.spark
    frame = tables.rows_frame(spark, COLUMNS, ROWS)
    texts = frame.selectExpr(
        "* except (moment, bytes)", "cast(moment as string) as moment", "hex(bytes) as bytes"
    )
    found = [row.asDict() for row in texts.collect()]
    expected = [{name: row.get(name) for name in COLUMNS} for row in ROWS]
    expected[0] |= {"moment": "2024-02-29 23:59:59.999999", "bytes": "00FF"}
    assert found == expected


@pytest.mark.spark
def test_a_value_that_does_not_fit_is_an_error(scratch_copy: Callable[[], ScratchProject]) -> None:
    spark = scratch_copy().build.spark
    with pytest.raises(Exception, match="MALFORMED_RECORD_IN_PARSING"):
        tables.rows_frame(spark, {"number": "int"}, [{"number": 2**31}]).collect()


def test_canonical_texts_have_the_names_of_their_columns() -> None:
    columns = {"a`b": " BINARY", "n": "int", "d": "decimal(9,6)", "e": "decimal(18, 9)"}
    assert canonical_columns(columns) == [
        "base64(`a``b`) as `a``b`",
        "cast(`n` as string) as `n`",
        "cast(`d` as string) as `d`",
        "translate(format_number(`e`, 9), ',', '') as `e`",
    ]


def test_versions_of_tables_are_those_of_their_commits(tmp_path: Path) -> None:
    for name in (
        "item/_delta_log/00000000000000000009.json",
        "item/_delta_log/00000000000000000010.json",
        "item/_delta_log/00000000000000000011.checkpoint.parquet",
        "item/_delta_log/00000000000000000012.json.tmp",
        "begun/_delta_log/.00000000000000000000.json.crc",
        "plain/part-0.parquet",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert newest_versions(tmp_path) == {"item": 10}
    assert newest_versions(tmp_path / "nowhere") == {}
