"""Capture of queued updating: what people do by SQL, as rows of the feed."""

from __future__ import annotations

import itertools
import sqlite3
import time
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import Engine, event, inspect
from sqlalchemy.exc import DBAPIError

from replication_conflicts.capture.install import ExistingRows, install, remove
from replication_conflicts.capture.ports import FeedBatch
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.triggers import trigger_names
from replication_conflicts.capture.upload import (
    Batch,
    SealedBatch,
    Uploaded,
    read,
    seal,
    upload,
    upload_together,
)
from replication_conflicts.database.articles import NodePublication, node_publication
from replication_conflicts.database.engine import agent_transaction, dialect_of, open_database
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.values import ValueProblem
from tests.python.nodes_loop.databases import (
    VERSION,
    Databases,
    all_rows,
    create_tables,
    publications,
    sqlite_databases,
)

ARTICLES: dict[str, Any] = {
    "item": {"columns": {"id": "int", "name": "string", "code": "int"}, "primary_key": ["id"]},
    "line": {
        "columns": {"item": "int", "number": "int", "price": "decimal(10,2)"},
        "primary_key": ["item", "number"],
        "foreign_keys": [{"columns": ["item"], "references": "item", "to": ["id"]}],
    },
}
PUBLICATION = node_publication("shop", publications(ARTICLES))
Change = tuple[str, str, dict[str, Any]]


class Feed:
    """A sink that keeps what it is given, batch by batch."""

    def __init__(self) -> None:
        self.batches: dict[tuple[str, int], list[FeedRow]] = {}

    def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
        self.batches.setdefault((node, batch), list(rows))

    @property
    def rows(self) -> list[FeedRow]:
        return [row for batch in self.batches.values() for row in batch]


class Subscriber:
    """A database whose tables are captured."""

    def __init__(
        self,
        databases: Databases,
        before: Sequence[str] = (),
        database: str = "north",
        **options: Any,
    ) -> None:
        self.engine: Engine = open_database(databases.make(database))
        create_tables(self.engine, PUBLICATION, with_version=False)
        self.run(*before)
        install(self.engine, PUBLICATION, "north", **options)
        self.feed = Feed()

    def run(self, *statements: str) -> None:
        """Statements of one transaction, which an application names as such in SQLite."""
        with self.engine.begin() as connection:
            is_named = dialect_of(self.engine) == "sqlite" and len(statements) > 1
            if is_named and inspect(connection).has_table("replication_transaction"):
                run_plain(connection, "insert into replication_transaction default values")
            for statement in statements:
                run_plain(connection, statement)
            if is_named and inspect(connection).has_table("replication_transaction"):
                run_plain(connection, "delete from replication_transaction")
        # SQLite's clock tells one statement from the next one by milliseconds
        time.sleep(0.002)

    def upload(self) -> list[FeedRow]:
        before = len(self.feed.rows)
        upload(self.engine, PUBLICATION, self.feed)
        return self.feed.rows[before:]


@pytest.fixture
def north(databases: Databases) -> Subscriber:
    return Subscriber(databases)


def changes(rows: Sequence[FeedRow]) -> list[Change]:
    """Operation, article and own columns."""
    return [
        (
            str(row.values["operation"]),
            row.article,
            {
                name: row.values[name]
                for name in PUBLICATION.article(row.article).kinds
                if name in row.values
            },
        )
        for row in rows
    ]


def versions(rows: Sequence[FeedRow]) -> list[tuple[Any, Any]]:
    return [(row.values["old_version"], row.values["new_version"]) for row in rows]


def transactions(rows: Sequence[FeedRow]) -> list[list[str]]:
    """Operations by transaction; each says how many there are."""
    found: dict[Any, list[str]] = {}
    for row in rows:
        found.setdefault(row.values["transaction_id"], []).append(str(row.values["operation"]))
    for row in rows:
        assert row.values["transaction_change_count"] == len(found[row.values["transaction_id"]])
    return list(found.values())


def test_changes_carry_the_versions_before_and_after(north: Subscriber) -> None:
    north.run("insert into item (id, name) values (1, 'bolt')")
    north.run("update item set name = 'nut' where id = 1")
    north.run("update item set name = 'nut' where id = 1")
    held = all_rows(north.engine, PUBLICATION)["item"]["1",][VERSION]
    north.run("delete from item")
    rows = north.upload()
    assert changes(rows) == [
        ("insert", "item", {"id": 1, "name": "bolt", "code": None}),
        ("update", "item", {"id": 1, "name": "nut", "code": None}),
        ("update", "item", {"id": 1, "name": "nut", "code": None}),
        ("delete", "item", {"id": 1}),
    ]
    (none, first), (old, second), (older, third), (oldest, gone) = versions(rows)
    assert (none, gone) == (None, None)
    assert (first, second, third) == (old, older, oldest)
    assert third == held
    assert len({first, second, third}) == 3
    assert len({row.values["change_id"] for row in rows}) == 4
    assert len(transactions(rows)) == 4
    assert north.upload() == []


