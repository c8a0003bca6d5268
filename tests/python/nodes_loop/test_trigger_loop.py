"""Triggers of an application that write the row for which they run.

SQLite runs them before those of capture where they were made later, PostgreSQL by name. What is
captured is what the database holds in the end: all databases become equal, without conflicts.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from replication_conflicts.capture.install import pending_changes
from replication_conflicts.database.engine import dialect_of
from replication_conflicts.database.statements import run_plain
from tests.python.nodes_loop.databases import Databases, publications, sqlite_databases
from tests.python.nodes_loop.loop import Loop

Held = list[tuple[str | None, ...]]
ARTICLES: dict[str, Any] = {
    "item": {
        "columns": {"id": "int", "name": "string", "price": "int"},
        "primary_key": ["id"],
        "tracking": "column",
    }
}
BODIES = {
    "delete": "delete from item where id = new.id",
    "another key": "update item set id = new.id + 100 where id = new.id",
    "change": "update item set price = 5 where id = new.id",
    "anew": (
        "delete from item where id = new.id;"
        " insert into item (id, name, price) values (new.id, 'anew', 6)"
    ),
    "others": "update item set price = 9 where id <> new.id",
    "one more": "insert into item (id, name) select new.id + 200, 'more' where new.id < 200",
}
BEFORE: Held = [("7", "g", "1"), ("8", "h", "2")]
INSERT = ("after insert", "insert into item (id, name) values (1, 'a')")
UPDATE = ("after update of name", "update item set name = 'G' where id = 7")
NEW_KEY = ("after update of id", "update item set id = 3 where id = 7")
# a key of which a row was deleted since the last upload
OLD_KEY = (
    "after update of id",
    "delete from item where id = 8",
    "update item set id = 8 where id = 7",
)
CASES: list[tuple[tuple[str, ...], str, Held]] = [
    (INSERT, "delete", BEFORE),
    (INSERT, "another key", [*BEFORE, ("101", "a", None)]),
    (INSERT, "change", [*BEFORE, ("1", "a", "5")]),
    (INSERT, "anew", [*BEFORE, ("1", "anew", "6")]),
    (UPDATE, "delete", BEFORE[1:]),
    (UPDATE, "another key", [*BEFORE[1:], ("107", "G", "1")]),
    (UPDATE, "change", [*BEFORE[1:], ("7", "G", "5")]),
    (UPDATE, "anew", [*BEFORE[1:], ("7", "anew", "6")]),
    (NEW_KEY, "delete", BEFORE[1:]),
    (NEW_KEY, "another key", [*BEFORE[1:], ("103", "g", "1")]),
    (NEW_KEY, "change", [*BEFORE[1:], ("3", "g", "5")]),
    (NEW_KEY, "anew", [*BEFORE[1:], ("3", "anew", "6")]),
    (OLD_KEY, "delete", []),
    (OLD_KEY, "another key", [("108", "g", "1")]),
    (OLD_KEY, "change", [("8", "g", "5")]),
]


class World(Loop):
    """The publisher and a branch, which have two rows."""

    def __init__(
        self, databases: Databases, folder: Path, replication: str, constraints: str = ""
    ) -> None:
        is_merge = replication == "merge"
        priority = Decimal(75) if is_merge else None
        super().__init__(
            databases,
            folder,
            publications(ARTICLES, replication=replication),
            {"HQ": None, "north": priority},
            {"north": {"type": "server", "priority": priority} if is_merge else {}},
            constraints,
        )
        self.run("insert into item (id, name, price) values (7, 'g', 1), (8, 'h', 2)")
        self.settle()

    def run(self, *statements: str) -> None:
        for statement in statements:
            with self.engines["north"].begin() as connection:
                run_plain(connection, statement)

    def add_trigger(self, when: str, body: str, name: str = "app") -> None:
        if dialect_of(self.engines["north"]) == "sqlite":
            self.run(f"create trigger {name} {when} on item begin {body}; end")
            return
        self.run(
            f"create function app() returns trigger language plpgsql as"
            f" $$ begin {body}; return new; end $$",
            # not for what it does itself, as in SQLite
            f"create trigger {name} {when} on item for each row when (pg_trigger_depth() = 0)"
            " execute function app()",
        )

    def drop_trigger(self) -> None:
        """It would run once more for what the agent does."""
        is_sqlite = dialect_of(self.engines["north"]) == "sqlite"
        self.run("drop trigger app" if is_sqlite else "drop trigger app on item")

    def check_rows(self, expected: Held) -> None:
        """All databases hold these, and nobody was in conflict about them."""
        with self.engines["north"].begin() as connection:
            held = run_plain(connection, "select id, name, price from item").all()
        texts = [tuple(None if one is None else str(one) for one in row) for row in held]
        assert sorted(texts, key=repr) == sorted(expected, key=repr)
        self.settle()
        self.check()
        assert self.publisher.reader.conflicts == []
        assert len(self.publisher.published()["item"]) == len(held)
        with self.engines["north"].begin() as connection:
            assert not pending_changes(connection, self.publication)


@pytest.mark.parametrize("replication", ["queued", "merge"])
@pytest.mark.parametrize(("doing", "body", "expected"), CASES)
def test_a_trigger_writes_the_row_for_which_it_runs(
    databases: Databases,
    tmp_path: Path,
    replication: str,
    doing: tuple[str, ...],
    body: str,
    expected: Held,
) -> None:
    world = World(databases, tmp_path, replication)
    when, *statements = doing
    world.add_trigger(when, BODIES[body])
    world.run(*statements)
    world.drop_trigger()
    world.check_rows(expected)


@pytest.mark.parametrize(("doing", "key"), [(INSERT, "1"), (NEW_KEY, "3")])
def test_a_row_that_comes_and_is_written_before_it_is_captured_is_an_insert(
    databases: Databases, tmp_path: Path, doing: tuple[str, ...], key: str
) -> None:
    """An update would be one of a row of which nobody has heard.

    Under queued updating PostgreSQL's `install` refuses such a trigger.
    """
    world = World(databases, tmp_path, "merge")
    when, *statements = doing
    # its name comes before that of capture's
    world.add_trigger(when, BODIES["change"], name='"App"')
    world.run(*statements)
    world.upload("north")
    rows = [row.values for _, row in world.lake.rows() if str(row.values["id"]) == key]
    assert [row["operation"] for row in rows] == ["insert"]


NEW_ROW = ("insert", "insert or replace into item (id, name) values (7, 'r')")
MOVED_ROW = ("update of id", "update or replace item set id = 7 where id = 8")
OTHER_ROW = ("insert", "insert or replace into item (id, name) values (1, 'h')")
REPLACING: list[tuple[tuple[str, str], str, Held]] = [
    (NEW_ROW, "delete", BEFORE[1:]),
    (NEW_ROW, "another key", [*BEFORE[1:], ("107", "r", None)]),
    (NEW_ROW, "change", [*BEFORE[1:], ("7", "r", "5")]),
    (MOVED_ROW, "delete", []),
    (MOVED_ROW, "another key", [("107", "h", "2")]),
    (MOVED_ROW, "change", [("7", "h", "5")]),
    # its name is that of another row
    (OTHER_ROW, "delete", BEFORE[:1]),
    (OTHER_ROW, "another key", [*BEFORE[:1], ("101", "h", None)]),
    (OTHER_ROW, "change", [*BEFORE[:1], ("1", "h", "5")]),
    (OTHER_ROW, "anew", [*BEFORE[:1], ("1", "anew", "6")]),
    (OTHER_ROW, "others", [("7", "g", "9"), ("1", "h", None)]),
    (OTHER_ROW, "one more", [*BEFORE[:1], ("1", "h", None), ("201", "more", None)]),
    (MOVED_ROW, "others", [("7", "h", "2")]),
]


@pytest.mark.parametrize("replication", ["queued", "merge"])
@pytest.mark.parametrize(("doing", "body", "expected"), REPLACING)
def test_a_trigger_writes_the_row_that_has_replaced_another(
    tmp_path: Path, replication: str, doing: tuple[str, str], body: str, expected: Held
) -> None:
    world = World(sqlite_databases(tmp_path), tmp_path, replication, "unique (name)")
    event, statement = doing
    world.add_trigger(f"after {event}", BODIES[body])
    world.run(statement)
    world.drop_trigger()
    world.check_rows(expected)


# what the trigger of one row does to the next row of the same statement
NEXT = "where id = new.id + 1"
OTHERS: list[tuple[str, Held]] = [
    (f"update item set price = price + 5 {NEXT}", [("7", "x", "1"), ("8", "x", "7")]),
    (f"delete from item {NEXT}", [("7", "x", "1")]),
    (f"update item set id = id + 100 {NEXT}", [("7", "x", "1"), ("108", "x", "2")]),
    (
        f"delete from item {NEXT};"
        " insert into item (id, name, price) select 8, 'anew', 6 where new.id = 7",
        [("7", "x", "1"), ("8", "anew", "6")],
    ),
]


@pytest.mark.parametrize("replication", ["queued", "merge"])
@pytest.mark.parametrize(("body", "expected"), OTHERS)
def test_a_trigger_writes_another_row_of_its_statement(
    databases: Databases, tmp_path: Path, replication: str, body: str, expected: Held
) -> None:
    """PostgreSQL runs triggers when all rows are written, and SQLite after each row."""
    if databases.kind != "postgres":
        pytest.skip("PostgreSQL only")
    world = World(databases, tmp_path, replication)
    world.add_trigger("after update of name", body)
    world.run("update item set name = 'x'")
    world.drop_trigger()
    world.check_rows(expected)
