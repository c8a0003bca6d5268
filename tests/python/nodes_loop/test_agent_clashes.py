"""Commands that the database refuses because of other rows: some only because of the order."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import event

from replication_conflicts.database import agent_tables
from replication_conflicts.distribution import commits
from replication_conflicts.publication.commands import AgentCommand, Place
from tests.python.nodes_loop.databases import Databases, sqlite_databases
from tests.python.nodes_loop.subscriber import Subscriber, command

SLOT: dict[str, Any] = {
    "slot": {
        "columns": {"id": "int", "code": "string", "boss": "int"},
        "primary_key": ["id"],
        "unique_keys": [["code"]],
    }
}
UNIQUE = "unique (code)"
REFERENCE = "foreign key (boss) references slot (id)"
both_ways = pytest.mark.parametrize("is_skipping", [False, True])
both_kinds = pytest.mark.parametrize("replication", ["queued", "merge"])


def insert(
    position: int, key: int, code: str, *, boss: str | None = None, **options: Any
) -> AgentCommand:
    row = {"code": code, "boss": boss}
    options = {"new": f"HQ:{position}", **options}
    return command(position, "insert", {"id": str(key)}, row, article="slot", **options)


def update(
    position: int, key: int, code: str, old: str, *, boss: str | None = None, **options: Any
) -> AgentCommand:
    row: dict[str, str | None] = {"code": code, "boss": boss}
    options = {"new": f"HQ:{position}", **options}
    return command(position, "update", {"id": str(key)}, row, old, article="slot", **options)


def delete(position: int, key: int, old: str, **options: Any) -> AgentCommand:
    return command(position, "delete", {"id": str(key)}, None, old, article="slot", **options)


def codes(subscriber: Subscriber) -> dict[str, tuple[str | None, str | None]]:
    """Code and version by key."""
    return {
        str(row["id"]): (row["code"], row["row_version"])
        for row in subscriber.rows()["slot"].values()
    }


def with_own_row(databases: Databases, replication: str) -> tuple[Subscriber, str]:
    """A node that has uploaded an insert of its own, and the version of it."""
    subscriber = Subscriber(databases, SLOT, UNIQUE, replication=replication)
    subscriber.execute("insert into slot (id, code) values (2, 'a')")
    subscriber.upload()
    (version,) = subscriber.values("select row_version from slot")
    return subscriber, str(version)


@both_kinds
@both_ways
def test_a_row_comes_whose_code_the_node_has_given_to_another(
    databases: Databases, replication: str, is_skipping: bool
) -> None:
    """The other branch was first: the node's own row goes, but a transaction later."""
    subscriber, own = with_own_row(databases, replication)
    subscriber.give(insert(1, 1, "a"), delete(2, 2, own, kind="compensating"), insert(3, 3, "c"))
    summary = subscriber.run(is_skipping=is_skipping)
    assert codes(subscriber) == {"1": ("a", "HQ:1"), "3": ("c", "HQ:3")}
    assert subscriber.lists.refusals == {}
    assert (summary.refused, summary.is_stopped, summary.place.position) == ([], False, 3)
    assert (summary.transactions, summary.commands.total(), summary.changed_rows) == (3, 3, 3)
    # what is kept beside the rows has followed
    subscriber.give(update(4, 1, "b", "HQ:1"))
    assert subscriber.run().changed_rows == 1
    assert subscriber.agent().run().transactions == 0


@both_kinds
@both_ways
def test_rows_trade_their_codes_in_one_transaction(
    databases: Databases, replication: str, is_skipping: bool
) -> None:
    subscriber = Subscriber(databases, SLOT, UNIQUE, replication=replication)
    subscriber.give(
        *[insert(1, key, code, sequence=key) for key, code in ((1, "a"), (2, "b"), (3, "c"))],
        update(2, 1, "b", "HQ:1", sequence=1),
        update(2, 2, "c", "HQ:1", sequence=2),
        update(2, 3, "a", "HQ:1", sequence=3),
        # not the version that is held: does nothing, as anywhere else
        update(2, 4, "a", "HQ:0", sequence=4),
        update(3, 1, "d", "HQ:2"),
    )
    summary = subscriber.run(is_skipping=is_skipping)
    assert codes(subscriber) == {"1": ("d", "HQ:3"), "2": ("c", "HQ:2"), "3": ("a", "HQ:2")}
    assert (summary.refused, summary.place.position, summary.changed_rows) == ([], 3, 7)
    assert subscriber.lists.refusals == {}


