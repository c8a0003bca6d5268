"""What the demo prints about rows that came in. SQLite reads its queries: no Spark."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from replication_conflicts.console.options import plain_console
from replication_conflicts.database.articles import node_publication
from replication_conflicts.demo.conflict import both_sides
from replication_conflicts.demo.databases import NodeRows
from replication_conflicts.demo.decided import Decided, Outcome, read_decided
from replication_conflicts.demo.intake import Intake, read_intake
from replication_conflicts.demo.lakehouse import Lakehouse
from replication_conflicts.demo.play import Delivery, Visit
from replication_conflicts.demo.publications import publication_options
from replication_conflicts.demo.report import (
    delivery_lines,
    print_decided,
    print_intake,
    print_next,
)
from replication_conflicts.demo.state import Plan, State
from replication_conflicts.workload import Round, Settings

PROJECT = Path(__file__).parents[2]
PUBLICATIONS = [
    node_publication(name, publication_options(PROJECT)) for name in ("inventory", "field_sales")
]
TABLES = (
    "published.change_outcomes (publication, change_id, transaction_id, node, operation, outcome,"
    " conflict_id, changed_at, content_hash, replication)",
    "published.rejected_changes (publication, change_key, content_hash, reason)",
    "published.waiting_changes (publication, change_key, content_hash)",
    *(f"feeds.{one.name}_queue (entry)" for one in PUBLICATIONS),
    *(
        f"published.stg_{one.name}__{article} (publication, change_id, content_hash,"
        " queue_position)"
        for one in PUBLICATIONS
        for article in one.articles
    ),
)


class Tables(Lakehouse):
    """The relations that the numbers are read from."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.row_factory = sqlite3.Row
        for schema in ("feeds", "published"):
            connection.execute(f"attach ':memory:' as {schema}")
        for table in TABLES:
            connection.execute(f"create table {table}")

    def rows(self, query: str) -> list[Mapping[str, object]]:
        return [dict(row) for row in self._connection.execute(query)]

    def count(self, query: str) -> int:
        return int(self._connection.execute(query).fetchone()[0] or 0)

    def add(self, table: str, *values: object) -> None:
        places = ", ".join("?" for _ in values)
        self._connection.execute(f"insert into {table} values ({places})", values)

    def deliver(self, publication: str, article: str, *rows: tuple[str | None, int, int]) -> None:
        """Rows of the feed: id, content, place in the queue."""
        for change_id, content, place in rows:
            self.add(f"feeds.{publication}_queue", "change")
            staged = f"published.stg_{publication}__{article}"
            self.add(staged, publication, change_id, content, place)

    def log(
        self,
        publication: str,
        change: tuple[str, int],
        operation: str,
        outcome: str | None,
        *,
        node: str = "north",
        session: str | None = None,
        conflict: str | None = None,
    ) -> None:
        """A row of the decision log; a run's own, and a decision of a person, have no content."""
        name, content = change
        moment = "2026-01-01" if content else None
        session = session or (f"of {name}" if content else None)
        kind = "merge" if publication == "field_sales" else "queued"
        log = "published.change_outcomes"
        whose = (publication, name, session, node)
        self.add(log, *whose, operation, outcome, conflict, moment, content, kind)


@pytest.fixture
def tables() -> Iterator[Tables]:
    with closing(sqlite3.connect(":memory:")) as connection:
        found = Tables(connection)
        found.add("feeds.inventory_queue", "apply_error")
        # an id alone, one that comes twice, another content of it, and what has no id
        found.deliver("inventory", "product", ("a", 1, 1), ("b", 2, 2), ("b", 2, 2), ("b", 9, 2))
        found.deliver("inventory", "product", (None, 5, 3), (None, 5, 3), (None, 5, 4))
        found.deliver("inventory", "stock_level", ("w1", 6, 5), ("w2", 7, 6), ("w3", 8, 7))
        found.deliver("field_sales", "customer", ("a", 1, 1), ("i", 3, 2), ("i", 3, 2))
        found.log("inventory", ("a", 1), "update", "applied")
        found.log("inventory", ("b", 2), "update", "rejected")
        found.log("inventory", ("w1", 6), "insert", "applied")
        found.log("inventory", ("decision/1", 0), "update", "applied")
        found.log("field_sales", ("a", 1), "update", "won")
        found.log("field_sales", ("i", 3), "image", None)
        found.log("field_sales", ("run/1", 0), "delete", None)
        for name, content in (("w1", 6), ("w2", 7), ("w3", 8)):
            found.add("published.waiting_changes", "inventory", name, content)
        for key, content, reason in (
            ("b", 9, "duplicate_change_id"),
            ("missing:1", 5, "missing_change_id"),
            ("missing:2", 5, "missing_change_id"),
            ("w3", 8, "transaction"),
        ):
            found.add("published.rejected_changes", "inventory", key, content, reason)
        yield found


