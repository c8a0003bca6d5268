"""Commands that are refused by the commit alone, or long after they came."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, event

from replication_conflicts.database.engine import open_database
from replication_conflicts.database.statements import run_plain
from replication_conflicts.distribution import trial
from replication_conflicts.distribution.apply import AgentProblem
from replication_conflicts.publication.commands import AgentCommand, Place
from tests.python.nodes_loop.databases import Databases, sqlite_databases
from tests.python.nodes_loop.subscriber import Subscriber, command

LINES: dict[str, Any] = {
    "item": {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]},
    "line": {"columns": {"id": "int", "item": "int"}, "primary_key": ["id"]},
}
EXTRA = "create table extra (item integer references item (id) deferrable initially deferred)"
both_ways = pytest.mark.parametrize("is_skipping", [False, True])


def item(position: int, sequence: int, key: int, name: str = "new") -> AgentCommand:
    return command(
        position,
        "insert",
        {"id": str(key)},
        {"name": name},
        new=f"HQ:{position}",
        sequence=sequence,
    )


def gone(position: int, sequence: int, key: int) -> AgentCommand:
    return command(position, "delete", {"id": str(key)}, None, "HQ:0", sequence=sequence)


def lost_conflict(position: int, sequence: int) -> AgentCommand:
    return AgentCommand(
        f"lost {position}", "log_conflict", position, sequence, article="item", key={"id": "1"}
    )


@pytest.fixture
def referred(databases: Databases) -> Subscriber:
    """Items 1, 2 and 3; a row elsewhere refers to item 2, and only the commit looks at it."""
    subscriber = Subscriber(databases, LINES)
    subscriber.execute(
        EXTRA,
        "insert into item (id, row_version) values (1, 'HQ:0'), (2, 'HQ:0'), (3, 'HQ:0')",
        "insert into extra values (2)",
    )
    subscriber.give(
        gone(1, 1, 1),
        gone(1, 2, 2),
        gone(1, 3, 3),
        item(1, 4, 4),
        lost_conflict(1, 5),
        item(2, 1, 5),
    )
    return subscriber


def items(subscriber: Subscriber) -> list[int]:
    return sorted(subscriber.values("select id from item"))


@both_ways
def test_a_refused_commit_is_about_one_command(referred: Subscriber, is_skipping: bool) -> None:
    summary = referred.run(is_skipping=is_skipping)
    assert list(referred.lists.refusals) == ["1/2"]
    assert referred.lists.refusals["1/2"].error_code == 547
    assert items(referred) == ([2, 4, 5] if is_skipping else [1, 2, 3])
    assert summary.commands["log_conflict"] == (1 if is_skipping else 0)
    kept = referred.values("select command_id from replication_conflict")
    assert kept == (["lost 1"] if is_skipping else [])


@both_ways
def test_where_no_command_can_be_found_all_are_reported(
    referred: Subscriber, is_skipping: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def blind(connection: Connection) -> Iterator[None]:
        with connection.begin_nested():
            yield

    monkeypatch.setattr(trial, "checked", blind)
    summary = referred.run(is_skipping=is_skipping)
    assert sorted(referred.lists.refusals) == ["1/1", "1/2", "1/3", "1/4"]
    assert len(summary.refused) == 4
    assert summary.is_stopped is not is_skipping
    assert summary.place == (Place(2) if is_skipping else Place())
    assert items(referred) == ([1, 2, 3, 5] if is_skipping else [1, 2, 3])
    kept = referred.values("select command_id from replication_conflict")
    assert kept == (["lost 1"] if is_skipping else [])


def test_what_was_unmet_before_is_no_commands_fault(tmp_path: Any) -> None:
    """An application may have switched foreign keys off."""
    subscriber = Subscriber(sqlite_databases(tmp_path), LINES, "check (id < 100)")
    with closing(sqlite3.connect(subscriber.url.removeprefix("sqlite:///"))) as connection:
        connection.execute(EXTRA)
        connection.execute("insert into extra values (77)")
        connection.commit()
    subscriber.give(item(1, 1, 1), item(1, 2, 100), item(1, 3, 2))
    subscriber.run(is_skipping=True)
    assert items(subscriber) == [1, 2]


@contextmanager
def answer_lost(
    subscriber: Subscriber, monkeypatch: pytest.MonkeyPatch, seen: str
) -> Iterator[None]:
    """The first commit after which a query finds something succeeds, and nobody hears of it."""
    dialect = subscriber.engine.dialect
    commit, looking = dialect.do_commit, open_database(subscriber.url)
    with looking.begin() as other:
        before = run_plain(other, seen).all()
    lost: list[bool] = []

    def lossy(connection: Any) -> None:
        commit(connection)
        if lost:
            return
        with looking.connect() as other:
            found = run_plain(other, seen).all()
        if found != before:
            lost.append(True)
            raise dialect.loaded_dbapi.OperationalError("disk I/O error")

    monkeypatch.setattr(dialect, "do_commit", lossy)
    yield
    assert lost
    monkeypatch.undo()


SKIPPED = "select command_id from replication_refusal where is_skipped"


def test_what_is_left_out_counts_also_where_the_answer_is_lost(
    databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscriber = Subscriber(databases, LINES, "check (id < 100)")
    subscriber.give(item(1, 1, 1), item(2, 1, 200), item(3, 1, 3))
    agent = subscriber.agent(is_skipping=True)
    with answer_lost(subscriber, monkeypatch, SKIPPED):
        summary = agent.run()
    assert items(subscriber) == [1, 3]
    assert [one.command_id for one in summary.refused] == ["2/1"]
    assert (summary.transactions, summary.commands["replicated"]) == (3, 2)


def test_what_only_the_commit_refuses_counts_also_where_the_answer_is_lost(
    referred: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def blind(connection: Connection) -> Iterator[None]:
        with connection.begin_nested():
            yield

    agent = referred.agent(is_skipping=True)
    monkeypatch.setattr(trial, "checked", blind)
    with answer_lost(referred, monkeypatch, SKIPPED):
        summary = agent.run()
    assert [one.command_id for one in summary.refused] == ["1/1", "1/2", "1/3", "1/4"]
    assert summary.place == Place(2)


def test_a_batch_counts_once_whatever_answer_is_lost(
    databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscriber = Subscriber(databases, LINES)
    subscriber.give(item(1, 1, 1), item(2, 1, 2))
    agent = subscriber.agent()
    with answer_lost(subscriber, monkeypatch, "select id from item"):
        summary = agent.run()
    assert items(subscriber) == [1, 2]
    assert (summary.transactions, summary.changed_rows) == (2, 2)


@pytest.mark.parametrize("comes", [False, True])
def test_a_kept_command_that_is_left_out_counts_also_where_the_answer_is_lost(
    kept: Subscriber, monkeypatch: pytest.MonkeyPatch, comes: bool
) -> None:
    if comes:
        kept.give(item(2, 1, 8))
    agent = kept.agent(is_skipping=True)
    with answer_lost(kept, monkeypatch, SKIPPED):
        summary = agent.run()
    assert [one.command_id for one in summary.refused] == ["1/1"]


@pytest.fixture
def kept(databases: Databases) -> Subscriber:
    """A command found an insert that was not uploaded; that is undone, and the command refused."""
    subscriber = Subscriber(databases, LINES, "check (id <> 100)", replication="merge")
    subscriber.execute("insert into item (id, name) values (7, 'mine')")
    subscriber.give(item(1, 1, 7, "theirs"))
    assert subscriber.run().refused == []
    subscriber.execute("delete from item where id = 7")
    if databases.kind == "sqlite":
        subscriber.execute(
            "create trigger no before insert on item when new.name = 'theirs'"
            " begin select raise(abort, 'no'); end"
        )
    else:
        subscriber.execute("alter table item add check (name <> 'theirs')")
    return subscriber


@pytest.mark.parametrize("comes", [False, True])
def test_a_kept_command_that_is_refused_stops(kept: Subscriber, comes: bool) -> None:
    if comes:
        kept.give(item(2, 1, 8))
    for _ in range(2):
        summary = kept.run()
        assert (summary.is_stopped, summary.place.position) == (True, 1)
        assert [one.command_id for one in summary.refused] == ["1/1"]
        assert items(kept) == []
    assert list(kept.lists.refusals) == ["1/1"]


@pytest.mark.parametrize("comes", [False, True])
def test_a_kept_command_that_is_refused_is_left_out(kept: Subscriber, comes: bool) -> None:
    if comes:
        kept.give(item(2, 1, 8))
    summary = kept.run(is_skipping=True)
    assert [one.command_id for one in summary.refused] == ["1/1"]
    assert not summary.is_stopped
    assert items(kept) == ([8] if comes else [])
    assert kept.values("select command_id from replication_passed_over") == []
    assert kept.run().refused == []


def test_a_command_of_a_decision_is_kept_like_others(databases: Databases) -> None:
    """What people decide acts behind a place in the queue, at the upper half of a sequence."""
    subscriber = Subscriber(databases, LINES, replication="merge")
    subscriber.execute("insert into item (id, name) values (7, 'mine')")
    behind = (1 << 32) + 1
    subscriber.give(item(1, behind, 7, "theirs"))
    assert subscriber.run().refused == []
    assert subscriber.values("select sequence from replication_passed_over") == [behind]
    subscriber.execute("delete from item where id = 7")
    subscriber.run()
    assert subscriber.values("select name from item") == ["theirs"]


def test_a_kept_command_acts_before_what_came_later(databases: Databases) -> None:
    subscriber = Subscriber(databases, LINES, replication="merge")
    subscriber.execute("insert into item (id, name) values (7, 'mine')")
    subscriber.give(item(1, 1, 7, "theirs"))
    subscriber.run()
    subscriber.execute("delete from item where id = 7")
    subscriber.give(command(2, "update", {"id": "7"}, {"name": "later"}, "HQ:1", "HQ:2"))
    subscriber.run()
    assert subscriber.values("select name from item") == ["later"]


def test_one_command_looks_at_one_row_beside_the_rows(tmp_path: Any) -> None:
    """Commands are tried one by one where one is refused, at tables of any size."""
    subscriber = Subscriber(
        sqlite_databases(tmp_path), LINES, "check (id < 100)", replication="merge"
    )
    asked: list[tuple[str, Any]] = []

    def listen(_: Any, __: Any, statement: str, values: Any, *___: Any) -> None:
        if statement.startswith("select") and "replication_row_item" in statement:
            asked.append((statement, values))

    event.listen(subscriber.engine, "before_cursor_execute", listen)
    subscriber.give(item(1, 1, 5), item(1, 2, 100))
    subscriber.run(is_skipping=True)
    assert items(subscriber) == [5]
    with subscriber.engine.connect() as connection:
        plans = [
            str(connection.exec_driver_sql(f"explain query plan {one}", values).all())
            for one, values in asked
        ]
    assert "SCAN" not in plans[-1]


def test_a_held_row_that_cannot_be_read_is_not_reported_as_none(databases: Databases) -> None:
    """The publisher would delete it, where the article compensates for errors."""
    if databases.kind != "postgres":
        pytest.skip("PostgreSQL only")
    articles = {"item": {"columns": {"id": "int", "day": "date"}, "primary_key": ["id"]}}
    subscriber = Subscriber(databases, articles, "check (day > date '2000-01-01')")
    subscriber.execute("insert into item values (1, 'infinity', 'v1')")
    subscriber.give(command(1, "update", {"id": "1"}, {"day": "1999-12-31"}, "v1", "v2"))
    with pytest.raises(AgentProblem, match=r"the row id 1 of item .* cannot be read"):
        subscriber.run(is_skipping=True)
    assert subscriber.lists.refusals == {}


def test_a_key_that_no_row_can_have_is_reported_without_one(databases: Databases) -> None:
    if databases.kind != "postgres":
        pytest.skip("PostgreSQL only")
    articles = {"item": {"columns": {"id": "string", "day": "date"}, "primary_key": ["id"]}}
    subscriber = Subscriber(databases, articles)
    subscriber.give(command(1, "insert", {"id": "a\0b"}, {"day": "1999-12-31"}, None, "v2"))
    subscriber.run(is_skipping=True)
    assert subscriber.lists.refusals["1/1"].row is None


@pytest.mark.parametrize("answer", ["ignore", "replace"])
def test_no_table_decides_what_becomes_of_a_command(tmp_path: Any, answer: str) -> None:
    """SQLite would leave the row out, or delete the other one, and say nothing."""
    articles = {
        "item": {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]},
    }
    subscriber = Subscriber(sqlite_databases(tmp_path), articles)
    subscriber.execute(
        "drop table item",
        "create table item (id integer primary key,"
        f" name text not null on conflict {answer} default 'none' unique on conflict {answer},"
        " row_version text)",
    )
    subscriber.give(
        command(1, "insert", {"id": "1"}, {"name": "bolt"}, None, "v1"),
        command(2, "insert", {"id": "2"}, {"name": "nut"}, None, "v2"),
        command(3, "insert", {"id": "3"}, {"name": "bolt"}, None, "v3"),
        command(4, "update", {"id": "2"}, {"name": "bolt"}, "v2", "v4"),
        command(5, "insert", {"id": "5"}, {"name": None}, None, "v5"),
    )
    summary = subscriber.run(is_skipping=True)
    assert [one.command_id for one in summary.refused] == ["3/1", "4/1", "5/1"]
    assert subscriber.values("select name from item order by id") == ["bolt", "nut"]
