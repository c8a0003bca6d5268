"""First rows and snapshots: nothing that people have made goes without a word."""

from __future__ import annotations

from typing import Any

import pytest

from replication_conflicts.capture.install import ExistingRows
from replication_conflicts.distribution import snapshot
from replication_conflicts.distribution.apply import AgentProblem
from replication_conflicts.publication.commands import AgentCommand, SnapshotTable
from replication_conflicts.publication.rows import SnapshotRow
from tests.python.nodes_loop.databases import Databases
from tests.python.nodes_loop.subscriber import Subscriber

EMPLOYEE: dict[str, Any] = {
    "employee": {"columns": {"id": "int", "boss": "int"}, "primary_key": ["id"]}
}
TWO_ROWS = "insert into employee (id, boss) values (1, null), (2, null)"
BOSS = "foreign key (boss) references employee (id) deferrable"
both_kinds = pytest.mark.parametrize("replication", ["queued", "merge"])


def row(key: int, boss: int | None = None) -> SnapshotRow:
    texts = {"id": str(key), "boss": None if boss is None else str(boss)}
    return SnapshotRow("employee", texts, f"HQ:{key}", {"HQ": key})


def keys(subscriber: Subscriber) -> list[int]:
    return sorted(subscriber.values("select id from employee"))


@both_kinds
def test_the_first_rows_replace_no_change_that_waits(
    databases: Databases, replication: str
) -> None:
    subscriber = Subscriber(databases, EMPLOYEE, replication=replication)
    subscriber.execute(TWO_ROWS)
    for is_replacing in (False, True):
        with pytest.raises(AgentProblem, match=r"wait for their upload \(employee 2\)"):
            subscriber.agent(is_replacing_rows=is_replacing).initialize()
    assert keys(subscriber) == [1, 2]
    subscriber.upload()
    with pytest.raises(AgentProblem, match=r"the tables have rows \(employee 2\)"):
        subscriber.agent().initialize()
    assert keys(subscriber) == [1, 2]


@both_kinds
def test_the_publishers_own_rows_stay(databases: Databases, replication: str) -> None:
    subscriber = Subscriber(
        databases, EMPLOYEE, replication=replication, existing=ExistingRows.INSERT, sql=TWO_ROWS
    )
    with pytest.raises(AgentProblem, match=r"wait for their upload \(employee 2\)"):
        subscriber.agent().initialize()
    assert keys(subscriber) == [1, 2]


@pytest.mark.parametrize("replication", [None, "queued", "merge"])
def test_a_run_that_found_nothing_is_no_start(
    databases: Databases, replication: str | None
) -> None:
    subscriber = Subscriber(databases, EMPLOYEE, replication=replication)
    subscriber.run()
    subscriber.lists.initial = [row(3)]
    assert subscriber.agent().initialize() == 1
    assert keys(subscriber) == [3]
    with pytest.raises(AgentProblem, match=r"start anew: `capture remove`"):
        subscriber.agent().initialize()


@pytest.mark.parametrize("replication", [None, "queued", "merge"])
def test_rows_are_replaced_where_somebody_has_said_so(
    databases: Databases, replication: str | None
) -> None:
    subscriber = Subscriber(
        databases,
        EMPLOYEE,
        replication=replication,
        existing=ExistingRows.SNAPSHOT,
        sql=TWO_ROWS,
    )
    subscriber.lists.initial = [row(3)]
    if replication is None:
        with pytest.raises(AgentProblem, match="--replace-rows"):
            subscriber.agent().initialize()
    assert subscriber.agent(is_replacing_rows=replication is None).initialize() == 1
    assert keys(subscriber) == [3]


def test_rows_of_a_snapshot_refer_to_later_ones(databases: Databases) -> None:
    subscriber = Subscriber(databases, EMPLOYEE, BOSS)
    subscriber.lists.initial = [row(1, boss=2), row(2)]
    assert subscriber.agent().initialize() == 2
    assert keys(subscriber) == [1, 2]


