"""What `capture install` takes, what it notes, and how `capture remove` undoes it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Engine, inspect, select

from replication_conflicts.capture import tables
from replication_conflicts.capture.affinity import affinity
from replication_conflicts.capture.install import (
    ExistingRows,
    install,
    pending_changes,
    remove,
)
from replication_conflicts.capture.installation import check_articles
from replication_conflicts.capture.ports import BatchMismatch, FeedBatch
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import check_is_not_set_back, upload
from replication_conflicts.database import agent_tables
from replication_conflicts.database.articles import NodePublication, node_publication
from replication_conflicts.database.engine import DatabaseProblem, dialect_of, open_database
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.distribution.agent import Agent, Ports
from replication_conflicts.distribution.apply import AgentProblem, Node
from replication_conflicts.lakehouse.feed import LakehouseFeed, check_numbers
from replication_conflicts.lakehouse.queue_table import QueueTable, batch_digest
from replication_conflicts.lakehouse.relations import Relations
from replication_conflicts.publication.commands import NOT_APPLIED, AgentCommand
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.rows import SnapshotRow
from tests.python.nodes_loop.databases import Databases, create_tables, publications
from tests.python.nodes_loop.standins import Lists

ITEM: dict[str, Any] = {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]}
LABEL: dict[str, Any] = {"columns": {"code": "int", "size": "int"}, "primary_key": ["code"]}
VERSION = "4b8f3d0e-0c1f-4ecb-9f70-0d6c4f6a5a01"


def shop(replication: str = "queued", **articles: dict[str, Any]) -> NodePublication:
    return node_publication(
        "shop", publications(articles or {"item": ITEM}, replication=replication)
    )


class ListedQueue(QueueTable):
    """The queue as a list of its records."""

    def __init__(self, publication: NodePublication) -> None:
        super().__init__(None, Relations(), publication)  # type: ignore[arg-type]
        self.records: list[dict[str, Any]] = []

    def has_batch(self, node: str, first: int) -> bool:
        return any(one["node"] == node and one["batch"] >= first for one in self.records)

    def digests(self, batches: Any) -> dict[tuple[str, int], str]:
        found: dict[tuple[str, int], list[str]] = {}
        for one in self.records:
            if any(one["node"] == b.node and one["batch"] >= b.number - 1 for b in batches):
                found.setdefault((one["node"], one["batch"]), []).append(one["change_id"])
        return {batch: batch_digest(ids) for batch, ids in found.items()}

    def last_numbers(self, nodes: Any) -> dict[str, int]:
        found: dict[str, int] = {}
        for one in self.records:
            if one["node"] in nodes:
                number = one["lineage"][one["node"]]
                found[one["node"]] = max(number, found.get(one["node"], 0))
        return found

    def append(self, entry: str, records: Any) -> None:
        self.records += records


class Feed(LakehouseFeed):
    """The lakehouse's feed, of which only the table is a list."""

    def __init__(self, publication: NodePublication) -> None:
        super().__init__(None, Relations(), publication)  # type: ignore[arg-type]
        queue = ListedQueue(publication)
        self.queue = queue
        self.records = queue.records

    def prepare(self) -> None:
        """Nothing is there to be made."""

    def _check_subscriptions(self, nodes: set[str]) -> None:
        """No build has said who has one."""


@pytest.fixture
def engine(databases: Databases) -> Engine:
    return open_database(databases.make("north"))


def run(engine: Engine, *statements: str) -> None:
    with engine.begin() as connection:
        for statement in statements:
            run_plain(connection, statement)


def agent(engine: Engine, publication: NodePublication, lists: Lists) -> Agent:
    rows = Tables(publication, dialect_of(engine))
    node = Node(publication, "north", rows, capture_state(engine, "north", rows))
    found = Agent(engine, node, Ports(lists, lists, lists))
    found.prepare()
    return found


