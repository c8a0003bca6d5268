"""Triggers that an application has of its own, at tables that are captured."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from replication_conflicts.capture.install import ExistingRows, install, remove
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.upload import upload
from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.engine import dialect_of, open_database
from replication_conflicts.database.statements import run_plain
from replication_conflicts.publication.feed import FeedRow
from tests.python.nodes_loop.databases import (
    VERSION,
    Databases,
    create_tables,
    publications,
    sqlite_databases,
)
from tests.python.nodes_loop.subscriber import Subscriber, command
from tests.python.repository import REPOSITORY

ARTICLES: dict[str, Any] = {
    "item": {"columns": {"id": "int", "name": "string", "price": "int"}, "primary_key": ["id"]},
    "entry": {"columns": {"number": "int", "what": "string"}, "primary_key": ["number"]},
}
WRITES_ENTRY = "insert into entry (number, what) select count(*) + 1, 'item ' || new.id from entry"


class Shop:
    """A database whose application has triggers."""

    def __init__(self, databases: Databases, replication: str) -> None:
        self.publication = node_publication("shop", publications(ARTICLES, replication=replication))
        self.engine = open_database(databases.make("north"))
        create_tables(self.engine, self.publication, with_version=False)
        self.rows: list[FeedRow] = []

    def add_trigger(self, when: str, body: str = WRITES_ENTRY, name: str = "noted") -> None:
        """`when` and the table; the body is one statement."""
        if dialect_of(self.engine) == "sqlite":
            self.run(f"create trigger {name} {when} on item begin {body}; end")
            return
        self.run(
            f"create function {name}() returns trigger language plpgsql as"
            f" $$ begin {body}; return new; end $$",
            f"create trigger {name} {when} on item for each row execute function {name}()",
        )

    def run(self, *statements: str) -> None:
        with self.engine.begin() as connection:
            for statement in statements:
                run_plain(connection, statement)

    def values(self, query: str) -> list[Any]:
        with self.engine.begin() as connection:
            return [tuple(row) for row in run_plain(connection, query)]

    def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
        self.rows += rows

    def upload(self) -> list[tuple[Any, ...]]:
        """What went to the feed, by article."""
        self.rows = []
        upload(self.engine, self.publication, self)
        return sorted(
            (row.article, row.values["operation"], row.values.get("id", row.values.get("number")))
            for row in self.rows
        )


@pytest.fixture(params=["queued", "merge"])
def shop(databases: Databases, request: pytest.FixtureRequest) -> Iterator[Shop]:
    shop = Shop(databases, request.param)
    yield shop
    shop.engine.dispose()


def _event(shop: Shop) -> str:
    """An update, as each database lets a trigger of it be."""
    return "update of name, price" if dialect_of(shop.engine) == "sqlite" else "update"


def test_a_trigger_runs_once_and_what_it_writes_is_captured(shop: Shop) -> None:
    shop.add_trigger(f"after {_event(shop)}")
    install(shop.engine, shop.publication, "north")
    shop.run("insert into item (id, name) values (1, 'a')")
    assert shop.values("select * from entry") == []
    shop.run("update item set name = 'b'")
    assert shop.values("select number, what from entry") == [(1, "item 1")]
    found = shop.upload()
    assert ("entry", "insert", 1) in found
    assert {article for article, _, _ in found} == {"entry", "item"}


def test_a_trigger_may_change_the_row_itself(shop: Shop) -> None:
    body = "update item set price = coalesce(new.price, 0) + 1 where id = new.id"
    shop.add_trigger("after insert", body)
    shop.add_trigger("after update of name", body, "noted_too")
    install(shop.engine, shop.publication, "north")
    shop.run("insert into item (id, name) values (1, 'a')")
    shop.upload()
    assert shop.rows[0].values["operation"] == "insert"
    assert shop.rows[-1].values["price"] == 1
    shop.run("update item set name = 'b'")
    shop.upload()
    assert shop.rows[-1].values["price"] == 2
    (held,) = shop.values(f"select {VERSION} from item")[0]
    assert held == _version(shop.rows[-1])


def test_keys_that_move_up_keep_their_versions(shop: Shop) -> None:
    install(shop.engine, shop.publication, "north")
    # PostgreSQL takes the rows in this order, and SQLite one statement a row
    shop.run("insert into item (id, name) values (3, 'c'), (2, 'b'), (1, 'a')")
    shop.upload()
    where = (
        [""] if dialect_of(shop.engine) == "postgres" else [f" where id = {n}" for n in (3, 2, 1)]
    )
    shop.run(*(f"update item set id = id + 1{one}" for one in where))
    shop.upload()
    held = dict(shop.values(f"select id, {VERSION} from item"))
    sent = {
        row.values["id"]: _version(row) for row in shop.rows if row.values["operation"] != "delete"
    }
    assert held == sent


@pytest.mark.parametrize("name", ["noted", "_replication_zz"])
def test_no_trigger_runs_for_rows_that_were_there(shop: Shop, name: str) -> None:
    shop.run(f"alter table item add column {VERSION} text")
    shop.run("insert into item (id, name) values (1, 'a')")
    shop.add_trigger(f"after {_event(shop)}", name=name)
    install(shop.engine, shop.publication, "north", ExistingRows.INSERT)
    assert shop.upload() == [("item", "insert", 1)]
    remove(shop.engine, shop.publication)
    assert shop.values("select * from entry") == []
    shop.run("update item set name = 'b'")
    assert len(shop.values("select * from entry")) == 1


@pytest.mark.parametrize("shop", ["merge"], indirect=True)
@pytest.mark.parametrize("is_older", [True, False])
def test_what_a_row_was_is_what_it_was_before_its_statement(shop: Shop, is_older: bool) -> None:
    body = "update item set name = 'x' where id >= new.id"
    if is_older:
        shop.add_trigger("after update of price", body)
    install(shop.engine, shop.publication, "north")
    if not is_older:
        shop.add_trigger("after update of price", body)
    shop.run("insert into item (id, name, price) values (1, 'a', 1), (2, 'b', 2)")
    shop.upload()
    shop.run("update item set price = price + 10")
    shop.upload()
    before = {row.values["id"]: row.values["previous_values"] for row in shop.rows}
    assert before == {1: {"name": "a", "price": "1"}, 2: {"name": "b", "price": "2"}}


def _version(row: FeedRow) -> Any:
    if "lineage" not in row.values:
        return row.values["new_version"]
    lineage: Any = row.values["lineage"]
    return f"north:{lineage['north']}"


class TestPostgreSQL:
    """Triggers go by their names there."""

    def test_a_trigger_that_runs_before_the_queue_is_refused(self, shop: Shop) -> None:
        if dialect_of(shop.engine) != "postgres":
            pytest.skip("PostgreSQL only")
        shop.add_trigger("after insert or update", "perform 1", name='"Audit"')
        shop.add_trigger("before update", "perform 1", name='"Before"')
        shop.add_trigger("after update", "perform 1", name="audit")
        if shop.publication.is_merge:
            install(shop.engine, shop.publication, "north")
            return
        with pytest.raises(CaptureProblem, match=r"'item' has a trigger 'Audit'.*small letter"):
            install(shop.engine, shop.publication, "north")
        shop.run('alter trigger "Audit" on item rename to audit_too')
        install(shop.engine, shop.publication, "north")


class TestSQLite:
    """The row gets its version by an update of its own there, which calls other triggers, too."""

    @pytest.fixture(params=["queued", "merge"])
    def shop(self, tmp_path: Any, request: pytest.FixtureRequest) -> Shop:
        return Shop(sqlite_databases(tmp_path), request.param)

    @pytest.mark.parametrize("when", ["after update", "before update", "update", "AFTER\nUPDATE"])
    def test_a_trigger_of_every_update_is_refused(self, shop: Shop, when: str) -> None:
        shop.add_trigger(f"/* of every update */ {when}", name='"of update"')
        with pytest.raises(CaptureProblem, match=r"'item'.*'of update'.*`update of`"):
            install(shop.engine, shop.publication, "north")
        shop.run('drop trigger "of update"')
        install(shop.engine, shop.publication, "north")

    @pytest.mark.parametrize("when", ["after insert", "before delete", "after update of name"])
    def test_other_triggers_are_not(self, shop: Shop, when: str) -> None:
        shop.add_trigger(when, "insert into entry (number) values (1)", '[update "it"]')
        install(shop.engine, shop.publication, "north")


def test_a_trigger_may_ask_who_is_at_work(databases: Databases) -> None:
    """What the agent brings must stay as it is; docs/nodes.md has the conditions."""
    documented = (REPOSITORY / "docs/nodes.md").read_text(encoding="utf-8")
    name = {"sqlite": "SQLite", "postgres": "PostgreSQL"}[databases.kind]
    asks = re.findall(rf"^\| {name} \| `(when .*)` \|$", documented, re.MULTILINE)
    touch = "update item set name = name || '!' where id = new.id"
    sql = (
        f"create trigger touch after insert on item {asks[0]} begin {touch}; end"
        if databases.kind == "sqlite"
        else "create function touch() returns trigger language plpgsql as"
        " $$begin new.name := new.name || '!'; return new; end$$;"
        f" create trigger touch before insert on item for each row {asks[0]}"
        " execute function touch()"
    )
    articles = {"item": {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]}}
    subscriber = Subscriber(databases, articles, replication="queued", sql=sql)
    subscriber.give(command(1, "insert", {"id": "1"}, {"name": "bolt"}, None, "v1"))
    subscriber.run()
    subscriber.execute("insert into item (id, name) values (2, 'nut')")
    assert subscriber.values("select name from item order by id") == ["bolt", "nut!"]
