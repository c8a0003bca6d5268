"""Feeds that other tools produce, on rows in the form in which those tools publish them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import ScratchProject

NODE = "node='source.name', queue_position='message_offset'"
MODELS = {
    "debezium": "{{ debezium_changes('inventory', 'product', ref('debezium_messages'), "
    + NODE
    + ") }}",
    "sql_server": (
        "{{ sql_server_changes('inventory', 'product', ref('change_table'), node=\"'north'\","
        " queue_position='arrival', changed_at='tran_end_time') }}"
    ),
    "delta": "{{ delta_changes('inventory', 'product', ref('data_feed'), node=\"'north'\") }}",
}
ENVELOPE = (
    "before struct<sku:string,name:string,unit_price:string,is_active:boolean,introduced_on:int>,"
    " after struct<sku:string,name:string,unit_price:string,is_active:boolean,introduced_on:int>,"
    " source struct<connector:string,name:string,ts_ms:bigint,txId:bigint,lsn:bigint,table:string>,"
    " op string, ts_ms bigint,"
    " transaction struct<id:string,total_order:bigint,data_collection_order:bigint>,"
    " message_offset bigint"
)
# days since 1970: io.debezium.time.Date
INTRODUCED = {"2026-01-01": 20454}
BOLT = {
    "sku": "B'1",
    "name": None,
    "unit_price": "12.50",
    "is_active": True,
    "introduced_on": INTRODUCED["2026-01-01"],
}
NUT = {**BOLT, "name": "", "unit_price": "-0.05"}


def message(
    offset: int, op: str | None, before: Any, after: Any, transaction: str = "571:1"
) -> dict[str, Any]:
    """An envelope's payload, as Debezium's PostgreSQL connector documents it."""
    source = {
        "connector": "postgresql",
        "name": "north",
        "ts_ms": 1767225600000,
        "txId": 571,
        "lsn": 24023128 + offset,
        "table": "product",
    }
    return {
        "before": before,
        "after": after,
        "source": source,
        "op": op,
        "ts_ms": 1767225600500,
        "transaction": {"id": transaction, "total_order": 1, "data_collection_order": 1},
        "message_offset": offset,
    }


MESSAGES = [
    message(10, "r", None, BOLT, "570:1"),
    message(11, "u", BOLT, NUT),
    message(12, "d", NUT, None),
    {"message_offset": 13},
    message(14, "m", None, None),
    message(15, "t", None, None),
]
CHANGE_TABLE = """
select
    cast(lsn as binary) as `__$start_lsn`, cast(seqval as binary) as `__$seqval`,
    code as `__$operation`, x'1F' as `__$update_mask`, sku, name, unit_price, is_active,
    introduced_on, arrival, timestamp'2026-01-01 00:00:00' as tran_end_time
from values
    (x'0000002A000001C80003', x'0000002A000001C80002', 2, "B'1", null, 12.5bd, true,
        date'2026-01-01', 20),
    (x'0000002A000001D00004', x'0000002A000001D00002', 3, "B'1", null, 12.5bd, true,
        date'2026-01-01', 21),
    (x'0000002A000001D00004', x'0000002A000001D00002', 4, "B'1", '', -0.05bd, true,
        date'2026-01-01', 22),
    (x'0000002A000001D00004', x'0000002A000001D00003', 1, "B'2", 'x', 1bd, false,
        date'2026-01-01', 23)
    as rows (lsn, seqval, code, sku, name, unit_price, is_active, introduced_on, arrival)
"""


@pytest.fixture(scope="module")
def feeds(
    scratch_copy: Callable[[], ScratchProject],
) -> dict[str, list[dict[str, Any]]]:
    """The three feeds, by queue position."""
    project = scratch_copy()
    spark = project.build.spark
    spark.sql(f"create schema if not exists {project.schema}")
    table = f"{project.schema}.product_table"
    spark.sql(
        f"create table {table} (sku string, name string, unit_price double, is_active boolean,"
        " introduced_on date) using delta tblproperties (delta.enableChangeDataFeed = true)"
    )
    spark.sql(f"insert into {table} values (\"B'1\", null, 12.5, true, date'2026-01-01')")
    spark.sql(f"update {table} set name = '', unit_price = -0.05")
    spark.sql(f"delete from {table}")
    lines = json.dumps(MESSAGES).replace("'", "\\'")
    folder = project.folder / "models" / "tried"
    folder.mkdir()
    texts = {
        "debezium_messages": f"select inline(from_json('{lines}', 'array<struct<{ENVELOPE}>>'))",
        "change_table": CHANGE_TABLE,
        "data_feed": f"select * from table_changes('{table}', 1)",
        **MODELS,
    }
    for name, text in texts.items():
        config = "{{ config(materialized='table') }}"
        (folder / f"{name}.sql").write_text(f"{config}\n{text}\n", encoding="utf-8")
    result = project.build.run("run", "--select", "tried")
    assert result.errors == ()
    return {
        name: [
            row.asDict()
            for row in spark.sql(
                f"select * from {project.schema}.{name} order by queue_position"
            ).collect()
        ]
        for name in MODELS
    }


def chain(rows: list[dict[str, Any]]) -> list[tuple[str, Any, Any]]:
    return [(row["operation"], row["old_version"], row["new_version"]) for row in rows]


@pytest.mark.spark
def test_a_row_has_the_same_versions_whatever_delivers_it(
    feeds: dict[str, list[dict[str, Any]]],
) -> None:
    bolt, nut = (row["new_version"] for row in feeds["debezium"][:2])
    assert bolt != nut
    assert chain(feeds["debezium"]) == [
        ("insert", None, bolt),
        ("update", bolt, nut),
        ("delete", nut, None),
        # not known to the contract, and rejected there
        ("t", None, None),
    ]
    assert chain(feeds["delta"]) == [
        ("insert", None, bolt),
        ("update", bolt, nut),
        ("delete", nut, None),
    ]
    server = chain(feeds["sql_server"])
    assert server[:2] == [("insert", None, bolt), ("update", bolt, nut)]
    assert server[2][0] == "delete"
    assert server[2][1] not in (None, bolt, nut)


@pytest.mark.spark
def test_changes_have_rows_transactions_and_places(
    feeds: dict[str, list[dict[str, Any]]],
) -> None:
    first, update, *_ = feeds["debezium"]
    assert [row["queue_position"] for row in feeds["debezium"]] == [10, 11, 12, 15]
    assert (first["node"], first["transaction_id"]) == ("north", "570:1")
    assert (first["sku"], first["name"], str(first["unit_price"])) == ("B'1", None, "12.50")
    assert str(first["introduced_on"]) == "2026-01-01"
    assert (update["name"], str(update["unit_price"])) == ("", "-0.05")
    for rows in feeds.values():
        assert len({row["change_id"] for row in rows}) == len(rows)
        assert all(row["changed_at"] is not None for row in rows)
    server = feeds["sql_server"]
    assert [row["queue_position"] for row in server] == [20, 22, 23]
    assert [row["transaction_id"] for row in server] == [
        "0000002A000001C80003",
        "0000002A000001D00004",
        "0000002A000001D00004",
    ]
    assert server[2]["sku"] == "B'2"
    delta = feeds["delta"]
    assert [row["transaction_id"] for row in delta] == ["1", "2", "3"]
    assert [row["transaction_change_count"] for row in delta] == [1, 1, 1]
    assert [row["queue_position"] for row in delta] == [10000001, 20000001, 30000001]