def test_a_row_that_follows_itself_is_brought_up_in_order(databases: Databases) -> None:
    subscriber = Subscriber(databases, SLOT, UNIQUE)
    subscriber.execute("insert into slot (id, code, row_version) values (2, 'a', 'HQ:0')")
    subscriber.give(
        insert(1, 1, "a"),
        update(2, 1, "b", "HQ:1"),
        update(3, 1, "a", "HQ:2"),
        delete(4, 2, "HQ:0"),
        update(5, 1, "z", "HQ:3"),
    )
    summary = subscriber.run(most_transactions=2)
    assert codes(subscriber) == {"1": ("z", "HQ:5")}
    assert (summary.transactions, summary.place.position) == (5, 5)


@both_ways
def test_a_row_comes_before_the_one_that_it_refers_to(
    databases: Databases, is_skipping: bool
) -> None:
    subscriber = Subscriber(databases, SLOT, REFERENCE)
    subscriber.give(insert(1, 1, "a", boss="2"), insert(2, 2, "b"))
    assert subscriber.run(is_skipping=is_skipping).refused == []
    assert set(codes(subscriber)) == {"1", "2"}


@both_kinds
@both_ways
def test_a_row_that_others_refer_to_goes_and_comes_again(
    databases: Databases, replication: str, is_skipping: bool
) -> None:
    """As `insert or replace` makes it: a reference that is met in the end may be checked before."""
    subscriber = Subscriber(databases, SLOT, REFERENCE, replication=replication)
    subscriber.give(
        insert(1, 1, "a"),
        insert(2, 2, "e", boss="1"),
        delete(3, 1, "HQ:1", sequence=1),
        insert(3, 1, "b", sequence=2),
        delete(3, 1, "HQ:3", sequence=3),
        insert(3, 1, "c", sequence=4, new="HQ:4"),
        # behind it in the same transaction, and in the next one
        update(3, 1, "d", "HQ:4", sequence=5, new="HQ:5"),
        update(4, 1, "f", "HQ:5", new="HQ:6"),
    )
    summary = subscriber.run(is_skipping=is_skipping)
    assert codes(subscriber) == {"1": ("f", "HQ:6"), "2": ("e", "HQ:2")}
    assert (summary.refused, summary.is_stopped, summary.place.position) == ([], False, 4)
    assert subscriber.lists.refusals == {}
    assert subscriber.agent().run().transactions == 0


@both_ways
def test_a_row_that_others_refer_to_and_that_has_been_changed_stays(
    databases: Databases, is_skipping: bool
) -> None:
    """Both commands find another version, and do nothing."""
    subscriber = Subscriber(databases, SLOT, REFERENCE)
    subscriber.execute(
        "insert into slot (id, code, row_version) values (1, 'own', 'north:1')",
        "insert into slot (id, code, boss, row_version) values (2, 'e', 1, 'HQ:2')",
    )
    subscriber.give(delete(3, 1, "HQ:1", sequence=1), insert(3, 1, "b", sequence=2))
    assert subscriber.run(is_skipping=is_skipping).refused == []
    assert codes(subscriber) == {"1": ("own", "north:1"), "2": ("e", "HQ:2")}


@both_ways
def test_a_row_that_others_refer_to_and_that_only_goes_is_refused(
    databases: Databases, is_skipping: bool
) -> None:
    subscriber = Subscriber(databases, SLOT, REFERENCE)
    subscriber.execute(
        "insert into slot (id, code, row_version) values (1, 'a', 'HQ:1')",
        "insert into slot (id, code, boss, row_version) values (2, 'e', 1, 'HQ:2')",
    )
    # not what the delete leaves: no update leads there
    subscriber.give(delete(3, 1, "HQ:1"), update(4, 1, "b", "HQ:9"))
    summary = subscriber.run(is_skipping=is_skipping)
    assert [one.command_id for one in summary.refused] == ["3/1"]
    assert codes(subscriber) == {"1": ("a", "HQ:1"), "2": ("e", "HQ:2")}


