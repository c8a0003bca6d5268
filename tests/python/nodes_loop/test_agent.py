"""The Distribution Agent at a real database."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from replication_conflicts.database import agent_tables
from replication_conflicts.database.statements import run_plain
from replication_conflicts.distribution import reports
from replication_conflicts.distribution.apply import AgentProblem
from replication_conflicts.distribution.ports import Refusal
from replication_conflicts.publication.commands import AgentCommand, SnapshotTable
from replication_conflicts.publication.rows import SnapshotRow
from tests.python.nodes_loop.databases import Databases
from tests.python.nodes_loop.subscriber import Subscriber, command, insert

AWKWARD = 'O\'Brien; "x" :name %(name)s %s ? 漢字 \\ \N{ROCKET}\n'
ARTICLES: dict[str, Any] = {
    "item": {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]},
    "line": {
        "columns": {"id": "int", "item": "int"},
        "primary_key": ["id"],
        "foreign_keys": [{"columns": ["item"], "references": "item", "to": ["id"]}],
    },
}
EVERY_TYPE: dict[str, Any] = {
    'odd "name" :x; drop %s': {
        "columns": {
            "order": "int",
            "größe :y": "string",
            "a": "bigint",
            "b": "decimal(12,3)",
            "c": "double",
            "d": "float",
            "e": "boolean",
            "f": "date",
            "g": "timestamp",
            "h": "binary",
            "new_version": "varchar(200)",
            "100%": "smallint",
        },
        "primary_key": ["order", "größe :y"],
    }
}


@pytest.fixture
def subscriber(databases: Databases) -> Subscriber:
    return Subscriber(databases, ARTICLES)


def test_commands_act_in_order_and_only_on_the_version_that_they_name(
    subscriber: Subscriber,
) -> None:
    subscriber.give(
        insert(3, 1, AWKWARD),
        insert(3, 2, "two", sequence=2),
        command(5, "update", {"id": "1"}, {"name": "one"}, "v3.1", "v5"),
        command(6, "update", {"id": "2"}, {"name": "never"}, "another", "v6"),
        command(7, "delete", {"id": "2"}, None, "another", None),
        insert(9, 1, "is there already"),
    )
    summary = subscriber.run()
    assert subscriber.rows()["item"] == {
        ("1",): {"id": "1", "name": "one", "row_version": "v5"},
        ("2",): {"id": "2", "name": "two", "row_version": "v3.2"},
    }
    assert (summary.transactions, summary.commands["replicated"]) == (5, 6)
    assert (summary.changed_rows, summary.place.position) == (3, 9)
    again = subscriber.run()
    assert (again.transactions, again.place.position) == (0, 9)


def test_a_queue_may_begin_with_any_number(subscriber: Subscriber) -> None:
    """Offsets of a topic begin with 0."""
    assert str(subscriber.run().place) == "none yet"
    subscriber.give(insert(-3, 1, "one"), insert(0, 2, "two"), insert(1, 3, "three"))
    summary = subscriber.run()
    assert set(subscriber.rows()["item"]) == {("1",), ("2",), ("3",)}
    assert str(summary.place) == "1"


def test_every_type_comes_as_it_was(databases: Databases) -> None:
    subscriber = Subscriber(databases, EVERY_TYPE)
    (article,) = EVERY_TYPE
    key: dict[str, str | None] = {"order": "-7", "größe :y": AWKWARD}
    full: dict[str, str | None] = {
        "a": "-9223372036854775808",
        "b": "-123456789.125",
        "c": "0.1",
        "d": "3.4E38",
        "e": "true",
        "f": "0999-02-03",
        "g": "2026-01-01 00:00:00.000001",
        "h": "AAECAyc7",
        "new_version": AWKWARD,
        "100%": "100",
    }
    empty: dict[str, str | None] = dict.fromkeys(full)
    subscriber.give(
        command(1, "insert", key, full, None, "v1", article=article),
        command(2, "update", key, empty, "v1", "v2", article=article),
        command(3, "update", key, full, "v2", "v3", article=article),
    )
    assert subscriber.run().changed_rows == 3
    (row,) = subscriber.rows()[article].values()
    assert row == {**key, **full, "row_version": "v3"}
    subscriber.give(command(4, "delete", key, None, "v3", None, article=article))
    assert subscriber.run().changed_rows == 1
    assert subscriber.rows()[article] == {}


def test_a_refused_command_stops_before_its_transaction_and_is_reported_once(
    databases: Databases,
) -> None:
    subscriber = Subscriber(databases, {"item": ARTICLES["item"]}, "check (id < 100)")
    subscriber.give(
        insert(1, 1, "one"),
        insert(2, 2, "two"),
        insert(2, 100, "too large", sequence=2),
        insert(3, 3, "three"),
    )
    summary = subscriber.run()
    assert summary.is_stopped
    assert summary.place.position == 1
    assert set(subscriber.rows()["item"]) == {("1",)}
    refusal = subscriber.lists.refusals["2/2"]
    assert (refusal.error_code, refusal.operation, refusal.row) == (547, "insert", None)
    assert refusal.key == {"id": "100"}
    subscriber.lists.refusals.clear()
    assert subscriber.run().is_stopped
    assert subscriber.lists.refusals == {}, "it was reported before"


def test_a_refusal_is_kept_with_its_last_error(subscriber: Subscriber) -> None:
    """Whoever reads the table puts right what is wrong now."""
    subscriber.run()
    first = Refusal("north", "2/1", "item", {"id": "1"}, "insert", 2627, "is there", None)
    again = replace(first, error_code=515, error_text="has no name", row={"id": "1"})
    for refusal in (first, again):
        with subscriber.engine.begin() as connection:
            reports.keep_refusals(connection, "stock", [refusal], is_skipped=False)
            kept = connection.execute(select(agent_tables.refusals)).mappings().one()
            assert (kept["error_code"], kept["error_text"]) == (
                refusal.error_code,
                refusal.error_text,
            )
            change = agent_tables.refusals.update().values(is_reported=True)
            connection.execute(change)
    assert kept["held_row"] == '{"id": "1"}'
    assert kept["is_reported"]


def test_a_refused_command_is_left_out_with_the_row_that_is_held(databases: Databases) -> None:
    subscriber = Subscriber(databases, {"item": ARTICLES["item"]}, "check (name <> 'bad')")
    subscriber.give(
        insert(1, 1, "one"),
        command(2, "update", {"id": "1"}, {"name": "bad"}, "v1.1", "v2", sequence=1),
        insert(2, 2, "two", sequence=2),
        insert(3, 3, "three"),
    )
    summary = subscriber.run(is_skipping=True)
    assert not summary.is_stopped
    assert summary.place.position == 3
    assert set(subscriber.rows()["item"]) == {("1",), ("2",), ("3",)}
    refusal = subscriber.lists.refusals["2/1"]
    assert refusal.row == {"id": "1", "name": "one"}
    assert [one.command_id for one in summary.refused] == ["2/1"]


@pytest.mark.parametrize("is_skipping", [False, True])
def test_what_only_the_commit_refuses_is_the_transactions_last_command(
    databases: Databases, is_skipping: bool
) -> None:
    subscriber = Subscriber(databases, {"item": ARTICLES["item"]})
    with subscriber.engine.begin() as connection:
        run_plain(
            connection,
            "create table extra (item integer references item (id) deferrable initially deferred)",
        )
        run_plain(connection, "insert into item (id, row_version) values (1, 'v0')")
        run_plain(connection, "insert into extra values (1)")
    subscriber.give(
        insert(1, 5, "five"),
        command(2, "delete", {"id": "1"}, None, "v0", None),
        insert(3, 6, "six"),
    )
    summary = subscriber.run(is_skipping=is_skipping)
    assert summary.is_stopped is not is_skipping
    assert subscriber.lists.refusals["2/1"].error_code == 547
    expected = {("1",), ("5",), ("6",)} if is_skipping else {("1",), ("5",)}
    assert set(subscriber.rows()["item"]) == expected


def test_a_snapshot_replaces_the_tables_and_is_reported(subscriber: Subscriber) -> None:
    subscriber.give(
        insert(1, 1, "one"),
        AgentCommand(
            "r",
            "reinitialize",
            4,
            1,
            snapshot=(SnapshotTable("item", "x", 1), SnapshotTable("line", "y", 1)),
            snapshot_position=10,
        ),
        insert(5, 50, "what the snapshot holds is never read"),
    )
    subscriber.lists.snapshot = [
        SnapshotRow("item", {"id": str(key), "name": AWKWARD}, f"s{key}", {})
        for key in range(2, 2503)
    ] + [SnapshotRow("line", {"id": "1", "item": "2"}, "s", {})]
    summary = subscriber.run()
    rows = subscriber.rows()
    assert len(rows["item"]) == 2501
    assert rows["item"]["7",] == {"id": "7", "name": AWKWARD, "row_version": "s7"}
    assert rows["line"]["1",]["row_version"] == "s"
    assert (summary.place.position, summary.snapshot_rows) == (10, 2502)
    assert [(one.subscriber, one.snapshot_position) for one in subscriber.lists.events] == [
        ("north", 10)
    ]
    subscriber.give(insert(11, 1, "after"))
    assert subscriber.run().place.position == 11
    assert len(subscriber.lists.events) == 1


def test_a_snapshot_that_leads_nowhere_ends_the_run(
    subscriber: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = (SnapshotTable("item", "x", 1),)
    subscriber.give(AgentCommand("r", "reinitialize", 4, snapshot=snapshot, snapshot_position=4))
    subscriber.lists.snapshot = [SnapshotRow("item", {"id": "1", "name": None}, "s1", {})]
    with monkeypatch.context() as patched:
        patched.setattr(agent_tables, "move_position", lambda *_: None)
        patched.setattr(reports, "keep_event", lambda *_: None)
        with pytest.raises(AgentProblem, match="command r does not lead on"):
            subscriber.run()
    assert subscriber.run().place.position == 4


def test_the_first_rows_come_once(subscriber: Subscriber) -> None:
    subscriber.lists.initial = [SnapshotRow("item", {"id": "1", "name": None}, "i1", {})]
    assert subscriber.agent().initialize() == 1
    with pytest.raises(AgentProblem, match="initialized already"):
        subscriber.agent().initialize()
    subscriber.give(command(1, "update", {"id": "1"}, {"name": "one"}, "i1", "v1"))
    assert subscriber.run().changed_rows == 1


def test_lost_conflicts_are_kept_at_the_node(subscriber: Subscriber) -> None:
    lost = AgentCommand(
        "c",
        "log_conflict",
        2,
        article="item",
        key={"id": "1"},
        row={"id": "1", "name": AWKWARD},
        cause="conflict",
    )
    subscriber.give(insert(1, 1, "one"), lost)
    assert subscriber.run().commands["log_conflict"] == 1
    with subscriber.engine.begin() as connection:
        (kept,) = connection.execute(select(agent_tables.conflicts)).mappings()
    assert (kept["conflict_id"], kept["queue_position"]) == ("conflict", 2)
    assert "O'Brien" in kept["lost_row"]
