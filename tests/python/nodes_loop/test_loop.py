"""The closed loop: people at work in four databases, synchronization in between, and processes
that are killed. At the end all databases hold the published rows.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from replication_conflicts.capture import upload
from replication_conflicts.capture.problem import CaptureProblem
from tests.python.nodes_loop.databases import (
    Databases,
    publications,
)
from tests.python.nodes_loop.killing import killed, with_server_killed
from tests.python.nodes_loop.loop import Loop
from tests.python.nodes_loop.people import ARTICLES, Person

NODES = ("HQ", "north", "south", "west")


class World(Loop):
    """Four databases, the people at them, and the publisher."""

    def __init__(self, databases: Databases, folder: Path, policy: str, seed: int) -> None:
        subscriptions: dict[str, dict[str, str]] = {name: {} for name in NODES if name != "HQ"}
        options = publications(ARTICLES, policy=policy)
        super().__init__(databases, folder, options, dict.fromkeys(NODES), subscriptions)
        self.people = {
            node: Person(engine, 100 * seed + number)
            for number, (node, engine) in enumerate(self.engines.items())
        }

    def upload(self, node: str) -> None:
        try:
            super().upload(node)
        except CaptureProblem:
            # a killed agent has left its report
            self.distribute(node)
            super().upload(node)

    def check_nothing_lost_nothing_twice(self) -> None:
        rows = [row for _, row in self.lake.rows()]
        assert len({row.values["change_id"] for row in rows}) == len(rows)
        changes = Counter(row.values["node"] for row in rows)
        assert changes == {node: person.changes for node, person in self.people.items()}
        transactions = {(row.values["node"], row.values["transaction_id"]) for row in rows}
        assert Counter(node for node, _ in transactions) == {
            node: person.transactions for node, person in self.people.items()
        }


def play(world: World, transactions: int, dice: random.Random) -> Iterator[int]:
    """People at work, with synchronization in between; yields before each transaction."""
    for number in range(transactions):
        yield number
        world.people[dice.choice(NODES)].work()
        doing = dice.random()
        node = dice.choice(NODES)
        if doing < 0.02:
            world.synchronize(node)
        elif doing < 0.04:
            world.upload(node)
        elif doing < 0.06:
            world.publisher.run()
            world.distribute(node)


@pytest.mark.parametrize(
    ("policy", "transactions"),
    [
        ("publisher_wins", 2_000),
        ("subscriber_wins", 300),
        ("publisher_wins_reinitialize", 300),
    ],
)
def test_all_databases_end_equal(
    databases: Databases, tmp_path: Path, policy: str, transactions: int
) -> None:
    world = World(databases, tmp_path, policy, seed=1)
    for _ in play(world, transactions, random.Random(policy)):
        pass
    world.settle()
    world.check()
    conflicts = {one.kind for one in world.publisher.reader.conflicts}
    assert {"update_update", "insert_insert", "update_delete", "delete_update"} <= conflicts
    if policy == "publisher_wins_reinitialize":
        assert len(world.lake.events()) > 3
    else:
        world.check_nothing_lost_nothing_twice()


@pytest.mark.parametrize("policy", ["publisher_wins", "publisher_wins_reinitialize"])
def test_kills_lose_nothing_and_repeat_nothing(
    databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    """Twenty kills: of uploads and agents, and on PostgreSQL of the server as well."""
    monkeypatch.setattr(upload, "PATIENCE_SECONDS", 0)
    world = World(databases, tmp_path, policy, seed=2)
    dice = random.Random(2)
    victims = 0
    for number in play(world, 600, dice):
        if number % 10:
            continue
        node = dice.choice(NODES)
        if databases.server is not None and number % 100 == 0:
            actions = [partial(doing, node) for doing in (world.upload, world.distribute)]
            with_server_killed(databases.server, world.engines.values(), actions, dice)
            victims += 1
            continue
        world.publisher.run()
        doing = dice.choice([world.upload, world.distribute])
        victims += killed(partial(doing, node), dice)
    assert victims >= 20
    world.settle()
    world.check()
    if policy == "publisher_wins":
        world.check_nothing_lost_nothing_twice()