@both_kinds
@both_ways
def test_a_row_that_refers_to_nothing_comes_and_goes(
    databases: Databases, replication: str, is_skipping: bool
) -> None:
    """The node has deleted what the row refers to; others have deleted the row meanwhile."""
    subscriber = Subscriber(databases, SLOT, REFERENCE, replication=replication)
    subscriber.give(
        insert(1, 2, "e", boss="1"),
        insert(2, 3, "c"),
        update(3, 2, "f", "HQ:1", boss="1"),
        delete(4, 2, "HQ:3"),
        insert(5, 4, "d"),
    )
    summary = subscriber.run(is_skipping=is_skipping)
    assert codes(subscriber) == {"3": ("c", "HQ:2"), "4": ("d", "HQ:5")}
    assert (summary.refused, summary.is_stopped, summary.place.position) == ([], False, 5)
    assert subscriber.lists.refusals == {}
    # the key is free
    subscriber.give(insert(6, 2, "g"))
    assert not subscriber.run().is_stopped
    assert codes(subscriber)["2"] == ("g", "HQ:6")


@both_ways
def test_a_row_that_refers_to_nothing_gets_another_reference(
    databases: Databases, is_skipping: bool
) -> None:
    subscriber = Subscriber(databases, SLOT, REFERENCE)
    subscriber.give(
        insert(1, 2, "e", boss="1"),
        update(2, 2, "e", "HQ:1", boss="3"),
        insert(3, 3, "c"),
    )
    assert subscriber.run(is_skipping=is_skipping).refused == []
    assert codes(subscriber) == {"2": ("e", "HQ:2"), "3": ("c", "HQ:3")}


@both_kinds
def test_what_nothing_lets_act_stops_as_ever(databases: Databases, replication: str) -> None:
    subscriber, _ = with_own_row(databases, replication)
    subscriber.give(insert(1, 7, "z"), insert(2, 1, "a"), insert(3, 3, "c"))
    before = codes(subscriber)
    summary = subscriber.run()
    assert (summary.is_stopped, summary.place.position) == (True, 1)
    assert codes(subscriber) == {**before, "7": ("z", "HQ:1")}
    assert list(subscriber.lists.refusals) == ["2/1"]
    assert subscriber.lists.refusals["2/1"].error_code == 2601


@both_kinds
def test_what_nothing_lets_act_is_left_out_as_ever(databases: Databases, replication: str) -> None:
    subscriber, _ = with_own_row(databases, replication)
    before = codes(subscriber)
    subscriber.give(insert(1, 1, "a"), insert(2, 5, "e"), insert(3, 6, "a"), insert(4, 7, "g"))
    summary = subscriber.run(is_skipping=True)
    assert codes(subscriber) == {**before, "5": ("e", "HQ:2"), "7": ("g", "HQ:4")}
    assert list(subscriber.lists.refusals) == ["1/1", "3/1"]
    assert (summary.commands.total(), summary.transactions, summary.place.position) == (2, 4, 4)


@both_ways
def test_one_refused_for_good_takes_none_along_that_only_waits(
    databases: Databases, is_skipping: bool
) -> None:
    subscriber = Subscriber(databases, SLOT, UNIQUE)
    subscriber.execute("insert into slot (id, code, row_version) values (2, 'a', 'HQ:0')")
    subscriber.execute("insert into slot (id, code, row_version) values (9, 'x', 'HQ:0')")
    before = codes(subscriber)
    subscriber.give(insert(1, 1, "a"), insert(2, 3, "x"), delete(3, 2, "HQ:0"))
    summary = subscriber.run(is_skipping=is_skipping)
    assert [one.command_id for one in summary.refused] == list(subscriber.lists.refusals)
    if is_skipping:
        assert codes(subscriber) == {"1": ("a", "HQ:1"), "9": ("x", "HQ:0")}
        assert (list(subscriber.lists.refusals), summary.place.position) == (["2/1"], 3)
    else:
        assert codes(subscriber) == before
        assert summary.place == Place()


