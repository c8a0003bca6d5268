"""The closed loop of merge replication: logical records, changed in three databases and at the
publisher, with synchronization in between. At the end all databases hold the published rows.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timezone
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from replication_conflicts.capture.install import pending_changes
from replication_conflicts.database.engine import dialect_of
from replication_conflicts.publication.commands import NOT_APPLIED
from replication_conflicts.publication.feed import IMAGE
from replication_conflicts.simulation import MergeNode, Queue
from replication_conflicts.simulation.node import Change
from tests.python.documented_cases import stored_row
from tests.python.nodes_loop.databases import Databases, publications
from tests.python.nodes_loop.killing import killed, with_server_killed
from tests.python.nodes_loop.loop import Loop
from tests.python.nodes_loop.people import TEXTS

KEYS = 9
NODES = {"north": Decimal("75.00"), "south": Decimal("20.00"), "west": None}
SUBSCRIPTIONS: dict[str, dict[str, Any]] = {
    "north": {"type": "server", "priority": 75},
    "south": {"type": "server", "priority": 20},
    "west": {"type": "client"},
}
PARENTS = {"line": "head", "detail": "line"}
MODES = [(False, False), (False, True), (True, True)]


def configuration(
    tracking: str, detection: bool, resolution: bool, *, is_undone: bool = True
) -> dict[str, Any]:
    """Three articles; what lacks its parent fails, and is undone or goes again."""
    articles: dict[str, Any] = {}
    for name in ("head", "line", "detail"):
        columns = {"id": "int", "note": "string", "count": "int", "price": "decimal(12,2)"}
        articles[name] = {
            "columns": columns,
            "primary_key": ["id"],
            "tracking": tracking,
            "compensate_for_errors": is_undone,
        }
        if parent := PARENTS.get(name):
            columns[parent] = "int"
            to = {"columns": [parent], "references": parent, "to": ["id"]}
            articles[name]["foreign_keys"] = [to]
    record = {
        "top": "head",
        "members": {
            name: {"parent": parent, "columns": [parent]} for name, parent in PARENTS.items()
        },
        "detection": detection,
        "resolution": resolution,
    }
    return publications(articles, replication="merge", logical_records=[record])


class World(Loop):
    """Three databases, and a publisher that changes rows itself."""

    def __init__(self, databases: Databases, folder: Path, options: dict[str, Any]) -> None:
        super().__init__(databases, folder, options, NODES, SUBSCRIPTIONS)
        self._queue = Queue()
        self._batches = 0
        self.hq = MergeNode("HQ", self.publication.options, self._queue)

    def run(self) -> None:
        """What the publisher has changed goes to the feed; then a run."""
        if not self._queue.is_empty:
            self._batches += 1
            self.lake.deliver("HQ", self._batches, self._queue.take())
        self.publisher.run()
        self.hq.reset(
            stored_row(article, held)
            for article, rows in self.publisher.reader.rows.items()
            for held in rows.values()
        )

    def synchronize(self, node: str) -> None:
        self.upload(node)
        self.run()
        self.distribute(node)

    def check_feed(self, is_whole: bool) -> set[tuple[str, int]]:
        """Every version once, and once more for each time that it was not applied; nothing is left
        behind. Gives the versions that were not applied at first, and decided in the end.
        """
        rows = [row for _, row in self.lake.rows()]
        assert len({row.values["change_id"] for row in rows}) == len(rows)
        not_applied = {
            one.change_id for one in self.publisher.reader.commands if one.kind == NOT_APPLIED
        }
        versions: list[tuple[str, int]] = []
        refused: set[tuple[str, int]] = set()
        for row in rows:
            lineage = row.values["lineage"]
            assert isinstance(lineage, dict)
            node = str(row.values["node"])
            if row.values["change_id"] in not_applied:
                refused.add((node, lineage[node]))
            elif row.values["operation"] != IMAGE:
                versions.append((node, lineage[node]))
        assert len(set(versions)) == len(versions)
        assert len(versions) > 100
        assert any(row.values["operation"] == IMAGE for row in rows) is is_whole
        for engine in self.engines.values():
            with engine.begin() as connection:
                assert pending_changes(connection, self.publication) == {}
        return refused & set(versions)


class Person:
    """Works at one database."""

    def __init__(self, engine: Engine, dice: random.Random) -> None:
        self._engine = engine
        self._dice = dice
        self._is_sqlite = dialect_of(engine) == "sqlite"

    def work(self) -> None:
        """One transaction; now and then it is rolled back."""
        with self._engine.connect() as connection, connection.begin() as transaction:
            for _ in range(self._dice.randint(1, 3)):
                self._do_something(connection)
            if self._dice.random() < 0.05:
                transaction.rollback()

    def _do_something(self, connection: Connection) -> None:
        dice = self._dice
        table = dice.choice(("head", "line", "line", "detail", "detail"))
        values = row_of(table, dice)
        names = ", ".join(values)
        columns = ", ".join(f":{name}" for name in values)
        some = dice.choice([name for name in values if name != "id"])
        statements = [
            f"insert into {table} ({names}) values ({columns}) on conflict do nothing",
            f"insert into {table} ({names}) values ({columns})"
            f" on conflict (id) do update set {some} = excluded.{some}",
            f"update {table} set {some} = :{some} where id = :id",
            f"update {table} set {some} = :{some} where id between :id and :id + 2",
            f"delete from {table} where id = :id",
            f"update {table} set id = :new where id = :id"
            f" and not exists (select 1 from {table} where id = :new)",
        ]
        if self._is_sqlite:
            statements.append(f"insert or replace into {table} ({names}) values ({columns})")
            values["price"] = None if values["price"] is None else str(values["price"])
        statement = dice.choices(statements, [3, 1, 4, 1, 1, 1, 1][: len(statements)])[0]
        connection.execute(text(statement), {**values, "new": dice.randint(1, KEYS)})


def row_of(table: str, dice: random.Random) -> dict[str, Any]:
    """A row; its parent may be none, or may not be there."""
    row: dict[str, Any] = {
        "id": dice.randint(1, KEYS),
        "note": dice.choice(TEXTS),
        "count": dice.randint(-9, 9),
        "price": Decimal(dice.randint(-999, 999)).scaleb(-2),
    }
    if parent := PARENTS.get(table):
        row[parent] = dice.randint(1, KEYS)
    return {
        name: None if name != "id" and dice.random() < 0.1 else value for name, value in row.items()
    }


def publish(world: World, dice: random.Random) -> None:
    """The publisher changes a row."""
    table = dice.choice(("head", "line", "detail"))
    row = row_of(table, dice)
    is_there = world.hq.held(table, (row["id"],)) is not None
    operation = dice.choice(("update", "update", "delete")) if is_there else "insert"
    values = {"id": row["id"]} if operation == "delete" else row
    world.hq.transaction([Change(operation, table, values)], datetime.now(timezone.utc))


def play(world: World, transactions: int, dice: random.Random) -> Iterator[int]:
    """People at work, with synchronization in between; yields before each transaction."""
    people = {node: Person(engine, dice) for node, engine in world.engines.items()}
    for number in range(transactions):
        yield number
        people[dice.choice(list(NODES))].work()
        doing = dice.random()
        node = dice.choice(list(NODES))
        if doing < 0.05:
            world.synchronize(node)
        elif doing < 0.1:
            world.upload(node)
        elif doing < 0.15:
            world.run()
            world.distribute(node)
        elif doing < 0.2:
            publish(world, dice)


@pytest.mark.parametrize("tracking", ["row", "column"])
@pytest.mark.parametrize(("detection", "resolution"), MODES)
def test_all_databases_end_equal(
    databases: Databases, tmp_path: Path, tracking: str, detection: bool, resolution: bool
) -> None:
    options = configuration(tracking, detection, resolution)
    world = World(databases, tmp_path, options)
    for _ in play(world, 200, random.Random(f"{tracking} {detection} {resolution}")):
        pass
    world.settle()
    world.check()
    world.check_feed(is_whole=resolution)
    found = {one.type for one in world.publisher.reader.conflicts}
    assert {9, 2 if tracking == "column" else 1} <= found


def test_kills_lose_nothing_and_repeat_nothing(databases: Databases, tmp_path: Path) -> None:
    """Twenty kills: of uploads and agents, and on PostgreSQL of the server as well."""
    world = World(databases, tmp_path, configuration("column", True, True))
    dice = random.Random(3)
    victims = 0
    for number in play(world, 300, dice):
        if number % 7:
            continue
        node = dice.choice(list(NODES))
        if databases.server is not None and number % 70 == 0:
            actions = [partial(doing, node) for doing in (world.upload, world.distribute)]
            with_server_killed(databases.server, world.engines.values(), actions, dice)
            victims += 1
            continue
        world.run()
        doing = dice.choice([world.upload, world.distribute])
        victims += killed(partial(doing, node), dice)
    assert victims >= 20
    world.settle()
    world.check()
    world.check_feed(is_whole=True)


def test_what_was_not_applied_goes_again_until_it_is(databases: Databases, tmp_path: Path) -> None:
    options = configuration("column", True, True, is_undone=False)
    world = World(databases, tmp_path, options)
    for _ in play(world, 120, random.Random(4)):
        pass
    world.settle()
    # whatever lacks its parent, and what has children that its node does not know, goes now
    for _ in range(4):
        for engine in world.engines.values():
            with engine.begin() as connection:
                for table in ("detail", "line", "head"):
                    connection.execute(text(f"delete from {table}"))
        world.settle()
    world.check()
    assert world.check_feed(is_whole=True)