def test_a_statement_is_a_transaction_and_so_is_what_an_application_says(
    north: Subscriber,
) -> None:
    north.run("insert into item (id, name) values (1, 'a'), (2, 'b'), (3, 'c')")
    north.run(
        "update item set name = 'x'",
        "insert into line (item, number, price) values (1, 1, 1.5)",
        "delete from item where id = 3",
    )
    rows = north.upload()
    assert transactions(rows) == [["insert"] * 3, ["update"] * 3 + ["insert", "delete"]]
    assert str(changes(rows)[6][2]["price"]) == "1.50"


def test_a_rolled_back_transaction_leaves_nothing(north: Subscriber) -> None:
    with pytest.raises(DBAPIError):
        north.run("insert into item (id) values (1)", "insert into item (id) values (1)")
    assert north.upload() == []


def test_another_key_is_a_delete_and_an_insert(north: Subscriber) -> None:
    north.run("insert into item (id, name) values (1, 'a'), (2, 'b')")
    north.upload()
    north.run("update item set id = id + 10")
    rows = north.upload()
    assert changes(rows) == [
        ("delete", "item", {"id": 1}),
        ("insert", "item", {"id": 11, "name": "a", "code": None}),
        ("delete", "item", {"id": 2}),
        ("insert", "item", {"id": 12, "name": "b", "code": None}),
    ]
    assert transactions(rows) == [["delete", "insert", "delete", "insert"]]
    assert [new for _, new in versions(rows)][1::2] == [
        row[VERSION] for row in all_rows(north.engine, PUBLICATION)["item"].values()
    ]


def test_an_upsert_is_an_update_where_the_row_is_there(north: Subscriber) -> None:
    statement = (
        "insert into item (id, name) values (1, '{}')"
        " on conflict (id) do update set name = excluded.name"
    )
    north.run(statement.format("a"))
    north.run(statement.format("b"))
    north.run("insert into item (id, name) values (1, 'never') on conflict do nothing")
    rows = north.upload()
    assert [operation for operation, *_ in changes(rows)] == ["insert", "update"]
    assert versions(rows)[0][1] == versions(rows)[1][0]


def test_a_batch_that_was_sealed_stays_as_it_was(north: Subscriber) -> None:
    north.run("insert into item (id, name) values (1, 'a')")
    first = seal(north.engine, PUBLICATION)
    assert first is not None
    once = read(north.engine, PUBLICATION, first)
    north.run("insert into item (id, name) values (2, 'b')")
    assert seal(north.engine, PUBLICATION) == first
    assert read(north.engine, PUBLICATION, first) == once
    assert len(north.upload()) == 2
    assert list(north.feed.batches) == [("north", first.number), ("north", first.number + 1)]


def test_batches_hold_whole_transactions(north: Subscriber) -> None:
    for start in range(0, 50, 5):
        north.run(*(f"insert into item (id) values ({start + i})" for i in range(5)))
    uploaded = upload(north.engine, PUBLICATION, north.feed, most=8)
    assert uploaded.changes == 50
    assert [len(rows) for rows in north.feed.batches.values()] == [10] * 5
    assert transactions(north.feed.rows) == [["insert"] * 5] * 10


@pytest.mark.parametrize("replication", ["queued", "merge"])
@pytest.mark.parametrize("most", [2, 100])
@pytest.mark.parametrize("was_on_its_way", [False, True])
def test_an_upload_ends_while_people_work(
    databases: Databases, replication: str, most: int, was_on_its_way: bool
) -> None:
    """It takes what was committed when it began; more comes than it takes away."""
    publication = node_publication("shop", publications(ARTICLES, replication=replication))
    engine = open_database(databases.make("north"))
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    keys = itertools.count(1)

    def work() -> None:
        with engine.begin() as connection:
            run_plain(connection, f"insert into item (id, name) values ({next(keys)}, 'a')")

    class Busy(Feed):
        """People are faster than it."""

        def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
            assert len(self.batches) < 10, "it never ends"
            super().deliver(node, batch, rows)
            for _ in range(3):
                work()

    for number in range(6):
        if number == 1 and was_on_its_way:
            assert seal(engine, publication, most) is not None
        work()
    feed = Busy()
    done = upload(engine, publication, feed, most)
    assert {row.values["id"] for row in feed.rows} >= {1, 2, 3, 4, 5, 6}
    if replication == "merge" or most == 100:
        assert done.batches == 1 + was_on_its_way
    else:
        # three changes have come with the batch that was on its way
        assert done.batches <= (1 + 4 if was_on_its_way else 3)


@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_an_upload_looks_at_the_triggers_last(databases: Databases, replication: str) -> None:
    """Also where more waits: what is not captured any more is in no later upload."""
    publication = node_publication("shop", publications(ARTICLES, replication=replication))
    engine = open_database(databases.make("north"))
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")

    def run(*statements: str) -> None:
        with engine.begin() as connection:
            for statement in statements:
                run_plain(connection, statement)

    class Remade(Feed):
        def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
            super().deliver(node, batch, rows)
            is_sqlite = databases.kind == "sqlite"
            held = "" if is_sqlite else " on item"
            (name, *_) = sorted(
                trigger_names(databases.kind, "item", is_merge=replication == "merge")
            )
            run("insert into item (id, name) values (2, 'b')", f"drop trigger {name}{held}")

    run("insert into item (id, name) values (1, 'a')")
    feed = Remade()
    with pytest.raises(CaptureProblem, match="is not captured any more"):
        upload(engine, publication, feed)
    assert [row.values["id"] for row in feed.rows] == [1]