@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_a_node_starts_anew_after_remove(engine: Engine, replication: str) -> None:
    publication, feed = shop(replication), Feed(shop(replication))
    create_tables(engine, publication, with_version=False)
    version = VERSION if replication == "queued" else "HQ:1"
    initial = SnapshotRow("item", {"id": "7", "name": "first"}, version, {"HQ": 1})
    install(engine, publication, "north")
    agent(engine, publication, Lists(initial=[initial])).initialize()
    run(engine, "insert into item (id, name) values (1, 'mine')")
    upload(engine, publication, feed)
    remove(engine, publication)
    # batches take longer than a millisecond
    time.sleep(0.002)
    install(engine, publication, "north", ExistingRows.SNAPSHOT)
    with engine.begin() as connection:
        assert connection.execute(select(tables.nodes.c.existing_rows)).scalar() == "snapshot"
        assert not agent_tables.is_known(connection, "shop", "north")
    lists = Lists(initial=[initial], last_numbers={"north": 1})
    agent(engine, publication, lists).initialize()
    run(engine, "insert into item (id, name) values (2, 'again')")
    upload(engine, publication, feed)
    assert [one["row"]["id"] for one in feed.records] == ["1", "2"]


def test_articles_may_be_named_like_what_stands_beside_others(engine: Engine) -> None:
    publication = shop("merge", item=ITEM, item_number=LABEL, item_uploaded=LABEL, number_item=ITEM)
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    run(engine, "insert into item (id) values (1)", "insert into item_number (code) values (1)")
    feed = Feed(publication)
    assert upload(engine, publication, feed).changes == 2


@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_a_table_takes_part_in_one_publication(engine: Engine, replication: str) -> None:
    first = shop(replication, item=ITEM)
    options = publications({"label": LABEL, "item": ITEM}, replication=replication)["shop"]
    second = node_publication("market", {"market": options})
    create_tables(engine, second, with_version=False)
    install(engine, first, "north")
    with pytest.raises(
        CaptureProblem, match=r"'item' is captured for publication 'shop' already; .* one$"
    ):
        install(engine, second, "north")
    remove(engine, first)
    install(engine, second, "north")


def test_what_goes_again_waits_for_its_upload(engine: Engine) -> None:
    publication = shop("merge")
    feed = Feed(publication)
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    run(engine, "insert into item (id, name) values (1, 'a'), (2, 'b')")
    upload(engine, publication, feed)
    cause = feed.records[0]["change_id"]
    again = AgentCommand("c", NOT_APPLIED, 1, article="item", key={"id": "1"}, cause=cause)
    lists = Lists([again])
    agent(engine, publication, lists).run()
    with pytest.raises(CaptureProblem, match="not uploaded yet: 1 change"):
        remove(engine, publication)
    run(engine, "delete from replication_position")
    with pytest.raises(AgentProblem, match=r"wait for their upload \(item 1\)"):
        agent(engine, publication, lists).initialize()
    assert upload(engine, publication, feed).changes == 1
    assert remove(engine, publication) == 0


def test_versions_that_are_counted_anew_are_noticed(engine: Engine) -> None:
    publication = shop("merge")
    feed = Feed(publication)
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    run(engine, "insert into item (id, name) values (1, 'a'), (2, 'b')")
    upload(engine, publication, feed)
    # what goes again has its number of then, and something of this installation before it
    cause = feed.records[0]["change_id"]
    again = AgentCommand("c", NOT_APPLIED, 1, article="item", key={"id": "1"}, cause=cause)
    agent(engine, publication, Lists([again])).run()
    upload(engine, publication, feed)
    assert [one["lineage"] for one in feed.records] == [{"north": n} for n in (1, 2, 1)]
    remove(engine, publication)
    time.sleep(0.002)
    install(engine, publication, "north", ExistingRows.INSERT)
    with pytest.raises(BatchMismatch, match=r"counts the versions of north anew: .* north:1,"):
        upload(engine, publication, feed)
    assert len(feed.records) == 3


def test_images_have_earlier_numbers() -> None:
    """Rows as the node has them, from before it has started anew."""
    rows = [
        FeedRow("item", {"operation": operation, "lineage": {"north": number, "HQ": 1}})
        for operation, number in (("update", 6), ("image", 3))
    ]
    check_numbers(FeedBatch("north", 7, rows), 5)
    with pytest.raises(BatchMismatch, match=r"a change of item is north:6, .* up to north:6"):
        check_numbers(FeedBatch("north", 7, rows), 6)


