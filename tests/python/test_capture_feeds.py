"""Feeds that other tools produce, on rows in the form in which those tools publish them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from .conftest import ScratchProject

NODE = "node='source.name', queue_position='message_offset'"
LEVELS = (
    "'inventory', 'stock_level', ref('level_messages'), node=\"'north'\", queue_position='place'"
)
LOOKS = "'inventory', 'stock_level', ref('looks'), node=\"'north'\", queue_position='place'"
MODELS = {
    "debezium": "{{ debezium_changes('inventory', 'product', ref('debezium_messages'), "
    + NODE
    + ") }}",
    "sql_server": (
        "{{ sql_server_changes('inventory', 'product', ref('change_table'), node=\"'north'\","
        " queue_position='arrival', changed_at='tran_end_time') }}"
    ),
    "sql_server_again": (
        "{{ sql_server_changes('inventory', 'product',"
        " '(select * from ' ~ ref('change_table')"
        " ~ ' union all select * except (arrival, tran_end_time, revision),"
        " arrival + 100 as arrival, tran_end_time, revision from '"
        " ~ ref('change_table') ~ ')',"
        " node=\"'north'\", queue_position='arrival', changed_at='tran_end_time') }}"
    ),
    "delta": "{{ delta_changes('inventory', 'product', ref('data_feed'), node=\"'north'\") }}",
    "delta_again": (
        "{{ delta_changes('inventory', 'product',"
        " '(select * from ' ~ ref('data_feed') ~ ' union all select * from '"
        " ~ ref('data_feed') ~ ')', node=\"'north'\") }}"
    ),
    # one table that stands for two, whose rows have the same keys in the same commits
    "delta_product": (
        "{{ delta_changes('inventory', 'product', ref('wide_feed'), node=\"'north'\","
        " version_column='revision') }}"
    ),
    "delta_movement": (
        "{{ delta_changes('inventory', 'stock_movement', ref('wide_feed'), node=\"'north'\") }}"
    ),
    "debezium_level": "{{ debezium_changes(" + LEVELS + ") }}",
    "debezium_revision": (
        "{{ debezium_changes("
        + LEVELS
        + ", version_column='revision', timestamp_unit={'counted_at': 'millis'}) }}"
    ),
    "sql_server_revision": (
        "{{ sql_server_changes('inventory', 'product', ref('change_table'), node=\"'north'\","
        " queue_position='arrival', version_column='revision') }}"
    ),
    "found": (
        "{{ row_version_changes(" + LOOKS + ", version_column='revision', is_deleted='is_gone') }}"
    ),
    "found_with_previous": (
        "{{ row_version_changes("
        + LOOKS
        + ", version_column='revision', previous_version_column='revision_before') }}"
    ),
    "found_after_snapshot": (
        "{{ row_version_changes('inventory', 'product', ref('product_looks'), node=\"'north'\","
        " queue_position='place', version_column='revision', changed_at='changed_at') }}"
    ),
    "found_merge": (
        "{{ row_version_changes('field_sales', 'campaign', ref('campaign_looks'),"
        " node=\"'north'\", queue_position='place', version_column='ends_on',"
        " is_deleted='is_gone', known_position='downloaded_to') }}"
    ),
}
ENVELOPE = (
    "before struct<sku:string,name:string,unit_price:string,is_active:boolean,introduced_on:int>,"
    " after struct<sku:string,name:string,unit_price:string,is_active:boolean,introduced_on:int>,"
    " source struct<version:string,connector:string,name:string,ts_ms:bigint,txId:bigint,"
    "lsn:bigint,table:string>,"
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
    offset: int,
    op: str | None,
    before: Any,
    after: Any,
    transaction: str = "571:1",
    connector: str = "3.0.0.Final",
) -> dict[str, Any]:
    """An envelope's payload, as Debezium's PostgreSQL connector documents it."""
    source = {
        "version": connector,
        "connector": "postgresql",
        "name": "north",
        "ts_ms": 1767225600000,
        "txId": 571,
        "lsn": 24023128,
        "table": "product",
    }
    return {
        "before": before,
        "after": after,
        "source": source,
        "op": op,
        "ts_ms": 1767225600000 + offset,
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
# the second message again, from a connector that was renewed meanwhile
AGAIN = message(16, "u", BOLT, NUT, connector="3.1.0.Final")
CHANGE_TABLE = """
select
    cast(lsn as binary) as `__$start_lsn`, cast(seqval as binary) as `__$seqval`,
    code as `__$operation`, x'1F' as `__$update_mask`, sku, name, unit_price, is_active,
    introduced_on, arrival, timestamp'2026-01-01 00:00:00' as tran_end_time,
    cast(arrival as binary) as revision