def test_the_tables_are_as_before_when_capture_is_removed(databases: Databases) -> None:
    engine = open_database(databases.make("south"))
    create_tables(engine, PUBLICATION, with_version=False)
    before = _schema(engine)
    install(engine, PUBLICATION, "south")
    with engine.begin() as connection:
        run_plain(connection, "insert into item (id, name) values (1, 'a')")
    with pytest.raises(CaptureProblem, match="not uploaded yet: 1 change"):
        remove(engine, PUBLICATION)
    assert remove(engine, PUBLICATION, is_discarding=True) == 1
    after = _schema(engine)
    assert {name: after[name] for name in before} == before
    with engine.begin() as connection:
        run_plain(connection, "update item set name = 'b'")
        run_plain(connection, "insert into item (id) values (2)")
        run_plain(connection, "delete from item")
    with pytest.raises(CaptureProblem, match="not captured here"):
        remove(engine, PUBLICATION)


@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_a_trial_changes_nothing(databases: Databases, replication: str) -> None:
    publication = node_publication("shop", publications(ARTICLES, replication=replication))
    engine = open_database(databases.make("south"))
    create_tables(engine, publication, with_version=False)
    with engine.begin() as connection:
        run_plain(connection, "insert into item (id, name) values (1, 'a')")
    before = _schema(engine)
    insert = ExistingRows.INSERT
    assert install(engine, publication, "south", insert, is_trial=True).inserted_rows == 1
    assert _schema(engine) == before
    install(engine, publication, "south", insert)
    captured = _schema(engine)
    assert remove(engine, publication, is_discarding=True, is_trial=True) == 1
    assert _schema(engine) == captured
    assert upload(engine, publication, Feed()).changes == 1


def test_an_upload_tells_how_far_it_is(north: Subscriber) -> None:
    north.run("insert into item (id) values (1)")
    north.run("insert into item (id) values (2)")
    told: list[tuple[int, int]] = []
    upload(
        north.engine,
        PUBLICATION,
        north.feed,
        1,
        lambda done: told.append((done.changes, done.batches)),
    )
    assert told == [(1, 1), (2, 2)]


def _schema(engine: Engine) -> dict[str, list[str]]:
    inspector = inspect(engine)
    return {
        name: [f"{column['name']} {column['type']}" for column in inspector.get_columns(name)]
        for name in inspector.get_table_names()
    }


def test_rows_that_are_there_become_inserts_only_when_that_is_said(databases: Databases) -> None:
    before = ("insert into item (id, name) values (1, 'a'), (2, 'b')",)
    with pytest.raises(CaptureProblem, match="2 rows without a version"):
        Subscriber(databases, before)
    north = Subscriber(databases, before, "again", existing=ExistingRows.INSERT)
    rows = north.upload()
    assert [operation for operation, *_ in changes(rows)] == ["insert", "insert"]
    assert transactions(rows) == [["insert"], ["insert"]]
    held = all_rows(north.engine, PUBLICATION)["item"]
    assert [row.values["new_version"] for row in rows] == [row[VERSION] for row in held.values()]
    assert len({row[VERSION] for row in held.values()}) == 2


def test_what_cannot_be_captured_is_said(databases: Databases) -> None:
    engine = open_database(databases.make("north"))
    with pytest.raises(CaptureProblem, match="no table 'item'"):
        install(engine, PUBLICATION, "north")
    with engine.begin() as connection:
        run_plain(connection, "create table item (id integer, name text, code integer)")
    with pytest.raises(CaptureProblem, match="nothing makes its key"):
        install(engine, PUBLICATION, "north")
    assert inspect(engine).get_table_names() == ["item"]


def test_what_is_pending_is_dropped_with_the_rows_that_it_was_made_on(north: Subscriber) -> None:
    north.run("insert into item (id, name) values (1, 'a')")
    on_its_way = seal(north.engine, PUBLICATION)
    assert on_its_way is not None
    north.run("insert into item (id, name) values (2, 'b')")
    state = capture_state(north.engine, "north", Tables(PUBLICATION, dialect_of(north.engine)))
    with agent_transaction(north.engine) as connection:
        state.started_over(connection)
    with pytest.raises(CaptureProblem, match="dropped meanwhile"):
        read(north.engine, PUBLICATION, on_its_way)
    north.run("insert into item (id, name) values (3, 'c')")
    assert [row.values["id"] for row in north.upload()] == [3]
    (used,) = north.feed.batches
    assert used == ("north", on_its_way.number + 1), "a number that may be taken is not used"


@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_another_upload_may_take_the_batch(
    databases: Databases, monkeypatch: pytest.MonkeyPatch, replication: str
) -> None:
    publication = node_publication("shop", publications(ARTICLES, replication=replication))
    engine = open_database(databases.make("north"))
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    feed, others = Feed(), Feed()

    def work(key: int) -> None:
        with engine.begin() as connection:
            run_plain(connection, f"insert into item (id, name) values ({key}, 'a')")

    def late(engine: Engine, publication: NodePublication, batch: Batch) -> list[FeedRow]:
        monkeypatch.undo()
        other = open_database(engine.url.render_as_string(hide_password=False))
        assert upload(other, publication, others).changes == 1
        work(2)
        return read(engine, publication, batch)

    work(1)
    monkeypatch.setattr("replication_conflicts.capture.upload.read", late)
    assert upload(engine, publication, feed).changes == 1
    assert [row.values["id"] for row in others.rows] == [1]
    assert [row.values["id"] for row in feed.rows] == [2]