def test_two_databases_of_one_node_are_noticed(databases: Databases) -> None:
    publication = shop()
    feed = Feed(publication)
    first, second = (open_database(databases.make(name)) for name in ("first", "second"))
    for one in (first, second):
        create_tables(one, publication, with_version=False)
        install(one, publication, "north")
        time.sleep(0.002)
    run(second, "insert into item (id, name) values (1, 'a')")
    run(first, "insert into item (id, name) values (1, 'b')")
    upload(second, publication, feed)
    with pytest.raises(BatchMismatch, match="set back, or two databases"):
        upload(first, publication, feed)
    run(second, "insert into item (id, name) values (2, 'c')")
    upload(second, publication, feed)
    assert [one["row"]["name"] for one in feed.records] == ["a", "c"]


def test_a_backup_in_which_nothing_waits_is_noticed(databases: Databases) -> None:
    """What the node sent since then is in no command for it."""
    publication = shop()
    feed = Feed(publication)
    engine = open_database(databases.make("north"))
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    check_is_not_set_back(engine, publication, feed)
    run(engine, "insert into item (id, name) values (1, 'a')")
    upload(engine, publication, feed)
    check_is_not_set_back(engine, publication, feed)
    run(engine, "update replication_node set next_batch = next_batch - 1")
    with pytest.raises(BatchMismatch, match="set back"):
        check_is_not_set_back(engine, publication, feed)
    # a batch that is on its way may be there already
    run(engine, "update replication_node set batch_size = 1")
    check_is_not_set_back(engine, publication, feed)


def test_another_upload_is_no_backup(databases: Databases) -> None:
    """It seals and delivers while the feed is asked."""
    publication = shop()
    engine = open_database(databases.make("north"))
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")

    class Asked(Feed):
        def has_batch(self, node: str, first: int) -> bool:
            run(engine, "insert into item (id, name) values (1, 'a')")
            upload(engine, publication, self)
            return super().has_batch(node, first)

    feed = Asked(publication)
    check_is_not_set_back(engine, publication, feed)
    assert len(feed.records) == 1


def test_a_batch_that_is_there_stays_also_behind_later_ones() -> None:
    feed = Feed(shop())
    row = {"node": "north", "operation": "delete", "changed_at": datetime(2026, 1, 1), "id": 1}
    batches = [
        FeedBatch("north", number, [FeedRow("item", {**row, "change_id": f"c{number}"})])
        for number in (5, 6)
    ]
    for one in (*batches, batches[0]):
        feed.deliver_together([one])
    assert [one["batch"] for one in feed.records] == [5, 6]


# --- a publication that is another one than at the installation


OTHERS: dict[str, dict[str, dict[str, Any]]] = {
    "column added": {"item": {**ITEM, "columns": {**ITEM["columns"], "size": "int"}}},
    "column removed": {"item": {**ITEM, "columns": {"id": "int"}}},
    "type": {"item": {**ITEM, "columns": {"id": "int", "name": "varchar(9)"}}},
    "key": {"item": {**ITEM, "primary_key": ["id", "name"]}},
    "version column": {"item": {**ITEM, "version_column": "its_version"}},
    "article added": {"item": ITEM, "label": LABEL},
    "article removed": {"label": LABEL},
}


@pytest.mark.parametrize("replication", ["queued", "merge"])
@pytest.mark.parametrize("what", OTHERS)
def test_another_publication_than_the_installed_one_is_said(
    engine: Engine, replication: str, what: str
) -> None:
    installed, other = shop(replication), shop(replication, **OTHERS[what])
    create_tables(engine, shop(item=ITEM, label=LABEL), with_version=False)
    install(engine, installed, "north")
    run(engine, "insert into item (id, name) values (1, 'a')")
    with pytest.raises(CaptureProblem, match=r"installed (for other|without) columns"):
        upload(engine, other, Feed(other))
    with engine.begin() as connection:
        check_articles(connection, installed)
        with pytest.raises(CaptureProblem, match=r"installed (for other|without) columns"):
            check_articles(connection, other)
        assert pending_changes(connection, other) == {"item": 1}
    assert upload(engine, installed, Feed(installed)).changes == 1
    assert remove(engine, other) == 0
    run(engine, "insert into item (id, name) values (2, 'b')", "delete from item")
    create_tables(engine, shop(replication, more=ITEM), with_version=False)
    install(engine, shop(replication, more=ITEM), "north")


def test_another_kind_of_replication_is_said(engine: Engine) -> None:
    create_tables(engine, shop(), with_version=False)
    install(engine, shop("merge"), "north")
    run(engine, "insert into item (id, name) values (1, 'a')")
    with pytest.raises(CaptureProblem, match="installed for other columns"):
        upload(engine, shop(), Feed(shop()))
    assert remove(engine, shop(), is_discarding=True) == 1
    install(engine, shop(), "north", ExistingRows.INSERT)


