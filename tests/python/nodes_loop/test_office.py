"""People at a database: what they see, what they write, and what is captured of it."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Engine

from replication_conflicts.capture.install import install
from replication_conflicts.capture.upload import read, seal
from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.engine import dialect_of, open_database
from replication_conflicts.database.statements import run_plain
from replication_conflicts.demo.office import DatabaseOffice, Reader
from replication_conflicts.simulation import Change
from replication_conflicts.simulation.node import ImpossibleChange
from tests.python.nodes_loop.databases import Databases, create_tables, publications

ARTICLES: dict[str, Any] = {
    "item": {
        "columns": {
            "id": "bigint",
            "the name": "string",
            "price": "decimal(10,2)",
            "is_sold": "boolean",
            "day": "date",
            "at": "timestamp",
        },
        "primary_key": ["id"],
    },
    "note": {"columns": {"item": "bigint", "line": "int", "text": "string"},
             "primary_key": ["item", "line"]},
}  # fmt: skip
PUBLICATION = node_publication("shop", publications(ARTICLES))
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
ROW: dict[str, Any] = {
    "id": 2**53 + 1,
    "the name": "O'Brien's \\ 50%; :x",
    "price": Decimal("12.50"),
    "is_sold": True,
    "day": date(2026, 1, 2),
    "at": datetime(2026, 1, 2, 3, 4, 5, 600, tzinfo=timezone.utc),
}


@pytest.fixture
def engine(databases: Databases) -> Engine:
    opened = open_database(databases.make("north"))
    create_tables(opened, PUBLICATION, with_version=False)
    install(opened, PUBLICATION, "north")
    return opened


@pytest.fixture
def office(engine: Engine) -> DatabaseOffice:
    return DatabaseOffice(engine, "north", Reader(PUBLICATION, dialect_of(engine)))


def insert(article: str, **values: Any) -> Change:
    return Change("insert", article, values)


def test_what_is_written_is_seen_and_read_again_the_same(office: DatabaseOffice) -> None:
    office.transaction([Change("insert", "item", ROW)], NOW)
    office.transaction([Change("update", "item", {"id": ROW["id"], "price": None})], NOW)
    expected = {**ROW, "price": None}
    assert office.rows("item") == [expected]
    office.look_again()
    assert office.rows("item") == [expected]
    assert office.row("item", (ROW["id"],)) == expected
    office.transaction([Change("delete", "item", {"id": ROW["id"]})], NOW)
    assert office.rows("item") == []


def test_a_transaction_is_captured_as_one(engine: Engine, office: DatabaseOffice) -> None:
    office.transaction([insert("item", **ROW), insert("note", item=ROW["id"], line=1)], NOW)
    office.transaction([insert("note", item=ROW["id"], line=2, text="it's")], NOW)
    batch = seal(engine, PUBLICATION)
    assert batch is not None
    rows = read(engine, PUBLICATION, batch)
    transactions = [row.values["transaction_id"] for row in rows]
    assert transactions[0] == transactions[1] != transactions[2]
    assert [row.values["transaction_change_count"] for row in rows] == [2, 2, 1]
    assert {name: rows[0].values[name] for name in ROW} == ROW


def test_a_transaction_that_cannot_be_leaves_nothing(
    engine: Engine, office: DatabaseOffice
) -> None:
    missing = Change("update", "item", {"id": 17, "the name": "who?"})
    with pytest.raises(ImpossibleChange, match="changed 0 rows"):
        office.transaction([insert("note", item=1, line=1), missing], NOW)
    office.look_again()
    assert office.rows("note") == []
    assert seal(engine, PUBLICATION) is None


def test_rows_keep_their_place_and_others_rows_come_behind(
    engine: Engine, office: DatabaseOffice
) -> None:
    for line in (5, 1, 3):
        office.transaction([insert("note", item=1, line=line)], NOW)
    assert [row["line"] for row in office.rows("note")] == [5, 1, 3]
    with engine.begin() as connection:
        run_plain(connection, "insert into note (item, line) values (1, 4), (1, 2)")
        run_plain(connection, "delete from note where line = 1")
    assert [row["line"] for row in office.rows("note")] == [5, 1, 3]
    office.look_again()
    assert [row["line"] for row in office.rows("note")] == [5, 3, 2, 4]