def test_batches_that_go_together_may_be_there(north: Subscriber, databases: Databases) -> None:
    south = Subscriber(databases, database="south")
    sealed = []
    for one in (north, south):
        one.run("insert into item (id, name) values (1, 'a')")
        batch = seal(one.engine, PUBLICATION)
        assert batch is not None
        sealed.append(SealedBatch(one.engine, batch))
    north.upload()
    together: list[FeedBatch] = []

    class Shared:
        def deliver_together(self, batches: Sequence[FeedBatch]) -> None:
            together.extend(batches)

    assert upload_together(PUBLICATION, Shared(), sealed) == Uploaded(changes=1, batches=1)
    assert [one.number for one in together] == [sealed[1].batch.number]
    assert north.upload() == south.upload() == []


def test_changes_that_are_missing_are_said(north: Subscriber) -> None:
    north.run("insert into item (id, name) values (1, 'a')")
    assert seal(north.engine, PUBLICATION) is not None
    north.run("delete from replication_queue")
    with pytest.raises(CaptureProblem, match="of north are missing in replication_queue"):
        north.upload()


def test_a_database_is_one_node(north: Subscriber) -> None:
    with pytest.raises(CaptureProblem, match="captured here already"):
        install(north.engine, PUBLICATION, "south")
    with pytest.raises(CaptureProblem, match="is the node 'north'"):
        capture_state(north.engine, "south", Tables(PUBLICATION, dialect_of(north.engine)))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "infinity"),
        ("date", "0044-03-15 BC"),
        ("timestamp", "-infinity"),
        ("timestamp_ntz", "10000-01-01"),
        ("decimal(10,2)", "NaN"),
        ("tinyint", "300"),
        ("tinyint", "-129"),
        ("varchar(3)", "four"),
        ("char(3)", "four"),
    ],
)
@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_what_only_postgresql_holds_is_refused(
    databases: Databases, kind: str, value: str, replication: str
) -> None:
    if databases.kind != "postgres":
        pytest.skip("PostgreSQL only")
    other, usual = {
        "timestamp_ntz": ("timestamp", "2024-02-29"),
        "decimal(10,2)": ("decimal", "1.50"),
        "tinyint": ("smallint", "-128"),
        "varchar(3)": ("text", "日本😀"),
        "char(3)": ("text", "abc"),
    }.get(kind, (kind, "2024-02-29"))
    articles = {"one": {"columns": {"id": "int", "value": kind}, "primary_key": ["id"]}}
    one = OneColumn(
        databases.make("one"),
        node_publication("shop", publications(articles, replication=replication)),
        f"create table one (id int primary key, value {other})",
    )
    bad = r"cannot be captured|is out of range"
    with pytest.raises(DBAPIError, match=bad):
        one.run(f"insert into one values (1, '{value}')")
    one.run("insert into one values (2, null)")
    one.run(f"insert into one values (3, '{usual}')")
    with pytest.raises(DBAPIError, match=bad):
        one.run(f"update one set value = '{value}' where id = 3")
    feed = Feed()
    assert upload(one.engine, one.publication, feed).changes == 2
    remove(one.engine, one.publication)
    one.run(f"update one set value = '{value}' where id = 3")
    with pytest.raises(CaptureProblem, match=bad):
        install(one.engine, one.publication, "north", ExistingRows.INSERT)


class OneColumn:
    """A database with one table and the publication of it."""

    def __init__(self, url: str, publication: NodePublication, table: str) -> None:
        self.engine = open_database(url)
        self.publication = publication
        self.run(table)
        install(self.engine, publication, "north")

    def run(self, *statements: str) -> None:
        with self.engine.begin() as connection:
            for statement in statements:
                run_plain(connection, statement)


def _one_column(
    folder: Any, kind: str, column: str, key: str = "integer", replication: str = "queued"
) -> OneColumn:
    kinds = {"id": "string" if key == "text" else "int", "value": kind}
    articles = {"one": {"columns": kinds, "primary_key": ["id"]}}
    return OneColumn(
        sqlite_databases(folder).make("one"),
        node_publication("shop", publications(articles, replication=replication)),
        f"create table one (id {key} primary key, value {column})",
    )