from values
    (x'0000002A000001C80003', x'0000002A000001C80002', 2, "B'1", null, 12.5bd, true,
        date'2026-01-01', 20),
    (x'0000002A000001D00004', x'0000002A000001D00002', 3, "B'1", null, 12.5bd, true,
        date'2026-01-01', 21),
    (x'0000002A000001D00004', x'0000002A000001D00002', 4, "B'1", '', -0.05bd, true,
        date'2026-01-01', 22),
    (x'0000002A000001D00004', x'0000002A000001D00003', 1, "B'2", 'x', 1bd, false,
        date'2026-01-01', 23),
    (x'0000002A000001E00004', x'0000002A000001E00002', 3, "B'3", 'x', 1bd, false,
        date'2026-01-01', 24),
    (x'0000002A000001E00004', x'0000002A000001E00002', 4, "B'4", 'x', 1bd, false,
        date'2026-01-01', 25),
    (x'0000002A000001F00004', x'0000002A000001F00002', 4, "B'5", 'x', 1bd, false,
        date'2026-01-01', 26)
    as rows (lsn, seqval, code, sku, name, unit_price, is_active, introduced_on, arrival)
"""
LEVEL = "struct<branch_code:string,sku:string,quantity:string,counted_at:bigint,revision:int,"
LEVEL += "reorder_point:int,note:string>"
LEVEL_ENVELOPE = (
    f"before {LEVEL}, after {LEVEL}, source struct<ts_ms:bigint>, op string, ts_ms bigint,"
    " transaction struct<id:string>, place bigint"
)


def level(quantity: str, revision: int, counted_at: int) -> dict[str, Any]:
    return {
        "branch_code": "N",
        "sku": "a",
        "quantity": quantity,
        "revision": revision,
        "counted_at": counted_at,
    }


LEVEL_MESSAGES = [
    {"op": "c", "after": level("1", 1, 0), "place": 30},
    {
        "op": "u",
        "before": level("1", 1, 0),
        "after": level("2", 2, 1767225600000),
        "place": 31,
    },
    {"op": "u", "before": level("2", 2, 0), "after": level("many", 3, 0), "place": 32},
    {"op": "u", "before": level("2", 2, 0), "after": level("2.50000", 4, 0), "place": 33},
    {"op": "u", "before": level("2.5", 4, 0), "after": level("2.50001", 5, 0), "place": 34},
]
LOOK_ROWS = """
select
    place, branch as branch_code, 'a' as sku, quantity, null as reorder_point, null as note,
    null as counted_at, revision, revision_before, is_gone
from values
    (40, 'N', '1', 9, null, false), (41, 'N', '2', 10, 9, false), (42, 'S', '5', 10, 9, false),
    (43, 'N', '2', 10, 9, false), (44, 'N', '3', 21, 20, false), (45, 'N', '3', 22, 21, true),
    (46, 'N', '4', 23, null, false), (47, 'N', 'many', 24, 23, false)
    as rows (place, branch, quantity, revision, revision_before, is_gone)
"""
PRODUCT_LOOKS = """
select
    place, sku, null as name, null as unit_price, null as is_active, null as introduced_on,
    timestamp'2026-01-01 00:00:00' as changed_at, revision
from values (50, 'old', 1), (51, 'old', 2), (52, 'new', 1) as rows (place, sku, revision)
"""
CAMPAIGN_LOOKS = """
select
    place, 'c' as code, 'Title' as title, discount, ends_on, null as vouchers_left, is_gone,
    downloaded_to
from values
    (60, '0.5', '2026-01-01', false, 7), (61, 'much', '2026-01-02', false, 7),
    (62, '0.5', '2026-01-03', true, 7), (63, '0.5', '2026-01-01', false, 9),
    (64, '0.7', '2026-01-01', false, 9)
    as rows (place, discount, ends_on, is_gone, downloaded_to)