def test_a_command_waits_for_so_many_transactions(
    databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "MOST_AHEAD", 3)
    subscriber = Subscriber(databases, SLOT, UNIQUE)
    subscriber.execute("insert into slot (id, code, row_version) values (2, 'a', 'HQ:0')")
    subscriber.give(insert(1, 1, "a"), insert(2, 3, "c"), insert(3, 4, "d"), delete(4, 2, "HQ:0"))
    assert subscriber.run().is_stopped
    assert set(codes(subscriber)) == {"2"}
    monkeypatch.setattr(commits, "MOST_AHEAD", 4)
    assert not subscriber.run().is_stopped
    assert set(codes(subscriber)) == {"1", "3", "4"}


def test_a_crash_in_between_loses_nothing_and_repeats_nothing(databases: Databases) -> None:
    subscriber = Subscriber(databases, SLOT, UNIQUE)
    subscriber.execute("insert into slot (id, code, row_version) values (2, 'a', 'HQ:0')")
    subscriber.give(insert(1, 1, "a"), update(2, 1, "a", "HQ:1"), delete(3, 2, "HQ:0"))
    agent = subscriber.agent()

    def crash(*_: Any) -> None:
        if ("1",) in subscriber_rows:
            raise KeyboardInterrupt

    subscriber_rows: set[tuple[str, ...]] = set()

    def noticed(_: Any, __: Any, statement: str, *___: Any) -> None:
        if statement.startswith("UPDATE replication_position"):
            subscriber_rows.add(("1",))

    event.listen(subscriber.engine, "before_cursor_execute", noticed)
    event.listen(subscriber.engine, "commit", crash)
    with pytest.raises(KeyboardInterrupt):
        agent.run()
    event.remove(subscriber.engine, "commit", crash)
    subscriber.engine.dispose()
    assert codes(subscriber) == {"2": ("a", "HQ:0")}
    with subscriber.engine.begin() as connection:
        assert agent_tables.read_position(connection, "shop", "north") == Place()
    summary = subscriber.run()
    assert (summary.transactions, summary.changed_rows) == (3, 3)
    assert codes(subscriber) == {"1": ("a", "HQ:2")}


def trade(subscriber: Subscriber) -> bool:
    """Whether two rows can trade their codes."""
    subscriber.execute(
        "insert into slot (id, code, row_version) values (1, 'a', 'HQ:0'), (2, 'b', 'HQ:0')"
    )
    subscriber.execute("insert into badge values (1)")
    subscriber.give(update(1, 1, "b", "HQ:0", sequence=1), update(1, 2, "a", "HQ:0", sequence=2))
    is_done = not subscriber.run().is_stopped
    assert subscriber.values("select slot from badge") == [1]
    assert codes(subscriber)["1"] == (("b", "HQ:1") if is_done else ("a", "HQ:0"))
    return is_done


@pytest.mark.parametrize(
    ("rule", "is_done"),
    [
        ("deferrable initially immediate", True),
        ("on delete cascade deferrable", False),
        ("on delete set null deferrable", False),
    ],
)
def test_rows_do_not_trade_where_others_would_go_with_them(
    databases: Databases, rule: str, is_done: bool
) -> None:
    badge = f"create table badge (slot integer references slot (id) {rule})"
    subscriber = Subscriber(databases, SLOT, UNIQUE, sql=badge)
    assert trade(subscriber) is is_done


def test_rows_do_not_trade_where_a_column_would_be_lost(databases: Databases) -> None:
    subscriber = Subscriber(databases, SLOT, UNIQUE, sql="create table badge (slot integer)")
    subscriber.execute("alter table slot add column color text")
    assert not trade(subscriber)


@pytest.mark.parametrize("name", ["goes", "replication_of_badges"])
def test_rows_do_not_trade_where_a_trigger_watches_them_go(tmp_path: Any, name: str) -> None:
    subscriber = Subscriber(
        sqlite_databases(tmp_path), SLOT, UNIQUE, sql="create table badge (slot integer)"
    )
    subscriber.execute(
        f"create trigger {name} after delete on slot"
        " begin delete from badge where slot = old.id; end"
    )
    assert not trade(subscriber)