_NUMBERED = "id integer primary key, code int unique, name text"
_OWN = "code int primary key, name text, own text unique"
_GENERATED = "code int primary key, name text, own text, small text unique as (lower(own))"
_MADE_OF_TWO = (
    "code int primary key, name text, own text,"
    " both text unique as (case when own > '' then iif(name = 'b', 'ax1', name || own) end)"
)
_DEFAULT = "code int primary key, name text, own text not null default 'x1' unique"
# a row 1 goes because of a column that is not in the article, or of the number of the row
BESIDE_THE_ARTICLE = [
    (_NUMBERED, "insert or replace into item (id, code) values (1, 3)", [3]),
    (_NUMBERED, "update or replace item set id = 1 where code = 2", []),
    (_NUMBERED, "update or replace item set oid = 1 where code = 2", []),
    (_OWN, "insert or replace into item (code, own) values (3, 'x1')", [3]),
    (_OWN, "update or replace item set own = 'x1' where code = 2", []),
    (_GENERATED, "update or replace item set own = 'X1' where code = 2", []),
    (_DEFAULT, "insert or replace into item (code, own) values (3, null)", [3]),
    (_DEFAULT, "update or replace item set own = null where code = 2", []),
    (_MADE_OF_TWO, "update or replace item set own = 'x1' where code = 2", []),
    (_MADE_OF_TWO, "update or replace item set name = 'b' where code = 2", []),
    (_OWN, "insert or replace into item (rowid, code) values (1, 3)", [3]),
    (_OWN, "update or replace item set rowid = 1 where code = 2", []),
    ("code integer primary key, name text", "update item set rowid = 3 where code = 1", [3]),
]