"""
CONTRACT = {
    "change_id": "string",
    "queue_position": "bigint",
    "node": "string",
    "transaction_id": "string",
    "transaction_change_count": "int",
    "operation": "string",
    "changed_at": "timestamp",
}
VERSIONS = {"old_version": "string", "new_version": "string"}
LINEAGES = {
    "lineage": "map<string,bigint>",
    "known_position": "bigint",
    "changed_columns": "array<string>",
    "previous_values": "map<string,string>",
    "priority": "decimal(5,2)",
}


@pytest.fixture(scope="module")
def feeds(
    scratch_copy: Callable[[], ScratchProject],
) -> dict[str, list[dict[str, Any]]]:
    """The feeds, by queue position."""
    project = scratch_copy()
    sources = project.folder / "models" / "feeds" / "_inventory__sources.yml"
    text = sources.read_text(encoding="utf-8")
    own = '  - name: initial\n    schema: "{{ target.schema }}_initial"\n'
    sources.write_text(text.replace("  - name: initial\n", own), encoding="utf-8")
    file = project.folder / "dbt_project.yml"
    settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    settings["vars"]["publications"]["inventory"]["articles"]["stock_level"].pop("initial_snapshot")
    file.write_text(yaml.safe_dump(settings), encoding="utf-8")
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
    wide = f"{project.schema}.wide_table"
    spark.sql(
        f"create table {wide} (sku string, movement_id bigint, name string, unit_price double,"
        " is_active boolean, introduced_on date, branch_code string, quantity int, reason string,"
        " moved_at timestamp, revision int)"
        " using delta tblproperties (delta.enableChangeDataFeed = true)"
    )
    spark.sql(f"insert into {wide} (sku, movement_id, revision) values ('1', 1, 1)")
    spark.sql(f"update {wide} set sku = '2', revision = 2")
    spark.sql(f"update {wide} set name = 'Two', revision = 3")
    spark.sql(f"create schema {project.schema}_initial")
    spark.sql(
        f"create table {project.schema}_initial.inventory__product using delta as"
        " select 'old' as sku, 'first' as row_version"
    )
    folder = project.folder / "models" / "tried"
    folder.mkdir()
    texts = {
        "debezium_messages": json_rows([*MESSAGES, AGAIN], ENVELOPE),
        "level_messages": json_rows(LEVEL_MESSAGES, LEVEL_ENVELOPE),
        "change_table": CHANGE_TABLE,
        "data_feed": f"select * from table_changes('{table}', 1)",
        "wide_feed": f"select * from table_changes('{wide}', 1)",
        "looks": LOOK_ROWS,
        "product_looks": PRODUCT_LOOKS,
        "campaign_looks": CAMPAIGN_LOOKS,
        **MODELS,
    }
    for name, text in texts.items():
        config = "{{ config(materialized='table') }}"
        (folder / f"{name}.sql").write_text(f"{config}\n{text}\n", encoding="utf-8")
    result = project.build.run("run", "--select", "tried")
    assert result.errors == ()
    for name in MODELS:
        types = dict(spark.table(f"{project.schema}.{name}").dtypes)
        expected = {**CONTRACT, **(LINEAGES if name == "found_merge" else VERSIONS)}
        assert {column: types.get(column) for column in expected} == expected, name
    return {
        name: [
            row.asDict()
            for row in spark.sql(
                f"select * from {project.schema}.{name} order by queue_position"
            ).collect()
        ]
        for name in MODELS
    }


def json_rows(rows: list[dict[str, Any]], columns: str) -> str:
    """Such rows as a query."""
    text = json.dumps(rows).replace("'", "\\'")
    return f"select inline(from_json('{text}', 'array<struct<{columns}>>'))"


def chain(rows: list[dict[str, Any]]) -> list[tuple[str, Any, Any]]:
    return [(row["operation"], row["old_version"], row["new_version"]) for row in rows]


@pytest.mark.spark
def test_a_row_has_the_same_versions_whatever_delivers_it(
    feeds: dict[str, list[dict[str, Any]]],
) -> None:
    bolt, nut = (row["new_version"] for row in feeds["debezium"][:2])
    assert bolt != nut
    assert chain(feeds["debezium"][:4]) == [
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
    assert [row["queue_position"] for row in feeds["debezium"]] == [10, 11, 12, 15, 16]
    assert (first["node"], first["transaction_id"]) == ("north", "570:1")
    assert (first["sku"], first["name"], str(first["unit_price"])) == ("B'1", None, "12.50")
    assert str(first["introduced_on"]) == "2026-01-01"
    assert (update["name"], str(update["unit_price"])) == ("", "-0.05")
    for rows in (feeds["debezium"][:4], feeds["sql_server"], feeds["delta"]):
        assert len({row["change_id"] for row in rows}) == len(rows)
        assert all(row["changed_at"] is not None for row in rows)
    server = feeds["sql_server"]
    assert [row["queue_position"] for row in server] == [20, 22, 23, 24, 25, 26]
    assert [row["transaction_id"] for row in server[:3]] == [
        "0000002A000001C80003",
        "0000002A000001D00004",
        "0000002A000001D00004",
    ]
    assert server[2]["sku"] == "B'2"
    delta = feeds["delta"]
    assert [row["transaction_id"] for row in delta] == ["product/1", "product/2", "product/3"]
    assert [row["transaction_change_count"] for row in delta] == [1, 1, 1]
    assert [row["queue_position"] for row in delta] == [10000001, 20000001, 30000001]


@pytest.mark.spark
def test_a_message_that_comes_again_is_the_same_change(
    feeds: dict[str, list[dict[str, Any]]],
) -> None:
    rows = feeds["debezium"]
    first, again = rows[1], rows[4]
    assert {**again, "queue_position": 11} == first


@pytest.mark.spark
def test_images_that_come_again_leave_the_changes_as_they_are(
    feeds: dict[str, list[dict[str, Any]]],
) -> None:
    for name in ("sql_server", "delta"):
        assert feeds[f"{name}_again"] == feeds[name]


@pytest.mark.spark
def test_changes_of_two_tables_in_commits_of_one_number_stay_apart(
    feeds: dict[str, list[dict[str, Any]]],
) -> None:
    products, movements = feeds["delta_product"], feeds["delta_movement"]
    commits = [
        {row["transaction_id"].rpartition("/")[2] for row in rows} for rows in (products, movements)
    ]
    assert commits[0] & commits[1]
    for column in ("change_id", "transaction_id"):
        assert {row[column] for row in products}.isdisjoint(row[column] for row in movements)


@pytest.mark.spark
def test_an_update_of_the_key_is_a_delete_and_an_insert(
    feeds: dict[str, list[dict[str, Any]]],
) -> None:
    rows = feeds["delta_product"]
    assert [(*one, row["sku"]) for one, row in zip(chain(rows), rows, strict=True)] == [
        ("insert", None, "1", "1"),
        ("delete", "1", None, "1"),
        ("insert", None, "2", "2"),
        ("update", "2", "3", "2"),
    ]
    assert [row["transaction_change_count"] for row in rows] == [1, 2, 2, 1]
    assert [one[0] for one in chain(feeds["delta_movement"])] == ["insert", "update", "update"]
    rows = feeds["sql_server"][3:]
    assert [(row["operation"], row["sku"]) for row in rows] == [
        ("delete", "B'3"),
        ("insert", "B'4"),
        # no image before it: rejected there, for want of a version
        ("update", "B'5"),
    ]
    (_, old, none), (_, missing, new), (_, absent, _) = chain(rows)
    assert None not in (old, new)
    assert old != new
    assert (none, missing, absent) == (None, None, None)


@pytest.mark.spark
def test_versions_may_be_those_of_a_column(feeds: dict[str, list[dict[str, Any]]]) -> None:
    assert chain(feeds["debezium_revision"])[:2] == [("insert", None, "1"), ("update", "1", "2")]
    assert chain(feeds["sql_server_revision"])[:2] == [
        ("insert", None, "00000014"),
        ("update", "00000015", "00000016"),
    ]


@pytest.mark.spark
def test_counts_have_the_unit_of_their_column(feeds: dict[str, list[dict[str, Any]]]) -> None:
    times = [str(row["counted_at"]) for row in feeds["debezium_revision"]]
    assert times[:2] == ["1970-01-01 00:00:00", "2026-01-01 00:00:00"]


@pytest.mark.spark
@pytest.mark.parametrize("feed", ["debezium_level", "debezium_revision"])
def test_a_value_that_does_not_fit_leaves_a_change_without_version(
    feed: str, feeds: dict[str, list[dict[str, Any]]]
) -> None:
    _, (_, _, two), word, fitting, rounded = chain(feeds[feed])
    assert None not in (two, *fitting)
    for operation, old, new in (word, rounded):
        assert operation == "update"
        assert old is not None
        assert new is None


@pytest.mark.spark
def test_rows_with_a_counter_follow_each_other(feeds: dict[str, list[dict[str, Any]]]) -> None:
    rows = feeds["found"]
    assert chain(rows) == [
        ("insert", None, "north:9"),
        ("update", "north:9", "north:10"),
        ("insert", None, "north:10"),
        # what was found again at 43 is no change
        ("update", "north:10", "north:21"),
        ("delete", "north:21", None),
        ("insert", None, "north:23"),
        ("update", "north:23", None),
    ]
    assert [row["queue_position"] for row in rows] == [40, 41, 42, 44, 45, 46, 47]
    assert len({row["change_id"] for row in rows}) == len(rows)
    assert [row["transaction_id"] for row in rows] == [None] * len(rows)


@pytest.mark.spark
def test_rows_may_say_what_they_were(feeds: dict[str, list[dict[str, Any]]]) -> None:
    assert chain(feeds["found_with_previous"])[:5] == [
        ("insert", None, "9"),
        ("update", "9", "10"),
        ("update", "9", "10"),
        ("update", "20", "21"),
        ("update", "21", "22"),
    ]


@pytest.mark.spark
def test_the_first_row_follows_the_initial_snapshot(
    feeds: dict[str, list[dict[str, Any]]],
) -> None:
    assert chain(feeds["found_after_snapshot"]) == [
        ("update", "first", "north:1"),
        ("update", "north:1", "north:2"),
        ("insert", None, "north:1"),
    ]


@pytest.mark.spark
def test_rows_under_merge_replication_say_how_far_their_node_had_read(
    feeds: dict[str, list[dict[str, Any]]],
) -> None:
    rows = feeds["found_merge"]
    assert [(row["operation"], row["known_position"]) for row in rows] == [
        ("update", 7),
        # without it the change is rejected: its discount is no number
        ("update", None),
        ("delete", 7),
        # the first one found again is no change; with another value it is a copy of it
        ("update", 9),
    ]
    assert {row["lineage"] for row in rows} == {None}
    assert len({row["change_id"] for row in rows}) == 3


WRONG = {
    "merge without a position": (
        "row_version_changes('field_sales', 'campaign', 'looks', node='n', queue_position='p',"
        " version_column='v')",
        "publication 'field_sales', article 'campaign': row_version_changes needs known_position",
    ),
    "a position without merge": (
        "row_version_changes('inventory', 'product', 'looks', node='n', queue_position='p',"
        " version_column='v', known_position='k')",
        "has a known_position, which belongs to merge replication",
    ),
    "neither node nor place": (
        "debezium_changes('inventory', 'product', 'messages')",
        "article 'product': debezium_changes needs node, queue_position, each an SQL expression",
    ),
    "no node": ("delta_changes('inventory', 'product', 'feed')", "delta_changes needs node, each"),
    "a unit of no column": (
        "delta_changes('inventory', 'product', 'looks', node='n', timestamp_unit={'at': 'nanos'})",
        "timestamp_unit names the column 'at', which the article does not have",
    ),
    "no unit": (
        "delta_changes('inventory', 'product', 'looks', node='n', timestamp_unit='days')",
        "timestamp_unit is 'days', must be one of: millis, micros, nanos",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_named(name: str, scratch_copy: Callable[[], ScratchProject]) -> None:
    call, text = WRONG[name]
    project = scratch_copy()
    (project.folder / "models" / "tried.sql").write_text(f"{{{{ {call} }}}}\n", encoding="utf-8")
    (error,) = project.build.run("parse").errors
    assert text in error
