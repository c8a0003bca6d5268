"""What people make of a database after `install` is looked at before anything is lost by it."""

from __future__ import annotations

from typing import Any

import pytest

from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.renew import renew
from replication_conflicts.capture.upload import upload
from replication_conflicts.distribution.apply import AgentProblem
from tests.python.nodes_loop.databases import Databases
from tests.python.nodes_loop.subscriber import Subscriber, command, insert
from tests.python.nodes_loop.test_install import Feed

ARTICLES: dict[str, Any] = {
    "item": {"columns": {"id": "int", "name": "string", "code": "int"}, "primary_key": ["id"]},
    "line": {"columns": {"id": "int", "item": "int"}, "primary_key": ["id"]},
}
WRITES = "insert into item (id, name, code) values (1, 'bolt', 7)"
SINCE = "since `capture install` or the last `capture renew`"
BROKEN_IN_POSTGRES = [
    (
        "create rule spared as on delete to item do instead nothing",
        'the rule "spared"',
        "drop rule spared on item",
    ),
    (
        "create table tool () inherits (item)",
        "the table tool inherits from it",
        "alter table tool no inherit item",
    ),
    (
        "alter table line add constraint owned foreign key (item) references item"
        " on delete cascade",
        "'line' refers to 'item' with `on delete cascade`",
        "alter table line drop constraint owned",
    ),
    (
        "alter table item alter column code type numeric(10,2)",
        "column 'code'",
        "alter table item alter column code type integer",
    ),
    (
        "alter table item set unlogged",
        "item, which is unlogged",
        "alter table item set logged",
    ),
    (
        "alter table item rename column row_version to version",
        "no column 'row_version' any more",
        "alter table item rename column version to row_version",
    ),
]
BROKEN_IN_SQLITE = [
    (
        "alter table item rename column id to item_id",
        "no column id",
        "alter table item rename column item_id to id",
    ),
    (
        "alter table item rename column row_version to version",
        "no column 'row_version' any more",
        "alter table item rename column version to row_version",
    ),
    (
        "create trigger watching after update on item begin select 1; end",
        "trigger 'watching' of every update",
        "drop trigger watching",
    ),
]


@pytest.fixture(params=["queued", "merge"])
def captured(databases: Databases, request: pytest.FixtureRequest) -> Subscriber:
    """With one change that waits."""
    subscriber = Subscriber(databases, ARTICLES, replication=request.param)
    subscriber.execute(WRITES)
    return subscriber


def check_is_said(captured: Subscriber, breaking: str, said: str, mending: str) -> None:
    captured.execute(breaking)
    feed = Feed(captured.publication)
    for _ in range(2):
        with pytest.raises(CaptureProblem, match=f"{said}.*{SINCE}"):
            upload(captured.engine, captured.publication, feed)
    # what was captured before has gone up, where it can be read
    is_readable = "no column" not in said or not captured.publication.is_merge
    assert len(feed.records) == is_readable
    with pytest.raises(CaptureProblem, match=said):
        captured.agent()
    captured.execute(mending)
    assert upload(captured.engine, captured.publication, feed).changes == 1 - is_readable
    captured.run()


@pytest.mark.parametrize(("breaking", "said", "mending"), BROKEN_IN_POSTGRES)
def test_what_postgresql_would_do_unseen_is_said(
    captured: Subscriber, breaking: str, said: str, mending: str
) -> None:
    if captured.engine.dialect.name == "sqlite":
        pytest.skip("PostgreSQL only")
    check_is_said(captured, breaking, said, mending)


@pytest.mark.parametrize(("breaking", "said", "mending"), BROKEN_IN_SQLITE)
def test_what_sqlite_would_do_unseen_is_said(
    captured: Subscriber, breaking: str, said: str, mending: str
) -> None:
    if captured.engine.dialect.name != "sqlite":
        pytest.skip("SQLite only")
    check_is_said(captured, breaking, said, mending)


def test_an_index_that_has_come_since_is_said(captured: Subscriber) -> None:
    """An `or replace` deletes rows by it, which no trigger has looked for."""
    if captured.engine.dialect.name != "sqlite":
        pytest.skip("SQLite only")
    captured.execute("create unique index codes on item (code)")
    feed = Feed(captured.publication)
    with pytest.raises(
        CaptureProblem, match=rf"'item' has not the triggers.*unique indexes.*{SINCE}"
    ):
        upload(captured.engine, captured.publication, feed)
    with pytest.raises(CaptureProblem, match="`capture renew`"):
        captured.agent()
    renew(captured.engine, captured.publication)
    captured.execute("insert or replace into item (id, name, code) values (2, 'nut', 7)")
    upload(captured.engine, captured.publication, feed)
    operations = [(one["operation"], one["row"]["id"]) for one in feed.records]
    assert sorted(operations) == [("delete", "1"), ("insert", "1"), ("insert", "2")]
    captured.run()


def test_a_trigger_that_is_another_one_is_said(captured: Subscriber) -> None:
    """As one is that another version of this program has made."""
    if captured.engine.dialect.name == "sqlite":
        (sql,) = captured.values(
            "select sql from sqlite_master where name = 'replication_item_after_delete'"
        )
        another = [
            "drop trigger replication_item_after_delete",
            sql.replace("begin", "begin select 1;", 1),
        ]
    else:
        another = [
            "create or replace function _replication_queue_item() returns trigger"
            " language plpgsql as $$ begin return null; end $$"
        ]
    captured.execute(*another)
    feed = Feed(captured.publication)
    with pytest.raises(CaptureProblem, match=rf"'item' has not the triggers.*{SINCE}.*renew"):
        upload(captured.engine, captured.publication, feed)
    with pytest.raises(CaptureProblem, match="another version of this program"):
        captured.agent()
    renew(captured.engine, captured.publication)
    captured.run()
    captured.execute("delete from item")
    upload(captured.engine, captured.publication, feed)
    assert [one["operation"] for one in feed.records] == ["insert", "delete"]


@pytest.mark.parametrize("column", ["id", "row_version"])
def test_a_command_that_could_find_no_row_is_not_passed_over(
    databases: Databases, column: str
) -> None:
    """Where nothing is captured, too: SQLite takes such a name for a text, which equals nothing."""
    subscriber = Subscriber(databases, ARTICLES)
    subscriber.give(insert(1, 1, "bolt"))
    subscriber.run()
    subscriber.execute(f"alter table item rename column {column} to other")
    subscriber.give(command(2, "delete", {"id": "1"}, old="v1.1"))
    with pytest.raises(AgentProblem, match=f"table 'item' has no column {column}"):
        subscriber.run(is_skipping=True)
    subscriber.execute(f"alter table item rename column other to {column}")
    assert subscriber.run().changed_rows == 1


@pytest.mark.parametrize(
    ("breaking", "said", "mending"),
    [
        (
            "alter table item rename to items",
            "there is no table 'item'",
            "alter table items rename to item",
        ),
        (
            "alter table item rename column code to number",
            "table 'item' has no column code",
            "alter table item rename column number to code",
        ),
    ],
)
def test_what_no_row_could_have_is_no_refusal(
    databases: Databases, breaking: str, said: str, mending: str
) -> None:
    """A publication that compensates for errors would delete the row everywhere."""
    subscriber = Subscriber(databases, ARTICLES)
    subscriber.give(insert(1, 1, "bolt"))
    subscriber.execute(breaking)
    for is_skipping in (False, True):
        with pytest.raises(AgentProblem, match=said):
            subscriber.run(is_skipping=is_skipping)
    assert subscriber.lists.refusals == {}
    subscriber.execute(mending)
    assert subscriber.run().changed_rows == 1
