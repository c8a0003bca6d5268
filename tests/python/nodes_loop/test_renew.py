"""`capture renew`: a node whose article gets columns keeps versions, changes and place."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from replication_conflicts.capture.install import ExistingRows, install, pending_changes
from replication_conflicts.capture.installation import check_articles
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.renew import renew
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import upload
from replication_conflicts.database.articles import NodePublication, node_publication
from replication_conflicts.database.engine import dialect_of, open_database
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.distribution.agent import Agent, Ports
from replication_conflicts.distribution.apply import Node
from tests.python.nodes_loop.databases import Databases, create_tables, publications
from tests.python.nodes_loop.standins import Lists
from tests.python.nodes_loop.subscriber import command
from tests.python.nodes_loop.test_install import ITEM, LABEL, Feed, run, shop

REPLICATIONS = ["queued", "merge"]
MORE: dict[str, Any] = {"item": {**ITEM, "columns": {**ITEM["columns"], "size": "int"}}}
ADD_SIZE = "alter table item add column size integer"


@pytest.fixture
def engine(databases: Databases) -> Engine:
    return open_database(databases.make("north"))


def installed(engine: Engine, replication: str, **articles: dict[str, Any]) -> NodePublication:
    """A database with one captured row, which waits for its upload."""
    publication = shop(replication, **articles)
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    run(engine, "insert into item (id, name) values (1, 'bolt')")
    return publication


def versions(engine: Engine) -> dict[int, str]:
    with engine.begin() as connection:
        rows = run_plain(connection, "select id, row_version from item").mappings().all()
    return {row["id"]: row["row_version"] for row in rows}


def sizes(feed: Feed) -> list[tuple[str, str | None]]:
    return [(one["operation"], one["row"].get("size")) for one in feed.records]


@pytest.mark.parametrize("replication", REPLICATIONS)
def test_a_column_that_comes_later_is_captured(engine: Engine, replication: str) -> None:
    """What waits goes up as it was made; versions go on, under the number that they have."""
    installed(engine, replication)
    before = versions(engine)
    publication, feed = shop(replication, **MORE), Feed(shop(replication, **MORE))
    run(engine, ADD_SIZE)
    with pytest.raises(CaptureProblem, match="`capture renew`"):
        upload(engine, publication, feed)
    assert renew(engine, publication).added == {"item": ["size"]}
    assert versions(engine) == before
    assert upload(engine, publication, feed).changes == 1
    assert sizes(feed) == [("insert", None)]
    run(engine, "update item set size = 5")
    assert upload(engine, publication, feed).changes == 1
    assert sizes(feed)[1:] == [("update", "5")]
    if replication == "merge":
        assert feed.records[1]["changed_columns"] == ["size"]
        assert feed.records[1]["lineage"] == {"north": 2}
    else:
        assert feed.records[1]["old_version"] == feed.records[0]["new_version"] == before[1]


@pytest.mark.parametrize("replication", REPLICATIONS)
def test_a_change_that_waits_gets_a_value_in_the_column(engine: Engine, replication: str) -> None:
    publication = installed(engine, replication)
    feed = Feed(shop(replication, **MORE))
    upload(engine, publication, Feed(publication))
    run(engine, "update item set name = 'nut'")
    publication = shop(replication, **MORE)
    run(engine, ADD_SIZE)
    renew(engine, publication)
    run(engine, "update item set size = 5")
    upload(engine, publication, feed)
    assert sizes(feed)[-1] == ("update", "5")
    if replication == "merge":
        assert feed.records[0]["previous_values"] == {"name": "bolt", "size": None}


@pytest.mark.parametrize("replication", REPLICATIONS)
def test_commands_bring_the_column(engine: Engine, replication: str) -> None:
    """Those of before it came, too, which say nothing about it."""
    publication = shop(replication, **MORE)
    first, second = ("v1", "v2") if replication == "queued" else ("HQ:1", "HQ:2")
    old = command(1, "insert", {"id": "7"}, {"name": "nut"}, new=first)
    new = command(2, "update", {"id": "7"}, {"name": "nut", "size": "3"}, first, second)
    installed(engine, replication)
    upload(engine, shop(replication), Feed(shop(replication)))
    run(engine, ADD_SIZE)
    with (
        engine.begin() as connection,
        pytest.raises(CaptureProblem, match="now, in item: add"),
    ):
        check_articles(connection, publication)
    renew(engine, publication)
    rows = Tables(publication, dialect_of(engine))
    lists = Lists(commands=[old, new])
    node = Node(publication, "north", rows, capture_state(engine, "north", rows))
    agent = Agent(engine, node, Ports(lists, lists, lists))
    agent.prepare()
    summary = agent.run()
    assert not summary.refused
    with engine.begin() as connection:
        held = run_plain(connection, "select size, row_version from item where id = 7").one()
        assert tuple(held) == (3, second)
        assert not pending_changes(connection, publication)


@pytest.mark.parametrize("replication", REPLICATIONS)
def test_a_type_that_becomes_wider(engine: Engine, replication: str) -> None:
    """Keys and values that the triggers of before refuse, or that the table could not hold."""
    columns = {"id": "int", "name": "varchar(4)", "price": "decimal(4,2)"}
    wider = {"id": "bigint", "name": "string", "price": "decimal(9,2)"}
    publication = shop(replication, item={**ITEM, "columns": columns})
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    run(engine, "insert into item (id, name, price) values (1, 'bolt', 1.5)")
    large = f"insert into item (id, name, price) values ({2**40}, 'screw', 1234567.25)"
    with pytest.raises(DBAPIError):
        run(engine, large)
    if dialect_of(engine) == "postgres":
        for column, kind in {"id": "bigint", "name": "text", "price": "numeric(9,2)"}.items():
            run(engine, f"alter table item alter column {column} type {kind}")
    more = shop(replication, item={**ITEM, "columns": wider})
    feed = Feed(more)
    with pytest.raises(CaptureProblem, match="`capture renew`"):
        upload(engine, more, feed)
    done = renew(engine, more)
    assert (done.added, done.widened) == ({}, {"item": ["id", "name", "price"]})
    run(engine, large, "update item set price = 2.5 where id = 1")
    upload(engine, more, feed)
    found = {(one["row"]["id"], one["row"]["name"], one["row"]["price"]) for one in feed.records}
    assert {("1", "bolt", "2.50"), (str(2**40), "screw", "1234567.25")} <= found
    with pytest.raises(CaptureProblem, match="other columns, types, keys or articles"):
        renew(engine, publication)


@pytest.mark.parametrize("replication", REPLICATIONS)
def test_values_that_no_trigger_has_seen(engine: Engine, replication: str) -> None:
    publication = installed(engine, replication)
    more = shop(replication, **MORE)
    run(engine, f"{ADD_SIZE} default 4")
    with pytest.raises(CaptureProblem, match="1 row with a value in the new column 'size'"):
        renew(engine, more)
    # nothing has changed
    run(engine, "insert into item (id, name) values (2, 'nut')")
    assert upload(engine, publication, Feed(publication)).changes == 2


@pytest.mark.parametrize("replication", REPLICATIONS)
def test_what_renew_refuses(engine: Engine, replication: str) -> None:
    installed(engine, replication, item=ITEM, label=LABEL)
    others: dict[str, dict[str, dict[str, Any]]] = {
        "column removed": {"item": {**ITEM, "columns": {"id": "int"}}, "label": LABEL},
        "key": {**MORE, "label": {**LABEL, "primary_key": ["code", "size"]}},
        "article removed": MORE,
    }
    run(engine, ADD_SIZE)
    for articles in others.values():
        with pytest.raises(CaptureProblem, match="other columns, types, keys or articles"):
            renew(engine, shop(replication, **articles))
    more = shop(replication, **MORE, label={**LABEL, "columns": {**LABEL["columns"], "a": "int"}})
    with pytest.raises(CaptureProblem, match="table 'label' has no column a"):
        renew(engine, more)


@pytest.mark.parametrize("replication", REPLICATIONS)
def test_a_table_that_comes_later_is_captured(engine: Engine, replication: str) -> None:
    """Its rows are this node's inserts, where that is said."""
    installed(engine, replication)
    both = shop(replication, item=ITEM, label=LABEL)
    create_tables(engine, shop(label=LABEL), with_version=False)
    run(engine, "insert into label (code, size) values (7, 1)")
    before = versions(engine)
    with pytest.raises(CaptureProblem, match="1 row without a version"):
        renew(engine, both)
    with pytest.raises(CaptureProblem, match="it must be empty here"):
        renew(engine, both, ExistingRows.SNAPSHOT)
    done = renew(engine, both, ExistingRows.INSERT)
    assert done.added == {"label": ["code", "size"]}
    assert done.inserted_rows == 1
    assert versions(engine) == before
    run(engine, "update item set name = 'nut'", "update label set size = 2")
    feed = Feed(both)
    upload(engine, both, feed)
    found = {(one["article"], one["row"].get("size")) for one in feed.records}
    assert {("item", None), ("label", "2")} <= found


