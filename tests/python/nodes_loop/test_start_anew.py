"""Merge replication at a node that starts anew: its changes are none that are known already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from replication_conflicts.capture.install import ExistingRows, install, remove
from replication_conflicts.capture.ports import BatchMismatch
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import seal
from replication_conflicts.database.engine import agent_transaction, open_database
from replication_conflicts.database.statements import run_plain
from replication_conflicts.publication.commands import AgentCommand
from tests.python.nodes_loop.databases import Databases, create_tables, publications
from tests.python.nodes_loop.loop import Loop
from tests.python.nodes_loop.subscriber import Subscriber, command

ITEM: dict[str, Any] = {"item": {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]}}
NODES: dict[str, Decimal | None] = {
    "HQ": None,
    "north": Decimal("75.00"),
    "south": Decimal("20.00"),
}
SUBSCRIPTIONS: dict[str, dict[str, Any]] = {
    "north": {"type": "server", "priority": 75},
    "south": {"type": "server", "priority": 20},
}


class Shop(Loop):
    """Three databases, one of which starts anew."""

    def __init__(self, databases: Databases, folder: Path) -> None:
        options = publications(ITEM, replication="merge")
        super().__init__(databases, folder, options, NODES, SUBSCRIPTIONS)

    def work(self, node: str, *statements: str) -> None:
        with self.engines[node].begin() as connection:
            for statement in statements:
                run_plain(connection, statement)

    def versions(self, node: str) -> dict[int, str]:
        with self.engines[node].begin() as connection:
            rows = run_plain(connection, "select id, row_version from item").mappings().all()
        return {row["id"]: row["row_version"] for row in rows}

    def install_again(self, node: str) -> None:
        """The same database."""
        remove(self.engines[node], self.publication, is_discarding=True)
        snapshot = ExistingRows.SNAPSHOT
        install(self.engines[node], self.publication, node, snapshot, NODES[node])

    def drop_sealed(self, node: str) -> None:
        """As a snapshot does to a batch on its way."""
        engine = self.engines[node]
        assert seal(engine, self.publication) is not None
        state = capture_state(engine, node, self.tables)
        with agent_transaction(engine) as connection:
            state.started_over(connection)

    def replace(self, node: str) -> None:
        """A new database."""
        self.urls[node] = self.databases.make(f"{node}_anew")
        self.engines[node] = open_database(self.urls[node])
        create_tables(self.engines[node], self.publication, with_version=False)
        install(self.engines[node], self.publication, node, priority=NODES[node])

    def check_every_change_is_decided(self) -> None:
        sent = [row.values["change_id"] for _, row in self.lake.rows()]
        decided = [one.change_id for one in self.publisher.reader.journal.outcomes]
        assert sorted(map(str, sent)) == sorted(map(str, decided))


@pytest.fixture
def shop(databases: Databases, tmp_path: Path) -> Shop:
    """North has used numbers, and more of them than are to be seen in its rows."""
    found = Shop(databases, tmp_path)
    found.work("north", "insert into item (id, name) values (1, 'a'), (2, 'b')")
    found.settle()
    for number in range(3):
        found.work("north", f"update item set name = 'u{number}' where id = 1")
        found.settle()
    return found


def nothing_more(_: Shop) -> str:
    return "north:5"


def a_change_that_lost(shop: Shop) -> str:
    """Only the version that goes has its number: a row of lower priority was there first."""
    shop.work("HQ", "update item set name = 'wins' where id = 2")
    shop.upload("HQ")
    shop.work("north", "update item set name = 'loses' where id = 2")
    shop.settle()
    assert shop.versions("north")[2].startswith("HQ")
    return "north:6"


def a_change_that_is_undecided(shop: Shop) -> str:
    shop.work("north", "update item set name = 'undecided' where id = 1")
    shop.upload("north")
    return "north:6"


@pytest.mark.parametrize("start", [Shop.install_again, Shop.replace])
@pytest.mark.parametrize("before", [nothing_more, a_change_that_lost, a_change_that_is_undecided])
def test_changes_after_a_new_start_are_new(
    shop: Shop, start: Callable[[Shop, str], None], before: Callable[[Shop], str]
) -> None:
    last = before(shop)
    start(shop, "north")
    shop.initialize("north")
    shop.distribute("north")
    _go_on(shop, last)


def test_a_new_database_may_start_with_the_first_command(shop: Shop) -> None:
    last = a_change_that_is_undecided(shop)
    shop.replace("north")
    shop.distribute("north")
    _go_on(shop, last)


def _go_on(shop: Shop, last: str) -> None:
    shop.work(
        "north",
        "update item set name = 'after' where id = 1",
        "insert into item (id, name) values (3, 'new')",
        "update item set name = 'after' where id = 2",
    )
    number = int(last.removeprefix("north:"))
    assert shop.versions("north") == {
        key: f"north:{number + place}" for place, key in enumerate((1, 3, 2), 1)
    }
    shop.settle()
    shop.check()
    shop.check_every_change_is_decided()
    rows = shop.publisher.published()["item"]
    assert {key: row["name"] for (key,), row in rows.items()} == {
        "1": "after",
        "2": "after",
        "3": "new",
    }


@pytest.mark.parametrize("is_late", [False, True])
def test_who_uploads_before_the_first_commands_is_stopped(shop: Shop, is_late: bool) -> None:
    """Also where the numbers were given before, and the commands came before the upload."""
    a_change_that_is_undecided(shop)
    shop.replace("north")
    shop.work("north", "insert into item (id, name) values (3, 'new')")
    if is_late:
        shop.distribute("north")
    feed = shop.lake.rows()
    for _ in range(2):
        with pytest.raises(BatchMismatch, match=r"counts .* anew.* is north:1, .* up to north:6"):
            shop.upload("north")
    assert shop.lake.rows() == feed
    # as the error says
    shop.install_again("north")
    shop.initialize("north")
    shop.distribute("north")
    shop.work("north", "insert into item (id, name) values (3, 'new')")
    shop.settle()
    shop.check()
    shop.check_every_change_is_decided()
    assert shop.versions("HQ")[3] == "north:7"


def test_a_batch_that_a_snapshot_has_dropped_is_no_new_start(shop: Shop) -> None:
    """Its number is in no feed, and the changes behind it have later ones."""
    shop.work("north", "update item set name = 'dropped' where id = 1")
    shop.drop_sealed("north")
    shop.work("north", "insert into item (id, name) values (3, 'new')")
    shop.upload("north")
    assert [row.values["id"] for _, row in shop.lake.rows()][-1] == 3


def test_known_numbers_are_asked_for_once(databases: Databases) -> None:
    subscriber = Subscriber(databases, ITEM, replication="merge")
    subscriber.execute(
        "insert into item (id, name) values (1, 'a'), (2, 'b')", "update item set name = 'c'"
    )
    subscriber.upload()
    asked: list[str] = []

    def listen(_: Any, __: Any, statement: str, *rest: Any) -> None:
        if "last_number" in statement or "last_value" in statement:
            asked.append(statement)

    event.listen(subscriber.engine, "before_cursor_execute", listen)
    agent = subscriber.agent()
    for place in range(1, 5):
        subscriber.give(_own(place, number=1 + place % 2))
        agent.run()
    assert len(asked) == 1
    subscriber.give(_own(5, number=9))
    agent.run()
    subscriber.execute("insert into item (id, name) values (3, 'd')")
    assert subscriber.values("select row_version from item where id = 3") == ["north:10"]


@pytest.mark.parametrize("place", ["lineage", "old_version", "new_version"])
def test_numbers_are_known_from_commands_that_find_no_row(databases: Databases, place: str) -> None:
    subscriber = Subscriber(databases, ITEM, replication="merge")
    known = _own(1, number=7)
    if place != "lineage":
        known = replace(known, lineage={}, **{place: "north:7"})  # type: ignore[arg-type]
    subscriber.give(known)
    assert subscriber.run().changed_rows == 0
    subscriber.execute("insert into item (id, name) values (3, 'd')")
    assert subscriber.values("select row_version from item where id = 3") == ["north:8"]


def test_a_number_whose_transaction_was_undone_is_noted_again(databases: Databases) -> None:
    subscriber = Subscriber(databases, ITEM, replication="merge", constraints="unique (name)")
    subscriber.execute("insert into item (id, name) values (1, 'taken')")
    insert = command(1, "insert", {"id": "2"}, {"name": "taken"}, new="HQ:3", sequence=2)
    subscriber.give(_own(1, number=7), insert)
    agent = subscriber.agent()
    assert agent.run().is_stopped
    subscriber.execute("update item set name = 'free'")
    assert agent.run().place.position == 1
    subscriber.execute("insert into item (id, name) values (3, 'd')")
    assert subscriber.values("select row_version from item where id = 3") == ["north:8"]


def _own(place: int, number: int) -> AgentCommand:
    """A command about a row that is not there, which knows a number of north's."""
    row: dict[str, str | None] = {"name": "x"}
    found = command(place, "update", {"id": "9"}, row, old="HQ:1", new="HQ:2")
    return replace(found, lineage={"HQ": 2, "north": number})
