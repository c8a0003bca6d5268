"""Subscribers with row filters: each database ends with its part of the published rows."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from replication_conflicts.capture.install import install
from replication_conflicts.database.engine import open_database
from replication_conflicts.database.statements import run_plain
from tests.python.expressions import check_of
from tests.python.nodes_loop.databases import Databases, all_rows, create_tables, publications
from tests.python.nodes_loop.loop import Loop

NODES = ("HQ", "north", "south", "all")
AREAS = ("north", "south", "west")
FILTERS = {"north": "area = 'north'", "south": "area <> 'north'", "west": "area = 'west'"}
STORE: dict[str, Any] = {
    "columns": {"id": "int", "area": "string", "note": "string"},
    "primary_key": ["id"],
    "row_filter": FILTERS,
    "compensate_for_errors": True,
}


class Person:
    """Opens stores, writes notes, and moves stores to other areas, be they its own or not."""

    def __init__(self, engine: Engine, number: int) -> None:
        self._engine = engine
        self._dice = random.Random(number)
        self._next = 1_000 * (number + 1)

    def work(self) -> None:
        """One transaction of one statement."""
        with self._engine.begin() as connection:
            held = sorted(run_plain(connection, "select id from store").scalars())
            doing = self._dice.choice(("open", "open", "note", "move", "close"))
            if doing == "open" or not held:
                self._next += 1
                values = f"{self._next}, '{self._dice.choice(AREAS)}', 'new'"
                run_plain(connection, f"insert into store (id, area, note) values ({values})")
                return
            key = self._dice.choice(held)
            changes = {
                "note": f"update store set note = 'n{self._dice.random()}' where id = {key}",
                "move": f"update store set area = '{self._dice.choice(AREAS)}' where id = {key}",
                "close": f"delete from store where id = {key}",
            }
            run_plain(connection, changes[doing])


class Stores(Loop):
    """The publication, its databases, and a person at each of them."""

    def __init__(self, databases: Databases, folder: Path, replication: str) -> None:
        options = publications({"store": STORE}, replication=replication)
        subscriptions: dict[str, dict[str, str]] = {name: {} for name in NODES[1:]}
        super().__init__(databases, folder, options, dict.fromkeys(NODES), subscriptions)
        self.people = [Person(one, number) for number, one in enumerate(self.engines.values())]

    def join(self, node: str) -> None:
        """One more subscriber, when much has been decided."""
        self.urls[node] = self.databases.make(node)
        self.engines[node] = open_database(self.urls[node])
        create_tables(self.engines[node], self.publication, with_version=False)
        install(self.engines[node], self.publication, node)
        self.publisher.reader.add_subscriber(node, {})
        self.people.append(Person(self.engines[node], len(self.people)))
        self.initialize(node)

    def work(self, steps: int, dice: random.Random) -> None:
        """People at work, with synchronization in between."""
        for _ in range(steps):
            dice.choice(self.people).work()
            if dice.random() < 0.15:
                self.synchronize(dice.choice(list(self.urls)))

    def part(self, node: str) -> dict[tuple[str | None, ...], dict[str, str | None]]:
        """What a node is to have."""
        condition = FILTERS.get(node)
        is_inside = check_of(condition) if condition else lambda _: True
        published = self.publisher.published()["store"]
        return {key: row for key, row in published.items() if is_inside(row)}


@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_each_database_ends_with_its_part(
    databases: Databases, tmp_path: Path, replication: str
) -> None:
    """Whoever has moved a row: it leaves one part, and enters another."""
    stores, dice = Stores(databases, tmp_path, replication), random.Random(replication)
    stores.work(200, dice)
    stores.join("west")
    assert all_rows(stores.engines["west"], stores.publication)["store"] == stores.part("west")
    stores.work(100, dice)
    stores.settle()
    for node, engine in stores.engines.items():
        assert all_rows(engine, stores.publication)["store"] == stores.part(node), node
    counts = {node: len(stores.part(node)) for node in stores.engines}
    assert counts["all"] == counts["HQ"] > counts["south"] > counts["west"] > 0
    assert counts["north"] > 0
    assert not stores.lake.refusals()
    kinds = {one.conflict_kind for one in stores.publisher.reader.outcomes}
    assert "failed_insert" in kinds