class TestSQLite:
    """What only SQLite does."""

    @pytest.fixture
    def north(self, tmp_path: Any) -> Subscriber:
        north = Subscriber(sqlite_databases(tmp_path))
        north.run("create unique index item_code on item (code)")
        remove(north.engine, PUBLICATION)
        install(north.engine, PUBLICATION, "north")
        return north

    @pytest.mark.parametrize("recursive", ["on", "off"])
    def test_what_a_replace_deletes_is_a_delete(self, north: Subscriber, recursive: str) -> None:
        north.run("insert into item values (1, 'a', 10, null), (2, 'b', 20, null)")
        first = versions(north.upload())
        with north.engine.connect() as connection:
            connection.exec_driver_sql("commit")
            run_plain(connection, f"pragma recursive_triggers = {recursive}")
            run_plain(
                connection, "insert or replace into item (id, name, code) values (1, 'c', 20)"
            )
        rows = north.upload()
        gone = sorted(changes(rows)[:2], key=str)
        assert gone == [("delete", "item", {"id": 1}), ("delete", "item", {"id": 2})]
        assert changes(rows)[2:] == [("insert", "item", {"id": 1, "name": "c", "code": 20})]
        assert {old for old, _ in versions(rows)[:2]} == {new for _, new in first}
        north.run("insert or ignore into item (id, name, code) values (1, 'd', 30)")
        north.run("update or replace item set code = 20 where id = 1")
        north.run("insert into item (id, code) values (3, 30)")
        north.run("update or replace item set code = 30 where id = 1")
        assert [(operation, row["id"]) for operation, _, row in changes(north.upload())] == [
            ("update", 1),
            ("insert", 3),
            ("delete", 3),
            ("update", 1),
        ]

    @pytest.mark.parametrize(
        "index",
        [
            "(name collate nocase)",
            "(name collate nocase) where name <> '' -- of those that have one",
            "(name collate nocase) where item.name <> ''",
            "(small)",
        ],
    )
    @pytest.mark.parametrize("replication", ["queued", "merge"])
    def test_what_a_replace_deletes_because_of_any_index_is_a_delete(
        self, tmp_path: Any, replication: str, index: str
    ) -> None:
        publication = node_publication("shop", publications(ARTICLES, replication=replication))
        engine = open_database(sqlite_databases(tmp_path).make("south"))
        create_tables(engine, publication, with_version=False)

        def run(statement: str) -> None:
            with engine.begin() as connection:
                run_plain(connection, statement)

        def sent() -> list[tuple[object, object]]:
            feed = Feed()
            upload(engine, publication, feed)
            found = [(one.values["operation"], one.values["id"]) for one in feed.rows]
            return sorted(found, key=str)

        # a generated column says what an expression would
        small = "case when name <> '' then lower(name) end"
        run(f"alter table item add column small text generated always as ({small})")
        run(f"create unique index item_name on item {index}")
        install(engine, publication, "north")
        run("insert into item (id, name) values (1, 'A'), (2, 'b'), (3, 'c')")
        assert sent() == [("insert", 1), ("insert", 2), ("insert", 3)]
        run("insert or replace into item (id, name) values (4, 'a')")
        assert sent() == [("delete", 1), ("insert", 4)]
        run("update or replace item set name = 'C' where id = 2")
        assert sent() == [("delete", 3), ("update", 2)]
        if "where" not in index:
            return
        # rows that the index has not are in no other one's way
        run("insert or replace into item (id, name) values (5, ''), (6, '')")
        assert sent() == [("insert", 5), ("insert", 6)]
        run("update or replace item set name = '' where id = 4")
        assert sent() == [("update", 4)]
        assert len(all_rows(engine, publication)["item"]) == 4

    def test_a_partial_index_may_not_have_the_row_that_is_written(self, north: Subscriber) -> None:
        remove(north.engine, PUBLICATION)
        north.run("create unique index item_name on item (name) where code > 0")
        install(north.engine, PUBLICATION, "north")
        north.run("insert into item (id, name, code) values (1, 'a', 1)")
        north.upload()
        north.run("insert or replace into item (id, name, code) values (2, 'a', 0)")
        assert changes(north.upload()) == [("insert", "item", {"id": 2, "name": "a", "code": 0})]
        north.run("update or replace item set code = 2 where id = 2")
        assert [(operation, row["id"]) for operation, _, row in changes(north.upload())] == [
            ("delete", 1),
            ("update", 2),
        ]

    def test_a_unique_index_over_an_expression_is_refused(self, north: Subscriber) -> None:
        remove(north.engine, PUBLICATION)
        north.run("create unique index item_name on item (code, lower(name))")
        with pytest.raises(CaptureProblem, match="unique index 'item_name' over an expression"):
            install(north.engine, PUBLICATION, "north")
        north.run("drop index item_name", "create index item_name on item (lower(name))")
        install(north.engine, PUBLICATION, "north")

    @pytest.mark.parametrize("replication", ["queued", "merge"])
    def test_an_index_may_have_the_number_of_the_row_and_other_columns(
        self, tmp_path: Any, replication: str
    ) -> None:
        item = {"columns": {"code": "int", "name": "string"}, "primary_key": ["code"]}
        options = publications({"item": item}, replication=replication)
        publication = node_publication("shop", options)
        engine = open_database(sqlite_databases(tmp_path).make("south"))
        with engine.begin() as connection:
            for statement in (
                "create table item (id integer primary key, code int unique, name text, own text)",
                "create unique index item_own on item (own)",
                "create unique index item_id on item (id, name)",
            ):
                run_plain(connection, statement)
        install(engine, publication, "north")
        for statement in (
            "insert into item values (1, 10, 'a', 'x', null)",
            "insert or replace into item values (2, 20, 'a', 'x', null)",
        ):
            with engine.begin() as connection:
                run_plain(connection, statement)
        feed = Feed()
        upload(engine, publication, feed)
        found = sorted((str(one.values["operation"]), one.values["code"]) for one in feed.rows)
        is_merge = replication == "merge"
        gone = [] if is_merge else [("delete", 10), ("insert", 10)]
        assert found == [*gone, ("insert", 20)]

    @pytest.mark.parametrize("replication", ["queued", "merge"])
    @pytest.mark.parametrize(("columns", "statement", "added"), BESIDE_THE_ARTICLE)
    def test_what_a_replace_deletes_by_what_is_not_in_the_article_is_a_delete(
        self, tmp_path: Any, replication: str, columns: str, statement: str, added: list[int]
    ) -> None:
        item = {"columns": {"code": "int", "name": "string"}, "primary_key": ["code"]}
        options = publications({"item": item}, replication=replication)
        publication = node_publication("shop", options)
        engine = open_database(sqlite_databases(tmp_path).make("south"))
        feed = Feed()
        with engine.begin() as connection:
            run_plain(connection, f"create table item ({columns})")
            for code in (1, 2):
                row = {"code": f"{code}", "name": "'a'"}
                if "own" in columns:
                    row["own"] = f"'x{code}'"
                names, values = ", ".join(row), ", ".join(row.values())
                run_plain(connection, f"insert into item ({names}) values ({values})")
        install(engine, publication, "north", ExistingRows.INSERT)
        upload(engine, publication, feed)
        feed.batches.clear()
        with engine.begin() as connection:
            run_plain(connection, statement)
        upload(engine, publication, feed)
        found = sorted((str(one.values["operation"]), one.values["code"]) for one in feed.rows)
        others = [one for one in found if one != ("update", 2)]
        assert others == [("delete", 1), *(("insert", code) for code in added)]

    @pytest.mark.parametrize("replication", ["queued", "merge"])
    @pytest.mark.parametrize(
        "condition", ["own = 1", 'item."own" = 1 -- it counts', "[own] + 0 = 1", "made = 2"]
    )
    def test_a_column_of_a_condition_puts_a_row_into_the_way_of_another(
        self, tmp_path: Any, replication: str, condition: str
    ) -> None:
        """Though all columns of the index are the article's; no other column is in a trigger."""
        item = {"columns": {"id": "int", "code": "int"}, "primary_key": ["id"]}
        options = publications({"item": item}, replication=replication)
        publication = node_publication("shop", options)
        engine = open_database(sqlite_databases(tmp_path).make("south"))

        def run(*statements: str) -> None:
            with engine.begin() as connection:
                for statement in statements:
                    run_plain(connection, statement)

        run(
            "create table item (id integer primary key, code int, own int, spare int,"
            " made generated always as (own + 1))",
            f"create unique index codes on item (code) where {condition}",
        )
        install(engine, publication, "north")
        run("insert into item (id, code, own) values (1, 5, 1), (2, 5, 0)")
        feed = Feed()
        upload(engine, publication, feed)
        run("update or replace item set own = 1 where id = 2")
        upload(engine, publication, feed)
        found = [(one.values["operation"], one.values["id"]) for one in feed.rows]
        assert found == [("insert", 1), ("insert", 2), ("delete", 1)]
        if "made" not in condition:
            run("alter table item drop column spare")
        assert upload(engine, publication, feed) == Uploaded()

    @pytest.mark.parametrize("event", ["insert", "update of name, code"])
    @pytest.mark.parametrize("is_older", [True, False])
    def test_what_other_triggers_do_to_the_row_is_in_the_feed(
        self, north: Subscriber, event: str, is_older: bool
    ) -> None:
        if is_older:
            remove(north.engine, PUBLICATION)
        north.run(
            f"create trigger counted after {event} on item begin"
            " update item set code = coalesce(new.code, 0) + 1 where id = new.id; end"
        )
        if is_older:
            install(north.engine, PUBLICATION, "north")
        north.run("insert into item (id, name) values (1, 'a')")
        north.run("update item set name = 'b' where id = 1")
        rows = north.upload()
        assert rows[0].values["operation"] == "insert"
        (held,) = all_rows(north.engine, PUBLICATION)["item"].values()
        assert str(rows[-1].values["code"]) == held["code"]
        assert rows[-1].values["new_version"] == held[VERSION]
        pairs = versions(rows)
        assert [new for _, new in pairs[:-1]] == [old for old, _ in pairs[1:]]

    @pytest.mark.parametrize(
        "statement",
        [
            "insert into item (id, code) values (1, 'x')",
            "insert into item (id, code) values (1, 2147483648)",
            "insert into item (id, name) values (1, 'a' || char(0) || 'b')",
            "insert into item (id, name) values (1, x'00')",
            "insert into line (item, number, price) values (1, 1, 99999999.999)",
            "insert into line (item, number, price) values (1, 1, 'much')",
        ],
    )
    def test_what_the_article_cannot_hold_is_refused(
        self, north: Subscriber, statement: str
    ) -> None:
        with pytest.raises(DBAPIError, match="replication: "):
            north.run(statement)

    @pytest.mark.parametrize(
        ("kind", "column", "value"),
        [
            ("string", "text", "cast(x'61c3' as text)"),
            ("string", "text", "cast(x'e9a97a' as text)"),
            ("string", "text", "cast(x'eda080' as text)"),
            ("varchar(9)", "text", "cast(x'ff' as text)"),
            ("timestamp", "text", "'2024-02-30 10:00:00'"),
            ("timestamp", "text", "'2024-02-28 24:00:00'"),
            ("timestamp", "text", "'2024-02-28 10:00:00z'"),
            ("timestamp", "text", "'2024-02-28 10:00:00.1234567890'"),
            ("timestamp", "text", "'2024-02-28TT10:00:00'"),
            ("timestamp", "text", "'0001-01-01 00:00:00+10:00'"),
            ("timestamp_ntz", "text", "'9999-12-31 23:59:59-05:00'"),
            ("timestamp", "text", "'0000-12-31 10:00:00'"),
            ("timestamp", "text", "'9999-12-31 23:59:59.9-00:01'"),
            ("timestamp", "text", "'2024-02-28 10:00:00.'"),
            ("timestamp", "text", "'2024-02-28 10:00:00.5.5'"),
            ("timestamp", "text", "'2024-02-28 10:00.5'"),
            ("date", "text", "'0000-01-01'"),
            ("date", "text", "'2024-02-30'"),
            ("decimal(10,2)", "text", "'1.239'"),
            ("decimal(10,2)", "text", "'123456789.1'"),
            ("decimal(10,2)", "numeric", "9e999"),
            ("decimal(10,2)", "numeric", "1.234"),
            ("decimal(10,2)", "numeric", "-12345678.901"),
            ("float", "real", "1e39"),
            ("boolean", "numeric", "1.5"),
        ],
    )
    def test_no_value_that_an_upload_cannot_carry_is_taken(
        self, tmp_path: Any, kind: str, column: str, value: str
    ) -> None:
        north = _one_column(tmp_path, kind, column)
        with pytest.raises(DBAPIError, match="replication: "):
            north.run(f"insert into one values (1, {value}, null)")

    @pytest.mark.parametrize(
        ("kind", "column", "value", "arrives"),
        [
            ("string", "text", "'é日本😀 ' || char(10, 65533)", "é日本😀 \n\ufffd"),
            ("timestamp", "text", "'2024-02-29T23:59:59.123456789Z'", "2024-02-29 23:59:59.123456"),
            ("timestamp", "text", "'2024-02-29 01:00+02:00'", "2024-02-28 23:00:00"),
            ("timestamp", "text", "'2024-02-29'", "2024-02-29 00:00:00"),
            ("timestamp", "text", "'0001-01-01 00:00:00'", "0001-01-01 00:00:00"),
            ("timestamp", "text", "'9999-12-31 23:59:59.999999'", "9999-12-31 23:59:59.999999"),
            ("timestamp", "text", "'9999-12-31T23:59:59.9999Z'", "9999-12-31 23:59:59.9999"),
            ("date", "text", "'9999-12-31'", "9999-12-31"),
            ("decimal(10,2)", "text", "'-12345678.9000'", "-12345678.90"),
            ("decimal(38,18)", "text", f"'{'9' * 20}.9'", f"{'9' * 20}.9{'0' * 17}"),
            ("decimal(38,18)", "numeric", "12345678901", f"12345678901.{'0' * 18}"),
            ("decimal(10,2)", "numeric", "0.1 + 0.2", "0.30"),
            ("decimal(10,2)", "numeric", "12345678.9 * 3 - 24691357.8", "12345678.90"),
            ("decimal(12,3)", "real", "1e6 / 7 * 7 + 0.125", "1000000.125"),
            ("float", "real", "3.4028235e38", "3.4028235E38"),
            ("float", "real", "-9e999", "-Infinity"),
            ("double", "real", "1.7976931348623157e308", "1.7976931348623157E308"),
            ("boolean", "boolean", "true", "true"),
        ],
    )
    def test_what_is_taken_arrives(
        self, tmp_path: Any, kind: str, column: str, value: str, arrives: str
    ) -> None:
        north = _one_column(tmp_path, kind, column)
        north.run(f"insert into one values (1, {value}, null)", "insert into one (id) values (2)")
        feed = Feed()
        upload(north.engine, north.publication, feed)
        found = [row.values["value"] for row in feed.rows]
        to_text = north.publication.article("one").kinds["value"].to_text
        assert [to_text(one) for one in found] == [arrives, None]  # type: ignore[arg-type]

    @pytest.mark.parametrize("replication", ["queued", "merge"])
    def test_a_row_without_a_key_is_refused(self, tmp_path: Any, replication: str) -> None:
        north = _one_column(tmp_path, "string", "text", key="text", replication=replication)
        with pytest.raises(DBAPIError, match=r"replication: one\.id holds string only"):
            north.run("insert into one (value) values ('lamp')")
        north.run("insert into one (id) values ('A-1')")
        with pytest.raises(DBAPIError, match=r"replication: one\.id holds string only"):
            north.run("update one set id = null")

    def test_a_change_that_cannot_go_is_named(self, north: Subscriber) -> None:
        """What a trigger of an earlier version let through."""
        north.run("insert into item (id, name) values (17, 'a')")
        north.run("""update replication_queue set row_image = '{"id": "17", "code": "1.5"}'""")
        with pytest.raises(ValueProblem, match=r"change 1 .*'id': '17'.*column 'code'"):
            north.upload()

    @pytest.mark.parametrize(
        ("image", "said"),
        [
            ("null", "the JSON object must be str"),
            ("'{\"id\": '", "is no JSON"),
            ("'[1]'", "is no JSON object of columns"),
            ('\'{"id": "17", "weight": "1"}\'', "of the row .* has no column weight"),
            ("'{\"id\": 17}'", "of the row .* 17 is no SQL literal in a text"),
        ],
    )
    def test_a_change_that_was_corrected_wrongly_is_named(
        self, north: Subscriber, image: str, said: str
    ) -> None:
        """And nothing is lost by that: it goes when it is right."""
        north.run("insert into item (id, name) values (17, 'a')")
        north.run(f"update replication_queue set row_image = {image}")
        with pytest.raises(ValueProblem, match=f"change 1 of replication_queue.*{said}"):
            north.upload()
        north.run("""update replication_queue set row_image = '{"id": "17", "name": "''a''"}'""")
        assert [one[2]["name"] for one in changes(north.upload())] == ["a"]

    def test_an_open_transaction_that_was_forgotten_ends_with_the_upload(
        self, north: Subscriber
    ) -> None:
        north.run("insert into replication_transaction default values")
        north.run("insert into item (id) values (1)")
        north.run("insert into item (id) values (2)")
        assert transactions(north.upload()) == [["insert", "insert"]]
        north.run("insert into item (id) values (3)")
        north.run("insert into item (id) values (4)")
        assert transactions(north.upload()) == [["insert"], ["insert"]]

    def test_an_application_needs_nothing_of_ours(self, north: Subscriber) -> None:
        file = north.engine.url.database
        assert file is not None
        with sqlite3.connect(file) as connection:
            connection.execute("insert into item (name) values ('no key given')")
        assert changes(north.upload()) == [
            ("insert", "item", {"id": 1, "name": "no key given", "code": None})
        ]