def printed(intake: Intake) -> tuple[dict[str, int], str]:
    """The numbers of the table, by their names, and all that is printed."""
    console: Console = plain_console()
    with console.capture() as output:
        print_intake(console, intake)
    lines = [line.split("│")[1:-1] for line in output.get().splitlines() if line.startswith("│")]
    return {name.rstrip()[1:]: int(number.replace(",", "")) for name, number in lines}, output.get()


def test_every_row_that_came_in_is_in_one_line(tables: Tables) -> None:
    intake = read_intake(tables, PUBLICATIONS)
    reasons = {"duplicate_change_id": 1, "missing_change_id": 2, "transaction": 1}
    assert intake == Intake(13, 3, 4, 3, 1, 1, 1, reasons)
    assert intake.missing == 0
    numbers, text = printed(intake)
    delivered = numbers.pop("feed rows delivered")
    assert numbers["  changes taken, in 3 transactions and 1 session"] == 4
    assert numbers["  rows of logical records, unchanged (image)"] == 1
    parts = {name: number for name, number in numbers.items() if not name.startswith("    ")}
    assert sum(parts.values()) == delivered == 13
    assert "add up" not in text


def test_rows_that_are_delivered_again_are_copies(tables: Tables) -> None:
    before = read_intake(tables, PUBLICATIONS)
    tables.deliver("inventory", "product", ("a", 1, 1), (None, 5, 3), ("b", 9, 2))
    after = read_intake(tables, PUBLICATIONS)
    assert after.copies == before.copies + 3
    assert after.missing == 0


def test_a_row_that_is_nowhere_is_told(tables: Tables) -> None:
    tables.deliver("field_sales", "campaign", ("lost", 4, 9))
    # no article has it
    tables.add("feeds.field_sales_queue", "change")
    intake = read_intake(tables, PUBLICATIONS)
    assert intake.missing == 2
    assert "This does not add up: 15 rows were delivered, 13 are known." in printed(intake)[1]


def decided_lines(decided: Decided, number: int) -> tuple[dict[str, list[str]], list[str]]:
    """The numbers of the table, by their names, and the lines below it."""
    console: Console = plain_console()
    with console.capture() as output:
        print_decided(console, decided, PUBLICATIONS[number])
    lines = output.get().splitlines()
    cells = [line.split("│")[1:-1] for line in lines if line.startswith("│")]
    rows = {name.strip(): [one.strip() for one in numbers] for name, *numbers in cells}
    return rows, [line for line in lines if line[:1].isalpha()][1:]


def test_outcomes_and_conflicts_of_a_publication_add_up(tables: Tables) -> None:
    for change, operation, outcome, node, conflict in (
        ("own", "update", "applied", "HQ", "1"),
        ("lost", "update", "rejected", "north", "2"),
        ("with it", "delete", "rejected", "north", None),
    ):
        tables.log(
            "inventory", (change, 7), operation, outcome, node=node, session="t", conflict=conflict
        )
    inventory = read_decided(tables, PUBLICATIONS[0])
    assert inventory == Decided(
        (Outcome("applied", 3, 1, 3), Outcome("rejected", 3, 1, 2)), 4, 1, 0, 1
    )
    assert decided_lines(inventory, 0) == (
        {
            "applied": ["3", "1", "3"],
            "rejected": ["3", "1", "2"],
            "all": ["6", "2", "4"],
        },
        [
            "Also conflicts: 1 change of HQ that applied over what HQ did not know.",
            "No conflicts: 1 delete rejected with the rest of a transaction; a delete has no data"
            " to lose.",
        ],
    )