@both_kinds
def test_rows_of_a_snapshot_refer_to_later_ones_also_where_that_is_checked_at_once(
    databases: Databases, replication: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "_ROWS_AT_ONCE", 10)
    checked_at_once = BOSS.removesuffix(" deferrable")
    subscriber = Subscriber(databases, EMPLOYEE, checked_at_once, replication=replication)
    down = [row(key, boss=key + 1) for key in range(1, 30)]
    subscriber.lists.initial = [*down, row(30, boss=30), row(31, boss=1)]
    assert subscriber.agent().initialize() == 31
    assert keys(subscriber) == list(range(1, 32))


def test_a_row_of_a_snapshot_that_refers_to_none_is_named(databases: Databases) -> None:
    if databases.kind != "postgres":
        pytest.skip("SQLite checks it at the end, and names no row")
    subscriber = Subscriber(databases, EMPLOYEE, BOSS.removesuffix(" deferrable"))
    subscriber.lists.initial = [row(1, boss=2), row(2), row(3, boss=4)]
    with pytest.raises(AgentProblem, match=r"row id 3 of employee is refused: .*foreign key"):
        subscriber.agent().initialize()


def test_a_refused_row_of_a_snapshot_is_named(databases: Databases) -> None:
    subscriber = Subscriber(databases, EMPLOYEE, "check (id < 100)")
    subscriber.execute("insert into employee (id, row_version) values (1, 'v')")
    subscriber.lists.snapshot = [row(key) for key in (4, 5, 100, 6)]
    subscriber.give(
        AgentCommand(
            "r",
            "reinitialize",
            1,
            snapshot=(SnapshotTable("employee", "x", 1),),
            snapshot_position=9,
        )
    )
    for is_skipping in (False, True):
        with pytest.raises(AgentProblem, match=r"row id 100 of employee is refused: .*(?i:check)"):
            subscriber.run(is_skipping=is_skipping)
    assert keys(subscriber) == [1]


def test_a_node_that_starts_anew_takes_a_snapshot_again(databases: Databases) -> None:
    """As the agent says it: nothing is captured, and the position is deleted."""
    subscriber = Subscriber(databases, EMPLOYEE)
    subscriber.lists.snapshot = [row(2)]
    table = (SnapshotTable("employee", "x", 1),)
    subscriber.give(AgentCommand("r", "reinitialize", 4, snapshot=table, snapshot_position=9))
    subscriber.run()
    assert len(subscriber.lists.events) == 1
    moment = subscriber.values("select at from replication_event")
    subscriber.lists.events.clear()
    subscriber.execute("delete from replication_position")
    subscriber.agent(is_replacing_rows=True).initialize()
    assert subscriber.run().place.position == 9
    assert keys(subscriber) == [2]
    assert [one.snapshot_position for one in subscriber.lists.events] == [9]
    assert subscriber.values("select at from replication_event") == moment


def test_a_snapshot_that_its_commit_refuses_is_one_line(databases: Databases) -> None:
    subscriber = Subscriber(databases, EMPLOYEE, BOSS)
    subscriber.lists.initial = [row(1, boss=9)]
    with pytest.raises(AgentProblem, match=r"refused as a whole: .*(?i:foreign key)"):
        subscriber.agent().initialize()
    assert keys(subscriber) == []


def test_rows_that_another_table_keeps_are_named(databases: Databases) -> None:
    badge = "create table badge (id integer references employee (id) on delete restrict)"
    subscriber = Subscriber(databases, EMPLOYEE, sql=badge)
    subscriber.execute("insert into employee (id) values (1)", "insert into badge values (1)")
    # SQLite looks at the end
    words = "rows of employee cannot be replaced: |refused as a whole: "
    with pytest.raises(AgentProblem, match=f"({words}).*(?i:foreign key)"):
        subscriber.agent(is_replacing_rows=True).initialize()