def test_a_clock_that_is_set_back_joins_no_transactions(tmp_path: Any) -> None:
    """What came between them would be taken before what it was made on."""
    north = Subscriber(sqlite_databases(tmp_path))
    moment = [""]

    @event.listens_for(north.engine, "connect")
    def _connected(connection: sqlite3.Connection, _: object) -> None:
        connection.create_function("strftime", -1, lambda *_: moment[0])

    north.engine.dispose()
    for second, statement in (
        (5, "insert into item (id, name) values (1, 'bolt'), (2, 'nut')"),
        (6, "update item set name = 'Bolt' where id = 1"),
        (5, "update item set name = 'Nut' where id = 2"),
    ):
        moment[0] = f"2026-01-01 10:00:0{second}.000"
        north.run(statement)
    rows = north.upload()
    assert transactions(rows) == [["insert", "insert"], ["update"], ["update"]]
    assert [row.values["id"] for row in rows] == [1, 2, 1, 2]


def test_a_number_of_a_transaction_that_is_given_again_joins_no_changes(
    databases: Databases,
) -> None:
    if databases.kind != "postgres":
        pytest.skip("PostgreSQL only")
    north = Subscriber(databases)
    north.run("insert into item (id, name) values (1, 'bolt')")
    with north.engine.begin() as connection:
        # as if the change before had come with a backup, from a server that has counted as far
        run_plain(
            connection,
            "update replication_queue set transaction_key ="
            " txid_current() || substr(transaction_key, strpos(transaction_key, '/'))",
        )
        run_plain(connection, "insert into item (id, name) values (2, 'nut')")
    assert transactions(north.upload()) == [["insert"], ["insert"]]