def test_rows_that_are_replaced_with_their_record_are_conflicts(tables: Tables) -> None:
    tables.log("field_sales", ("run/2", 0), "update", None, conflict="3")
    sales = read_decided(tables, PUBLICATIONS[1])
    assert sales == Decided((Outcome("won", 1, 0, 1),), 1, 0, 1, 0)
    rows, lines = decided_lines(sales, 1)
    assert rows == {
        "won": ["1", "-", "1"],
        "(replaced rows)": ["-", "1", "-"],
        "all": ["1", "1", "1"],
    }
    assert lines == ["Also conflicts: 1 row of logical records that lost as a whole."]


class Lost(Lakehouse):
    """Two conflicts of shelves, by the number of their row; the later one has a strange key."""

    def __init__(self) -> None:
        self._skus = {"1": 'Q"0070', "2": "BX-0011"}

    def rows(self, query: str) -> list[Mapping[str, object]]:
        if "conflicts_info" not in query:
            return [dict(shelf(self._skus[query[-2]], "lost"))]
        return [
            {
                "conflict_id": name,
                "article": "stock_level",
                "row_key": f"west|{sku}",
                "conflict_kind": "update_update",
                "reason_text": "",
                "loser_node": "west",
            }
            for name, sku in self._skus.items()
        ]


def shelf(sku: str, note: str) -> dict[str, str | None]:
    """A row of a shelf."""
    names = PUBLICATIONS[0].article("stock_level").kinds
    return {**dict.fromkeys(names), "branch_code": "west", "sku": sku, "note": note}


class West:
    """The nodes of the inventory, as far as they are asked about a conflict."""

    publication = PUBLICATIONS[0]

    def has_record(self, node: str, conflict_id: str) -> bool:
        return node == "west"


def test_the_conflict_that_is_shown_has_a_plain_key() -> None:
    skus = ('Q"0070', "BX-0011")
    rows: NodeRows = {"stock_level": {("west", sku): shelf(sku, "now") for sku in skus}}
    site: Any = West()
    found = both_sides(Lost(), site, {"west": rows, "HQ": rows}, rows)
    assert found is not None
    assert (found.conflict_id, found.is_at_loser) == ("2", True)
    assert {one.name: one.lost for one in found.columns}["sku"] == "BX-0011"


def test_the_databases_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    state = State(tmp_path / "demo")
    for name in ("inventory/HQ", "inventory/west", "field_sales/HQ"):
        file = state.databases / f"{name}.db"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    console: Console = plain_console()
    with console.capture() as output:
        print_next(console, state, Plan("publisher_wins", Settings()), False)
    assert (
        "The databases stay in demo/databases/\n"
        "  field_sales/{HQ}.db\n"
        "  inventory/{HQ,west}.db\n"
        "To look into one: sqlite3 demo/databases/inventory/west.db"
        " 'select * from replication_conflict limit 3'\n"
    ) in output.get()


def test_lines_of_a_delivery_say_what_they_count() -> None:
    visits = (
        Visit("inventory", Round(1, ("north",), 1500), 1315, ("west",), ()),
        Visit("field_sales", Round(1, ("lyon",), 150), 400, (), ("tablet",)),
    )
    assert delivery_lines(Delivery(1, visits, 59.6), 2) == [
        "Delivery 1 of 2: dbt build 60 s",
        "  inventory: people made 1,500 transactions; 1,315 rows reached the feed",
        "    offline: west",
        "  field_sales: people made 150 transactions; 400 rows reached the feed",
        "    reinitialized: tablet",
        "  What nodes have not uploaded yet comes with a later delivery.",
    ]
    # everybody uploads all it has
    assert "later" not in delivery_lines(Delivery(2, visits, 1), 2)[-1]
    closing = Visit("inventory", Round(3, ("north",), 0, is_closing=True), 12, (), ())
    assert delivery_lines(Delivery(3, (closing,), 5), 2) == [
        "Last uploads: dbt build 5 s",
        "  inventory: 12 rows reached the feed",
    ]