# --- columns that are not what they should be


@pytest.mark.parametrize("column", ["row_version integer", "row_version text"])
def test_a_column_of_the_application_is_left_alone(engine: Engine, column: str) -> None:
    table = f"create table item (id integer primary key, name text, {column})"
    run(engine, table, "insert into item values (1, 'a', '17')")
    with pytest.raises(CaptureProblem, match="option version_column"):
        install(engine, shop(), "north", ExistingRows.INSERT)
    own = shop(item={**ITEM, "version_column": "its_version"})
    install(engine, own, "north", ExistingRows.INSERT)
    run(engine, "update item set name = 'b'")
    remove(engine, own, is_discarding=True)
    with engine.begin() as connection:
        assert [str(one) for one in run_plain(connection, "select * from item").one()] == [
            "1",
            "b",
            "17",
        ]


def test_an_empty_column_of_another_type_is_not_taken(engine: Engine) -> None:
    run(engine, "create table item (id integer primary key, name text, row_version integer)")
    with pytest.raises(CaptureProblem, match="option version_column"):
        install(engine, shop(), "north")


def test_the_agents_own_versions_are_taken(engine: Engine) -> None:
    publication = shop()
    create_tables(engine, publication, with_version=True)
    initial = SnapshotRow("item", {"id": "7", "name": "first"}, VERSION, {})
    agent(engine, publication, Lists(initial=[initial])).initialize()
    install(engine, publication, "north")
    run(engine, "update item set name = 'mine'")
    feed = Feed(publication)
    upload(engine, publication, feed)
    assert [one["old_version"] for one in feed.records] == [VERSION]
    remove(engine, publication)
    # nobody keeps the versions up: the rows count as such that have none
    with pytest.raises(CaptureProblem, match="1 row without a version"):
        install(engine, publication, "north")
    install(engine, publication, "north", ExistingRows.SNAPSHOT)


@pytest.mark.parametrize("name", ["replication_node", "replication_queue", "replication_event"])
def test_a_table_of_somebody_else_is_left_alone(engine: Engine, name: str) -> None:
    """Of the name that one of capture's or of the agent's has: it was dropped in the end."""
    publication = shop()
    create_tables(engine, publication, with_version=False)
    run(engine, f"create table {name} (id integer)", f"insert into {name} values (1)")
    said = f"there is a table '{name}' without the columns .*somebody else's"
    with pytest.raises(DatabaseProblem, match=said):
        install(engine, publication, "north")
    if name == "replication_event":
        with pytest.raises(DatabaseProblem, match=said):
            agent_tables.create_tables(engine)
    run(engine, f"alter table {name} rename to events_of_the_shop")
    install(engine, publication, "north")
    remove(engine, publication)
    with engine.begin() as connection:
        held = run_plain(connection, "select count(*) from events_of_the_shop").scalar()
    assert held == 1


def test_a_priority_is_of_a_server_subscription(engine: Engine) -> None:
    create_tables(engine, shop(), with_version=False)
    with pytest.raises(CaptureProblem, match="only publications of merge replication"):
        install(engine, shop(), "north", priority=Decimal(5))
    with pytest.raises(CaptureProblem, match="'HQ' is the publisher"):
        install(engine, shop("merge"), "HQ", priority=Decimal(5))
    install(engine, shop("merge"), "north", priority=Decimal(5))


@pytest.mark.parametrize("replication", ["queued", "merge"])
@pytest.mark.parametrize("name", ["new", "OLD"])
def test_a_table_named_like_a_row_of_a_trigger_is_captured_or_refused(
    engine: Engine, name: str, replication: str
) -> None:
    publication = shop(replication, **{name: ITEM})
    create_tables(engine, publication, with_version=False)
    if dialect_of(engine) == "sqlite":
        with pytest.raises(CaptureProblem, match=f"table '{name}'.*another name"):
            install(engine, publication, "north")
        return
    install(engine, publication, "north")
    feed = Feed(publication)
    for statement in (
        f"insert into \"{name}\" (id, name) values (1, 'a'), (2, 'b')",
        f"update \"{name}\" set name = 'c' where id = 2",
        f'delete from "{name}" where id = 1',
    ):
        run(engine, statement)
        upload(engine, publication, feed)
    assert [(one["operation"], one["row"]["id"]) for one in feed.records] == [
        ("insert", "1"),
        ("insert", "2"),
        ("update", "2"),
        ("delete", "1"),
    ]