def test_a_transaction_that_waits_stays_one(engine: Engine) -> None:
    """Rows of the new table are transactions of their own, and no others."""
    installed(engine, "queued")
    both = shop("queued", item=ITEM, label=LABEL)
    create_tables(engine, shop(label=LABEL), with_version=False)
    run(engine, "insert into label (code, size) values (7, 1), (8, 2)")
    run(engine, "insert into item (id, name) values (2, 'nut'), (3, 'gear')")
    renew(engine, both, ExistingRows.INSERT)
    feed = Feed(both)
    assert upload(engine, both, feed).changes == 5
    counts = [one["transaction_change_count"] for one in feed.records]
    assert sorted(counts) == [1, 1, 1, 2, 2]


@pytest.mark.parametrize("replication", REPLICATIONS)
def test_a_table_of_another_publication(engine: Engine, replication: str) -> None:
    installed(engine, replication)
    create_tables(engine, shop(label=LABEL), with_version=False)
    options = publications({"label": LABEL}, replication=replication)["shop"]
    install(engine, node_publication("market", {"market": options}), "north")
    with pytest.raises(CaptureProblem, match="'label' is captured for publication 'market'"):
        renew(engine, shop(replication, item=ITEM, label=LABEL))


@pytest.mark.parametrize("replication", REPLICATIONS)
def test_a_trial_changes_nothing(engine: Engine, replication: str) -> None:
    publication, more = installed(engine, replication), shop(replication, **MORE)
    run(engine, ADD_SIZE)
    assert renew(engine, more, is_trial=True).added == {"item": ["size"]}
    with engine.begin() as connection:
        check_articles(connection, publication)


@pytest.mark.parametrize("replication", REPLICATIONS)
def test_what_was_made_since_is_looked_at(engine: Engine, replication: str) -> None:
    """Without new columns, too: indexes, types and references of today."""
    publication = installed(engine, replication)
    assert not renew(engine, publication).added
    if dialect_of(engine) == "sqlite":
        run(engine, "create unique index by_lower on item (lower(name))")
        match = "unique index 'by_lower' over an expression"
    else:
        run(engine, "create table heir (weight int) inherits (item)")
        match = "heir inherits from it"
    with pytest.raises(CaptureProblem, match=match):
        renew(engine, publication)
    feed = Feed(publication)
    with pytest.raises(CaptureProblem, match=match):
        upload(engine, publication, feed)
    assert len(feed.records) == 1
