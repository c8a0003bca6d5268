"""The closed loop: people at work in four databases, synchronization in between, and processes
that are killed. At the end all databases hold the published rows.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.exc import DBAPIError

from replication_conflicts.capture.install import install
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import upload
from replication_conflicts.distribution.agent import Agent, Options, Ports
from replication_conflicts.distribution.apply import Node
from replication_conflicts.distribution.articles import node_publication
from replication_conflicts.distribution.database import dialect_of, open_database
from replication_conflicts.distribution.statements import Tables
from tests.python.nodes_loop import lake
from tests.python.nodes_loop.databases import (
    Databases,
    all_rows,
    create_tables,
    publications,
)
from tests.python.nodes_loop.lake import Lake, Publisher, Source
from tests.python.nodes_loop.people import ARTICLES, Person

NODES = ("HQ", "north", "south", "west")
_FORK = multiprocessing.get_context("fork")


class World:
    """Four databases, the people at them, and the publisher."""

    def __init__(self, databases: Databases, folder: Path, policy: str, seed: int) -> None:
        options = publications(ARTICLES, policy=policy)
        self.publication = node_publication("shop", options)
        self.lake = Lake(folder / "lake.db").make()
        self.publisher = Publisher(
            self.lake, self.publication, options["shop"], {one: {} for one in NODES if one != "HQ"}
        )
        self.databases = databases
        self.urls = {node: databases.make(node) for node in NODES}
        self.engines = {node: open_database(url) for node, url in self.urls.items()}
        self.tables = Tables(self.publication, dialect_of(self.engines["HQ"]))
        self.people = {}
        for number, (node, engine) in enumerate(self.engines.items()):
            create_tables(engine, self.publication, with_version=False)
            install(engine, self.publication, node)
            self.people[node] = Person(engine, 100 * seed + number)

    def upload(self, node: str) -> None:
        with _opened(self.urls[node]) as engine:
            upload(engine, self.publication, self.lake, most=40)

    def distribute(self, node: str) -> None:
        with _opened(self.urls[node]) as engine:
            state = capture_state(engine, node, self.tables)
            source = Source(self.publisher, self.publication, node)
            agent = Agent(
                engine,
                Node(self.publication, node, self.tables, state),
                Ports(source, source, self.lake),
                Options(most_transactions=7),
            )
            agent.prepare()
            summary = agent.run()
        assert not summary.refused

    def synchronize(self, node: str) -> None:
        self.upload(node)
        self.publisher.run()
        self.distribute(node)

    def settle(self) -> None:
        """Synchronize until nobody has anything left to say."""
        for _ in range(3):
            for node in NODES:
                self.synchronize(node)

    def check(self) -> None:
        published = self.publisher.published()
        for node, engine in self.engines.items():
            assert all_rows(engine, self.publication) == published, node
        assert self.publisher.reader.rejected == []
        assert self.publisher.reader.waiting == []
        assert self.lake.refusals() == []

    def check_nothing_lost_nothing_twice(self) -> None:
        rows = [row for _, row in self.lake.rows()]
        assert len({row.values["change_id"] for row in rows}) == len(rows)
        changes = Counter(row.values["node"] for row in rows)
        assert changes == {node: person.changes for node, person in self.people.items()}
        transactions = {(row.values["node"], row.values["transaction_id"]) for row in rows}
        assert Counter(node for node, _ in transactions) == {
            node: person.transactions for node, person in self.people.items()
        }


class _opened:
    """An engine of one's own: a forked process must not share connections."""

    def __init__(self, url: str) -> None:
        self._engine = open_database(url)

    def __enter__(self) -> Engine:
        return self._engine

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()


def killed(action: Callable[[], None], dice: random.Random) -> bool:
    """Run something in a process of its own that is killed on its way; whether it was.

    It dies at some commit, of its database or of the feed, at some statement, or at some moment.
    """
    how = dice.choice(["commit", "commit", "statement", "moment"])
    at_step = {"commit": dice.randint(1, 7), "statement": dice.randint(1, 30), "moment": 0}[how]
    process = _FORK.Process(target=_mortal, args=(action, how, at_step))
    process.start()
    process.join(60 if at_step else dice.uniform(0.005, 0.04))
    if process.is_alive():
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def _mortal(action: Callable[[], None], how: str, at_step: int) -> None:
    numbers = itertools.count(1)

    def step(*_: object) -> None:
        if next(numbers) == at_step:
            os.kill(os.getpid(), signal.SIGKILL)

    if how == "statement":
        event.listen(Engine, "before_cursor_execute", step)
    else:
        event.listen(Engine, "commit", step)
        lake.steps.append(step)
    action()


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


def test_kills_lose_nothing_and_repeat_nothing(databases: Databases, tmp_path: Path) -> None:
    """Twenty kills: of uploads and agents, and on PostgreSQL of the server as well."""
    world = World(databases, tmp_path, "publisher_wins", seed=2)
    dice = random.Random(2)
    victims = 0
    for number in play(world, 600, dice):
        if number % 10:
            continue
        node = dice.choice(NODES)
        if databases.server is not None and number % 100 == 0:
            with_server_killed(world, node, dice)
            victims += 1
            continue
        world.publisher.run()
        doing = dice.choice([world.upload, world.distribute])
        victims += killed(partial(doing, node), dice)
    assert victims >= 20
    world.settle()
    world.check()
    world.check_nothing_lost_nothing_twice()


def with_server_killed(world: World, node: str, dice: random.Random) -> None:
    """The server dies under an upload and an agent; it is started again while they wait."""
    server = world.databases.server
    assert server is not None
    for engine in world.engines.values():
        engine.dispose()

    def kill() -> None:
        time.sleep(dice.uniform(0.0, 0.05))
        server.kill()
        server.start()

    thread = threading.Thread(target=kill)
    thread.start()
    for action in (world.upload, world.distribute):
        while True:
            try:
                action(node)
                break
            except DBAPIError:
                time.sleep(0.1)
    thread.join()
    for engine in world.engines.values():
        engine.dispose()