class TestSQLite:
    """What only SQLite does."""

    @pytest.fixture
    def engine(self, tmp_path: Any) -> Engine:
        from tests.python.nodes_loop.databases import sqlite_databases

        return open_database(sqlite_databases(tmp_path).make("north"))

    @pytest.mark.parametrize(
        ("kind", "declared", "better"),
        [
            ("int", "", "INTEGER"),
            ("int", "text", "INTEGER"),
            ("bigint", "real", "INTEGER"),
            ("string", "", "TEXT"),
            ("string", "string", "TEXT"),
            ("varchar(9)", "uuid", "TEXT"),
            ("decimal(10,2)", "", "NUMERIC"),
            ("double", "text", "REAL"),
            ("boolean", "text", "INTEGER"),
        ],
    )
    def test_a_column_that_changes_values_is_refused(
        self, engine: Engine, kind: str, declared: str, better: str
    ) -> None:
        run(engine, f"create table item (id integer primary key, name {declared})")
        publication = shop(item={"columns": {"id": "int", "name": kind}, "primary_key": ["id"]})
        with pytest.raises(CaptureProblem, match=f"column 'name'.*declare it as {better}"):
            install(engine, publication, "north")

    @pytest.mark.parametrize(
        ("kind", "declared"),
        [
            ("int", "bigint"),
            ("int", "numeric"),
            ("string", "varchar(20)"),
            ("decimal(38,18)", "text"),
            ("double", "double precision"),
            ("boolean", "boolean"),
            ("date", "date"),
            ("timestamp", "datetime"),
            ("binary", ""),
        ],
    )
    def test_a_column_that_keeps_values_is_taken(
        self, engine: Engine, kind: str, declared: str
    ) -> None:
        run(engine, f"create table item (id integer primary key, name {declared})")
        publication = shop(item={"columns": {"id": "int", "name": kind}, "primary_key": ["id"]})
        assert install(engine, publication, "north").articles == 1

    @pytest.mark.parametrize("replication", ["queued", "merge"])
    def test_a_table_whose_name_is_written_otherwise_is_refused(
        self, engine: Engine, replication: str
    ) -> None:
        """SQLite finds it, and its catalog does not."""
        run(engine, "create table item (id integer primary key, name text)")
        publication = shop(replication, Item=ITEM)
        with pytest.raises(CaptureProblem, match="table 'Item' has the name 'item'"):
            install(engine, publication, "north")

    @pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
    @pytest.mark.parametrize("replication", ["queued", "merge"])
    def test_texts_in_another_encoding_than_utf_8_are_refused(
        self, tmp_path: Any, replication: str, encoding: str
    ) -> None:
        file = tmp_path / "wide.db"
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(f"pragma encoding = '{encoding}'")
            connection.execute("create table item (id integer primary key, name text)")
        with pytest.raises(CaptureProblem, match=f"texts in {encoding}: .* UTF-8 only"):
            install(open_database(f"sqlite:///{file}"), shop(replication), "north")

    @pytest.mark.parametrize(
        "declared",
        ["", "int", "charint", "text", "blob", "float", "floating point", "decimal(3)", "date"],
    )
    def test_the_rule_is_sqlites_own(self, engine: Engine, declared: str) -> None:
        """`create table as` writes down what SQLite makes of a type."""
        run(engine, f"create table one (x {declared})", "create table two as select x from one")
        with engine.begin() as connection:
            query = "select type from pragma_table_info('two')"
            found = str(run_plain(connection, query).scalar() or "BLOB")
        assert affinity(declared)[:3] == {"NUM": "NUM", "INT": "INT"}.get(found[:3], found[:3])


