"""First rows and snapshots: nothing that people have made goes without a word."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import event, inspect
from sqlalchemy.exc import DBAPIError

from replication_conflicts.capture import upload
from replication_conflicts.capture.install import ExistingRows, pending_changes
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.renew import renew
from replication_conflicts.capture.state import capture_state
from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.constraints import has_followers
from replication_conflicts.database.engine import open_database
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.distribution import snapshot
from replication_conflicts.distribution.apply import AgentProblem
from replication_conflicts.distribution.ports import Reinitialized
from replication_conflicts.publication.commands import AgentCommand, Place, SnapshotTable
from replication_conflicts.publication.rows import SnapshotRow
from tests.python.nodes_loop.databases import Databases, create_tables, publications
from tests.python.nodes_loop.subscriber import Subscriber, command

EMPLOYEE: dict[str, Any] = {
    "employee": {"columns": {"id": "int", "boss": "int"}, "primary_key": ["id"]}
}
DESK: dict[str, Any] = {"desk": {"columns": {"id": "int"}, "primary_key": ["id"]}}
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
def test_nobody_writes_while_a_snapshot_comes(databases: Databases, replication: str) -> None:
    if databases.kind == "sqlite":
        pytest.skip("one writer at a time")
    subscriber = Subscriber(databases, EMPLOYEE, replication=replication)
    subscriber.lists.snapshot = [row(1)]
    snapshot = (SnapshotTable("employee", "x", 1),)
    subscriber.give(AgentCommand("r", "reinitialize", 4, snapshot=snapshot, snapshot_position=4))
    people = open_database(subscriber.url)
    refused: list[Exception] = []

    def write(_: Any, __: Any, statement: str, *___: Any) -> None:
        if not statement.startswith('delete from "employee"'):
            return
        try:
            with people.begin() as connection:
                run_plain(connection, "set local lock_timeout = '50ms'")
                run_plain(connection, "insert into employee (id) values (7)")
        except DBAPIError as error:
            refused.append(error)

    event.listen(subscriber.engine, "before_cursor_execute", write)
    subscriber.run()
    assert refused
    assert keys(subscriber) == [1]
    with subscriber.engine.begin() as connection:
        assert not pending_changes(connection, subscriber.publication)


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


@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_rows_that_wait_for_their_snapshot_are_not_passed_over(
    databases: Databases, replication: str
) -> None:
    """No command would find them: they have no version."""
    subscriber = Subscriber(
        databases,
        EMPLOYEE,
        replication=replication,
        existing=ExistingRows.SNAPSHOT,
        sql=TWO_ROWS,
    )
    subscriber.give(
        command(1, "insert", {"id": "1"}, {"boss": None}, new="HQ:1", article="employee")
    )
    for _ in range(2):
        with pytest.raises(
            AgentProblem, match=r"rows \(employee 2\).*`distribute --initialize` first"
        ):
            subscriber.run()
    assert subscriber.agent().initialize() == 0
    assert subscriber.run().changed_rows == 1
    assert keys(subscriber) == [1]


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


@pytest.fixture
def started_over(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Subscriber:
    """A snapshot is in the tables, and its report got lost on its way."""
    monkeypatch.setattr(upload, "PATIENCE_SECONDS", 0)
    subscriber = Subscriber(databases, EMPLOYEE, replication="queued")
    subscriber.lists.snapshot = [row(2)]
    table = (SnapshotTable("employee", "x", 1),)
    subscriber.give(AgentCommand("r", "reinitialize", 4, snapshot=table, snapshot_position=9))

    def lost(_: Reinitialized) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(subscriber.lists, "reinitialized", lost)
        with pytest.raises(ConnectionError):
            subscriber.run()
    assert keys(subscriber) == [2]
    return subscriber


def test_changes_on_top_of_a_snapshot_wait_for_its_report(started_over: Subscriber) -> None:
    """A run that knows nothing of the snapshot would reject them, and nothing would undo them."""
    started_over.execute("insert into employee (id) values (3)")
    with pytest.raises(CaptureProblem, match="`distribute` sends the report"):
        started_over.upload()
    with started_over.engine.begin() as connection:
        assert pending_changes(connection, started_over.publication)
    started_over.run()
    assert [one.snapshot_position for one in started_over.lists.events] == [9]
    started_over.upload()
    with started_over.engine.begin() as connection:
        assert not pending_changes(connection, started_over.publication)


def test_no_snapshot_is_taken_that_cannot_be_reported(
    databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscriber = Subscriber(databases, EMPLOYEE)
    subscriber.execute("insert into employee (id) values (1)")
    subscriber.lists.snapshot = [row(2)]
    table = (SnapshotTable("employee", "x", 1),)
    subscriber.give(AgentCommand("r", "reinitialize", 4, snapshot=table, snapshot_position=9))

    def refused() -> None:
        raise AgentProblem("nobody would see it")

    monkeypatch.setattr(subscriber.lists, "check_takes_events", refused)
    with pytest.raises(AgentProblem, match="nobody would see it"):
        subscriber.run()
    assert keys(subscriber) == [1]


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


SLOT: dict[str, Any] = {
    "slot": {"columns": {"id": "int", "code": "string"}, "primary_key": ["id"]},
    "pin": {
        "columns": {"id": "int", "slot": "int"},
        "primary_key": ["id"],
        "foreign_keys": [{"columns": ["slot"], "references": "slot", "to": ["id"]}],
    },
}
OWN = "alter table slot add column color text"
SLOTS = "insert into slot (id, code, color) values (1, 'a', 'red'), (2, 'b', 'blue'), (3, 'c', 'x')"


def slot(key: int, code: str | None, article: str = "slot") -> SnapshotRow:
    other = "code" if article == "slot" else "slot"
    return SnapshotRow(article, {"id": str(key), other: code}, f"HQ:{key}", {"HQ": key})


def slots(databases: Databases, replication: str | None, *sql: str) -> Subscriber:
    existing = ExistingRows.SNAPSHOT
    subscriber = Subscriber(databases, SLOT, replication=replication, existing=existing, sql=OWN)
    subscriber.execute(*sql)
    if replication is not None:
        renew(subscriber.engine, subscriber.publication)
        subscriber.upload()
    return subscriber


def start_over(subscriber: Subscriber, rows: list[SnapshotRow], *, is_first: bool) -> None:
    if is_first:
        subscriber.lists.initial = rows
        subscriber.agent(is_replacing_rows=True).initialize()
        return
    subscriber.lists.snapshot = rows
    table = (SnapshotTable("slot", "x", 1),)
    subscriber.give(AgentCommand("r", "reinitialize", 4, snapshot=table, snapshot_position=9))
    subscriber.run()


COLORS = "select id || coalesce(code, '') || coalesce(color, '') || coalesce(row_version, '')"
COLORS += " from slot order by id"


@pytest.mark.parametrize("replication", [None, "queued", "merge"])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_snapshot_leaves_columns_that_are_not_in_the_article(
    databases: Databases, replication: str | None, is_first: bool
) -> None:
    subscriber = slots(databases, replication, SLOTS)
    start_over(subscriber, [slot(1, "A"), slot(2, None), slot(4, "d")], is_first=is_first)
    assert subscriber.values(COLORS) == ["1AredHQ:1", "2blueHQ:2", "4dHQ:4"]
    left = [name for name in inspect(subscriber.engine).get_table_names() if "seen" in name]
    assert not left


@pytest.mark.parametrize("replication", [None, "queued", "merge"])
def test_rows_of_a_snapshot_trade_unique_values_with_all_of_their_columns(
    databases: Databases, replication: str | None
) -> None:
    number = "alter table slot add column number integer"
    if databases.kind == "postgres":
        number += " generated always as identity"
    unique = "create unique index slot_code on slot (code)"
    subscriber = slots(databases, replication, number, unique, SLOTS)
    numbers = "select number from slot where id < 4 order by id"
    before = subscriber.values(numbers)
    rows = [slot(4, "c"), slot(1, "b"), slot(2, "a")]
    start_over(subscriber, rows, is_first=False)
    assert subscriber.values(COLORS) == ["1bredHQ:1", "2ablueHQ:2", "4cHQ:4"]
    assert subscriber.values(numbers) == before[:2]
    # what has no trade waits for the row that goes
    start_over_again = [slot(2, "c"), slot(1, "b")]
    subscriber.lists.commands.clear()
    subscriber.lists.snapshot = start_over_again
    table = (SnapshotTable("slot", "x", 1),)
    subscriber.give(AgentCommand("s", "reinitialize", 10, snapshot=table, snapshot_position=19))
    subscriber.run()
    assert subscriber.values(COLORS) == ["1bredHQ:1", "2cblueHQ:2"]


def test_rows_of_a_snapshot_do_not_trade_where_others_would_go_with_them(
    databases: Databases,
) -> None:
    subscriber = slots(
        databases,
        None,
        "create unique index slot_code on slot (code)",
        "create table badge (slot integer references slot (id) on delete cascade)",
        SLOTS,
        "insert into badge values (1), (3)",
    )
    with pytest.raises(AgentProblem, match=r"row id \d of slot is refused: .*(?i:unique)"):
        start_over(subscriber, [slot(1, "b"), slot(2, "a")], is_first=True)
    assert subscriber.values("select slot from badge order by slot") == [1, 3]
    start_over(subscriber, [slot(1, "c"), slot(2, "a")], is_first=True)
    # the row 3 is gone, and with it what the application says
    assert subscriber.values("select slot from badge order by slot") == [1]


def test_a_snapshot_takes_nothing_along_that_refers_to_rows_that_stay(
    databases: Databases,
) -> None:
    subscriber = Subscriber(
        databases,
        EMPLOYEE,
        sql="create table badge (id integer references employee (id) on delete cascade)",
    )
    subscriber.execute("insert into employee (id) values (1)", "insert into badge values (1)")
    subscriber.lists.initial = [row(1), row(2, boss=1)]
    assert subscriber.agent(is_replacing_rows=True).initialize() == 2
    assert subscriber.values("select id from badge") == [1]


LOSES_BADGES = "create function lost() returns trigger language plpgsql as"
LOSES_BADGES += " $$ begin delete from badge where id = old.id; return null; end $$"
AFTER_DELETE = "after delete on {} for each row execute function lost()"
# what the application has made for the case that an employee goes: in which database, and whether
# the table is partitioned
WATCHING = [
    (
        "sqlite",
        False,
        "create trigger replication_of_badges after delete on employee"
        " begin delete from badge where id = old.id; end",
    ),
    ("postgres", False, f"create trigger replication_of {AFTER_DELETE.format('employee')}"),
    (
        "postgres",
        False,
        "create rule goes as on delete to employee do also delete from badge where id = old.id",
    ),
    ("postgres", True, f"create trigger goes {AFTER_DELETE.format('employee_1')}"),
    (
        "postgres",
        True,
        "alter table badge add foreign key (id) references employee_1 (id) on delete cascade",
    ),
]


@pytest.mark.parametrize("replication", [None, "queued", "merge"])
@pytest.mark.parametrize(("kind", "is_partitioned", "sql"), WATCHING)
def test_a_snapshot_does_not_do_what_others_do_when_rows_go(
    databases: Databases, replication: str | None, kind: str, is_partitioned: bool, sql: str
) -> None:
    """Whatever a trigger is called, and be it of a partition."""
    if databases.kind != kind:
        pytest.skip(f"{kind} only")
    if replication is not None and "rule" in sql:
        pytest.skip("a captured table has none")
    make = partitioned if is_partitioned else whole
    subscriber = make(databases, replication)
    subscriber.execute("create table badge (id integer)")
    if kind == "postgres":
        subscriber.execute(LOSES_BADGES)
    subscriber.execute(sql, "insert into employee (id) values (1)", "insert into badge values (1)")
    if replication is not None:
        subscriber.upload()
    subscriber.lists.initial = [row(1)]
    subscriber.agent(is_replacing_rows=True).initialize()
    assert subscriber.values("select row_version from employee") == ["HQ:1"]
    assert subscriber.values("select id from badge") == [1]


def whole(databases: Databases, replication: str | None) -> Subscriber:
    return Subscriber(databases, EMPLOYEE, replication=replication)


def partitioned(databases: Databases, replication: str | None) -> Subscriber:
    version = "" if replication else ", row_version text"
    return Subscriber(
        databases,
        EMPLOYEE,
        replication=replication,
        sql="drop table employee;"
        f"create table employee (id integer primary key, boss integer{version})"
        " partition by range (id);"
        "create table employee_1 partition of employee for values from (0) to (10)",
    )


@both_kinds
def test_triggers_of_capture_are_no_others(databases: Databases, replication: str) -> None:
    """So that rows go and others come, also in a table with triggers that only some need."""
    subscriber = (
        slots(databases, replication, SLOTS)
        if databases.kind == "sqlite"
        else partitioned(databases, replication)
    )
    state = capture_state(
        subscriber.engine, "north", Tables(subscriber.publication, databases.kind)
    )
    with subscriber.engine.begin() as connection:
        for name, article in subscriber.publication.articles.items():
            assert not has_followers(connection, article, state.own_triggers(name))
            assert has_followers(connection, article, ())


def test_rows_of_a_snapshot_that_others_refer_to_go_when_these_have_changed(
    databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "_ROWS_AT_ONCE", 2)
    subscriber = slots(
        databases,
        None,
        "drop table pin",
        "create table pin (id integer primary key, slot integer references slot (id),"
        " row_version text, unique (slot))",
        SLOTS,
        "insert into pin (id, slot) values (1, 1), (2, 2), (3, 3)",
    )
    brought = [slot(key, "z") for key in (3, 5, 4)]
    brought += [slot(1, "3", "pin"), slot(6, "4", "pin"), slot(3, "5", "pin")]
    start_over(subscriber, brought, is_first=False)
    assert subscriber.values(COLORS) == ["3zxHQ:3", "4zHQ:4", "5zHQ:5"]
    assert subscriber.values("select slot from pin order by id") == [3, 5, 4]


def with_employees(
    subscriber: Subscriber, constraints: str = "", *, is_captured: bool = False
) -> None:
    """The publication gets the article `employee`, after everything that the database has had."""
    (known,) = subscriber.publication.articles
    articles = {known: DESK["desk"], **EMPLOYEE}
    replication = "merge" if subscriber.publication.is_merge else "queued"
    subscriber.publication = node_publication(
        "shop", publications(articles, replication=replication)
    )
    alone = node_publication("shop", publications(EMPLOYEE, replication=replication))
    create_tables(subscriber.engine, alone, with_version=not is_captured, constraints=constraints)
    if is_captured:
        renew(subscriber.engine, subscriber.publication)


@pytest.mark.parametrize("replication", [None, "queued", "merge"])
def test_an_article_that_comes_later_brings_its_initial_rows(
    databases: Databases, replication: str | None
) -> None:
    """Once, before the first command about it, and beside what people have written by then."""
    subscriber = Subscriber(databases, DESK, replication=replication)
    subscriber.give(command(3, "insert", {"id": "1"}, {}, new="HQ:1", article="desk"))
    assert subscriber.run().changed_rows == 1
    subscriber.lists.initial = [row(1), row(2), row(3), row(4, boss=1)]
    with_employees(subscriber, is_captured=replication is not None)
    subscriber.execute("insert into employee (id, boss) values (3, 1)")
    given = command(7, "delete", {"id": "2"}, old="HQ:2", article="employee")
    subscriber.give(given)
    summary = subscriber.run()
    assert not summary.refused
    assert summary.initial_rows == 3
    held = "select row_version from employee where id = "
    assert keys(subscriber) == [1, 3, 4]
    assert subscriber.values(f"{held} 4") == ["HQ:4"]
    assert subscriber.values(f"{held} 3") != ["HQ:3"]
    if replication is not None:
        with subscriber.engine.begin() as connection:
            waiting = pending_changes(connection, subscriber.publication)
        assert waiting == {"employee": 1}
    # what goes afterwards stays away
    subscriber.execute("delete from employee where id = 4")
    assert subscriber.run().initial_rows == 0
    assert keys(subscriber) == [1, 3]


def test_a_database_begins_with_the_articles_that_there_are(databases: Databases) -> None:
    """Be it without rows: nobody has asked for them, and later ones are none that came later."""
    subscriber = Subscriber(databases, EMPLOYEE)
    subscriber.lists.initial = [row(1)]
    subscriber.give(command(3, "insert", {"id": "5"}, {}, new="HQ:5", article="employee"))
    for _ in range(2):
        subscriber.run()
        assert keys(subscriber) == [5]


def test_initial_rows_that_come_later_refer_to_one_another(databases: Databases) -> None:
    """In any order, also where the database checks it at once; a row that cannot come is named."""
    subscriber = Subscriber(databases, DESK)
    subscriber.give(command(3, "insert", {"id": "1"}, {}, new="HQ:1", article="desk"))
    subscriber.run()
    with_employees(subscriber, BOSS.removesuffix(" deferrable"))
    chain = [row(key, boss=key + 1) for key in range(1, 5)]
    subscriber.lists.initial = [*chain, row(5, boss=9)]
    with pytest.raises(AgentProblem, match=r"employee.* is refused|refused as a whole"):
        subscriber.run()
    assert keys(subscriber) == []
    subscriber.lists.initial = [*chain, row(5)]
    assert subscriber.run().initial_rows == 5
    assert keys(subscriber) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("replication", [None, "queued", "merge"])
def test_first_rows_that_stand_for_a_place(databases: Databases, replication: str | None) -> None:
    """What was told before is in them: only the records of it come, and what was told since."""
    subscriber = Subscriber(databases, EMPLOYEE, replication=replication)
    subscriber.lists.initial = [row(1)]
    subscriber.lists.first_place = Place(5)
    snapshot = (SnapshotTable("employee", "x", 1),)
    subscriber.give(
        command(2, "insert", {"id": "7"}, {}, new="HQ:7", article="employee"),
        command(3, "update", {"id": "1"}, {}, "a", "b", article="employee", kind="log_conflict"),
        AgentCommand("r", "reinitialize", 4, snapshot=snapshot, snapshot_position=4),
        command(6, "insert", {"id": "8"}, {}, new="HQ:8", article="employee"),
    )
    assert subscriber.agent().initialize() == 1
    assert keys(subscriber) == [1]
    assert subscriber.values("select command_id from replication_conflict") == ["3/1"]
    assert subscriber.run().changed_rows == 1
    assert keys(subscriber) == [1, 8]
    assert [one.snapshot_position for one in subscriber.lists.events] == [4]


def test_commands_of_a_queue_that_has_begun_anew(databases: Databases) -> None:
    """The node would be told nothing until the queue has come as far as before."""
    subscriber = Subscriber(databases, EMPLOYEE)
    subscriber.give(command(6, "insert", {"id": "8"}, {}, new="HQ:8", article="employee"))
    subscriber.run()
    subscriber.lists.is_reached = False
    with pytest.raises(AgentProblem, match=r"up to position 6, and nothing has been decided"):
        subscriber.run()
    subscriber.lists.is_reached = True
    assert subscriber.run().transactions == 0


@pytest.mark.parametrize("replication", [None, "queued", "merge"])
def test_commands_that_do_not_begin_with_the_first_decision(
    databases: Databases, replication: str | None
) -> None:
    """A node that begins with nothing would stay without what was decided before."""
    subscriber = Subscriber(databases, EMPLOYEE, replication=replication)
    subscriber.lists.are_whole = False
    subscriber.lists.initial = [row(1)]
    subscriber.give(command(6, "insert", {"id": "8"}, {}, new="HQ:8", article="employee"))
    with pytest.raises(AgentProblem, match=r"row filters.*`distribute --initialize`"):
        subscriber.run()
    assert keys(subscriber) == []
    subscriber.agent().initialize()
    subscriber.run()
    assert keys(subscriber) == [1, 8]