@pytest.mark.parametrize("kind", ["int", "string"])
@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_rows_that_were_there_may_have_a_key_of_any_name(
    engine: Engine, replication: str, kind: str
) -> None:
    columns = {"number": kind, "node": "string", "key": "string"}
    publication = shop(replication, line={"columns": columns, "primary_key": ["number", "node"]})
    create_tables(engine, publication, with_version=False)
    run(engine, "insert into line (number, node, key) values ('70', 'a', 'x'), ('80', 'a', 'y')")
    install(engine, publication, "north", ExistingRows.INSERT)
    run(engine, "insert into line (number, node) values ('90', 'b')")
    feed = Feed(publication)
    upload(engine, publication, feed)
    assert [one["row"]["number"] for one in feed.records] == ["70", "80", "90"]
    if publication.is_merge:
        assert [one["lineage"] for one in feed.records] == [{"north": n} for n in (1, 2, 3)]


NOT_BYTE_BY_BYTE = {
    "sqlite": ["text collate nocase", 'text collate "rtrim"'],
    "postgres": ["citext", "word", 'text collate "any case"'],
}


@pytest.mark.parametrize("number", range(3))
def test_a_key_that_is_not_compared_byte_by_byte_is_refused(engine: Engine, number: int) -> None:
    dialect = dialect_of(engine)
    if dialect == "postgres":
        run(
            engine,
            "create extension citext",
            "create domain word as citext",
            "create collation \"any case\" (provider = icu, locale = 'und-u-ks-level2',"
            " deterministic = false)",
        )
    declared = NOT_BYTE_BY_BYTE[dialect][number : number + 1] or ["text"]
    run(engine, f"create table label (id int, code {declared[0]}, primary key (id, code))")
    label = {"columns": {"id": "int", "code": "string"}, "primary_key": ["id", "code"]}
    if declared == ["text"]:
        install(engine, shop(label=label), "north")
        return
    with pytest.raises(CaptureProblem, match="'label', column 'code': a key"):
        install(engine, shop(label=label), "north")
    plain = {**label, "primary_key": ["id"]}
    run(engine, "create unique index label_id on label (id)")
    install(engine, shop(label=plain), "north")


@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_remove_waits_for_who_is_writing(engine: Engine, replication: str) -> None:
    publication = shop(replication)
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    with pytest.raises(CaptureProblem, match="not uploaded yet: 1 change"):
        _while_somebody_writes(engine, lambda: remove(engine, publication))
    assert upload(engine, publication, Feed(publication)).changes == 1


@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_install_waits_for_who_is_writing(engine: Engine, replication: str) -> None:
    publication = shop(replication)
    # a column that is there need not be added, which would wait by itself
    create_tables(engine, publication, with_version=True)
    with pytest.raises(CaptureProblem, match="has 1 row without a version"):
        _while_somebody_writes(engine, lambda: install(engine, publication, "north"))
    install(engine, publication, "north", ExistingRows.INSERT)
    assert upload(engine, publication, Feed(publication)).changes == 1


def _while_somebody_writes(engine: Engine, work: Callable[[], object]) -> None:
    """Do something that waits until somebody has committed a row. Errors: those of the work."""
    if dialect_of(engine) == "sqlite":
        pytest.skip("one writer at a time")
    with ThreadPoolExecutor() as threads:
        with engine.begin() as connection:
            run_plain(connection, "insert into item (id, name) values (1, 'a')")
            done = threads.submit(work)
            waiting = "select count(*) from pg_locks where not granted"
            while not done.done() and not run_plain(connection, waiting).scalar():
                time.sleep(0.01)
        done.result()


@pytest.mark.parametrize("length", [46, 47, 60, 63])
@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_names_may_be_as_long_as_postgresql_takes_them(
    engine: Engine, replication: str, length: int
) -> None:
    start = "a" * (length - 1)
    articles = {f"{start}{end}": ITEM for end in "xy"}
    top, other = articles
    record = {
        "top": top,
        "detection": True,
        "members": {other: {"parent": top, "columns": ["name"]}},
    }
    articles = {top: {**ITEM, "primary_key": ["name"]}, other: ITEM}
    records = {"logical_records": [record]} if replication == "merge" else {}
    names = [f"{'p' * 70}{end}" for end in "xy"]
    for name in names:
        options = publications(articles, replication=replication, **records)["shop"]
        publication = node_publication(name, {name: options})
        if name == names[0]:
            create_tables(engine, publication, with_version=False)
            before = set(inspect(engine).get_table_names())
        install(engine, publication, "north")
        for article in articles:
            run(engine, f"insert into {article} (id, name) values (1, 'a')")
        feed = Feed(publication)
        assert upload(engine, publication, feed).changes == 2
        remove(engine, publication)
        for article in articles:
            run(engine, f"delete from {article}")
    left = set(inspect(engine).get_table_names()) - before
    assert left == set(agent_tables.metadata.tables)


@pytest.mark.parametrize("replication", ["queued", "merge"])
@pytest.mark.parametrize("is_disabled", [False, True])
def test_a_table_that_is_not_captured_any_more_is_said(
    engine: Engine, replication: str, is_disabled: bool
) -> None:
    """Tools change a table of SQLite by making another one, without the triggers."""
    publication = shop(replication)
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    run(engine, "insert into item (id, name) values (1, 'bolt')")
    if not is_disabled:
        run(
            engine,
            "create table fresh (id integer primary key, name text)",
            "insert into fresh select id, name from item",
            "drop table item",
            "alter table fresh rename to item",
        )
    elif dialect_of(engine) == "postgres":
        run(engine, "alter table item disable trigger user")
    else:
        run(engine, "drop trigger replication_item_after_update")
    run(engine, "update item set name = 'nut'")
    feed = Feed(publication)
    with pytest.raises(CaptureProblem, match=r"'item' is not captured any more.*capture remove"):
        upload(engine, publication, feed)
    assert [one["operation"] for one in feed.records] == ["insert"]
    with pytest.raises(CaptureProblem, match="'item' is not captured any more"):
        agent(engine, publication, Lists())
    remove(engine, publication)
    install(engine, publication, "north", ExistingRows.SNAPSHOT)
    agent(engine, publication, Lists()).run()


def test_other_columns_may_have_types_that_nobody_knows(engine: Engine) -> None:
    """Merge replication makes a table beside it, with the types of the key."""
    is_sqlite = dialect_of(engine) == "sqlite"
    key, other = ("", "") if is_sqlite else ("date", "point, at pg_snapshot")
    run(engine, f"create table item (id {key} primary key, name text, other {other})")
    item = {"columns": {"id": "date", "name": "string"}, "primary_key": ["id"]}
    publication = shop("merge", item=item)
    install(engine, publication, "north")
    run(engine, "insert into item (id, name) values ('2024-02-29', 'bolt')")
    feed = Feed(publication)
    assert upload(engine, publication, feed).changes == 1
    assert feed.records[0]["row"] == {"id": "2024-02-29", "name": "bolt"}


@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_rows_are_read_alike_whatever_a_database_is_set_to(
    databases: Databases, replication: str
) -> None:
    if databases.kind != "postgres":
        pytest.skip("PostgreSQL only")
    url = databases.make("north")
    engine = open_database(url)
    name = url.rpartition("/")[2]
    for setting in ("datestyle = 'SQL, DMY'", "extra_float_digits = 0"):
        run(engine, f"alter database {name} set {setting}")
    engine.dispose()
    columns = {"id": "int", "day": "date", "at": "timestamp", "size": "double"}
    publication = shop(replication, item={"columns": columns, "primary_key": ["id"]})
    create_tables(engine, publication, with_version=False)
    values = "'2024-02-01', '2024-02-01 10:00', 0.1::float8 + 0.2"
    run(engine, f"insert into item values (1, {values})")
    install(engine, publication, "north", ExistingRows.INSERT)
    run(engine, f"insert into item values (2, {values})")
    feed = Feed(publication)
    upload(engine, publication, feed)
    expected = {"day": "2024-02-01", "at": "2024-02-01 10:00:00", "size": "0.30000000000000004"}
    assert [one["row"] for one in feed.records] == [
        {"id": "1", **expected},
        {"id": "2", **expected},
    ]


@pytest.mark.parametrize("replication", ["queued", "merge"])
@pytest.mark.parametrize(
    "column",
    [
        "code text generated always as ('a' || name) stored",
        "code text generated always as ('a' || name) virtual",
        "code integer generated always as identity",
    ],
)
def test_a_column_with_values_of_the_databases_own_is_refused(
    engine: Engine, replication: str, column: str
) -> None:
    if not column.endswith(
        {"sqlite": ("stored", "virtual")}.get(dialect_of(engine), ("stored", "identity"))
    ):
        pytest.skip("another database has it")
    run(engine, f"create table item (id integer primary key, name text, {column})")
    kind = "int" if column.endswith("identity") else "string"
    item = {"columns": {"id": "int", "name": "string", "code": kind}, "primary_key": ["id"]}
    with pytest.raises(CaptureProblem, match="column 'code': the database alone gives it"):
        install(engine, shop(replication, item=item), "north")
    # it is no column of this article
    install(engine, shop(replication), "north")


LINE: dict[str, Any] = {"columns": {"id": "int", "item": "int"}, "primary_key": ["id"]}
ACTIONS = [
    f"on {event} {action}"
    for event in ("delete", "update")
    for action in ("cascade", "set null", "set default")
]


@pytest.mark.parametrize("replication", ["queued", "merge"])
@pytest.mark.parametrize("has_foreign_key", [False, True])
@pytest.mark.parametrize("action", ACTIONS)
def test_a_reference_that_would_change_rows_unseen_is_refused(
    engine: Engine, action: str, has_foreign_key: bool, replication: str
) -> None:
    known = [{"columns": ["item"], "references": "item", "to": ["id"]}] if has_foreign_key else []
    publication = shop(replication, item=ITEM, line={**LINE, "foreign_keys": known})
    run(
        engine,
        "create table item (id integer primary key, name text)",
        f"create table line (id integer primary key, item integer references ITEM (id) {action})",
    )
    with pytest.raises(CaptureProblem, match=f"'line' refers to 'item' with `{action}`.*restrict"):
        install(engine, publication, "north")


def test_a_reference_of_a_table_to_itself_that_would_change_rows_is_refused(
    engine: Engine,
) -> None:
    boss = "item integer references line (id) on update no action on delete cascade"
    run(engine, f"create table line (id integer primary key, {boss})")
    with pytest.raises(CaptureProblem, match="'line' refers to 'line' with `on delete cascade`"):
        install(engine, shop(line=LINE), "north")


def test_a_reference_by_way_of_another_table_is_refused(engine: Engine) -> None:
    run(
        engine,
        "create table item (id integer primary key, name text)",
        "create table shelf (id integer primary key,"
        " item integer unique references item (id) on delete set null)",
        "create table line (id integer primary key,"
        " item integer references shelf (item) on update cascade)",
    )
    publication = shop(item=ITEM, line=LINE)
    with pytest.raises(
        CaptureProblem,
        match=r"'line' refers to 'shelf' with `on update cascade`, which refers to 'item' with"
        r" `on delete set null`.*`on update no action`",
    ):
        install(engine, publication, "north")
    run(engine, "drop table line")
    # what becomes of a shelf that loses its item is nothing to who refers to its id
    run(
        engine,
        "create table line (id integer primary key,"
        " item integer references shelf (id) on delete cascade on update cascade)",
    )
    install(engine, publication, "north")


@pytest.mark.parametrize("is_parent_first", [True, False])
def test_a_reference_to_a_table_of_another_publication_is_refused(
    engine: Engine, is_parent_first: bool
) -> None:
    run(
        engine,
        "create table item (id integer primary key, name text)",
        "create table line (id integer primary key,"
        " item integer references item (id) on delete cascade)",
    )
    both = [shop(item=ITEM), replace(shop(line=LINE), name="lines")]
    first, second = both if is_parent_first else both[::-1]
    install(engine, first, "north")
    with pytest.raises(CaptureProblem, match="'line' refers to 'item' with `on delete cascade`"):
        install(engine, second, "north")


@pytest.mark.parametrize("action", ["", "on delete restrict on update restrict"])
def test_other_references_are_taken(engine: Engine, action: str) -> None:
    """What is not captured may do what it wants, and so may a reference to it."""
    run(
        engine,
        "create table item (id integer primary key, name text)",
        "create table shelf (id integer primary key)",
        "create table line (id integer primary key,"
        f" item integer references item (id) {action},"
        " shelf integer references shelf (id) on delete cascade)",
        "create table badge (id integer references item (id) on delete cascade)",
    )
    install(engine, shop(item=ITEM, line=LINE), "north")
    run(
        engine,
        "insert into shelf values (1)",
        "insert into item (id, name) values (1, 'a')",
        "insert into line (id, item, shelf) values (1, 1, 1)",
        "delete from shelf",
    )
    feed = Feed(shop(item=ITEM, line=LINE))
    upload(engine, shop(item=ITEM, line=LINE), feed)
    assert [one["operation"] for one in feed.records] == ["insert", "insert", "delete"]
