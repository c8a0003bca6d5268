"""The generator of cases: a publisher and subscribers that work, synchronize, and misbehave.

Subscribers are real replicas: what they send carries the versions that they hold, and what they
hold follows from what the sequential reader told them.  Beside that come rows that no well-behaved
node sends: stale and invented versions, copies, transactions in pieces, and bad data of every kind.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

from tests.python.sequential_reader import (
    Event,
    FeedRow,
    Key,
    Row,
    SequentialReader,
)
from tests.python.strategies.cases import Case, Delivery, Step
from tests.python.strategies.replicas import Place, Replica, live_rows
from tests.python.strategies.values import COLUMN_TYPES, KEY_TYPES, value_of, value_or_null

BEGIN = datetime(2024, 3, 1, 0, 0, 0, 250000, tzinfo=timezone.utc)
FAR_FUTURE = datetime(2190, 1, 1, tzinfo=timezone.utc)
POLICIES = ("publisher_wins", "publisher_wins_reinitialize", "subscriber_wins")
NAMES = ("north", "south", "köln", "o'east end")
GUIDS = uuid.UUID("6f1d7c86-5a5e-4f0e-9c4e-0b6a1d1f2a3b")


@dataclass(frozen=True)
class Size:
    """How much a case holds: keys per article, runs, and steps between two runs."""

    keys: tuple[int, int]
    runs: tuple[int, int]
    steps: tuple[int, int]
    articles: tuple[int, int] = (1, 3)


SMALL = Size(keys=(1, 4), runs=(1, 4), steps=(1, 10))
MEDIUM = Size(keys=(2, 12), runs=(1, 3), steps=(10, 60))
LARGE = Size(keys=(8, 40), runs=(3, 5), steps=(40, 150))


@dataclass(frozen=True)
class Habits:
    """How a case's nodes behave: chances of what a step does beside ordinary work."""

    raw: float
    bad: float
    copies: float
    late: float
    pieces: float
    uncounted: float
    reused_ids: float
    clock_jumps: float
    unplaced_events: float


def _habits(random: Random) -> Habits:
    """Some cases are well-behaved throughout; the others misbehave in some ways only."""

    def sometimes(chance: float) -> float:
        return chance if random.random() < 0.5 else 0.0

    return Habits(
        raw=sometimes(0.2),
        bad=sometimes(0.1),
        copies=sometimes(0.15),
        late=sometimes(0.05),
        pieces=sometimes(0.25),
        uncounted=random.choice((0.0, 0.3, 1.0)),
        reused_ids=sometimes(0.1),
        clock_jumps=sometimes(0.03),
        unplaced_events=sometimes(0.3),
    )


class Workload:
    """Builds one case, step by step."""

    def __init__(self, random: Random, size: Size, label: str) -> None:
        self.random = random
        self.size = size
        self.label = label
        self.habits = _habits(random)
        self.subscribers = tuple(random.sample(NAMES, random.randint(1, 3)))
        self.configuration = self._publication()
        self.articles: dict[str, dict[str, Any]] = self.configuration["articles"]
        self.keys = {name: self._keys(article) for name, article in self.articles.items()}
        self.counter = 0
        self.position = random.choice((0, 0, 2**62))
        self.clock = BEGIN
        self.versions: dict[Place, list[str]] = {}
        self.arrived: list[FeedRow] = []
        self.events: list[Event] = []
        self.held_back: list[list[FeedRow]] = []
        self.delivered: list[FeedRow] = []
        self.deliveries: list[Delivery] = []
        self.steps: list[Step] = []
        self.is_cut_free = True
        self.initial = self._initial()
        self.reader = SequentialReader(
            "generated",
            self.configuration,
            self.subscribers,
            self.initial,
        )
        start = {
            (name, self._key(name, row)): (row["row_version"], self._row(name, row))
            for name, rows in self.initial.items()
            for row in rows
        }
        self.publisher = Replica("HQ", dict(start))
        self.nodes = {name: Replica(name, dict(start)) for name in self.subscribers}

    # --- the publication -------------------------------------------------------------------------

    def _publication(self) -> dict[str, Any]:
        random = self.random
        articles: dict[str, Any] = {}
        for number in range(random.randint(*self.size.articles)):
            name = ("item", "order_line", "note")[number]
            key_types = random.choices(KEY_TYPES, k=random.choice((1, 1, 2, 3)))
            if set(key_types) == {"boolean"}:
                key_types = ["int"]
            columns = {f"k{i}": type_ for i, type_ in enumerate(key_types)}
            for i in range(random.randint(0, 4)):
                columns[f"c{i}"] = random.choice(COLUMN_TYPES)
            article: dict[str, Any] = {
                "columns": columns,
                "primary_key": [f"k{i}" for i in range(len(key_types))],
            }
            if random.random() < 0.3:
                article["primary_key"].reverse()
            if articles and random.random() < 0.6:
                self._refer(article, random.choice(list(articles)), articles)
            if random.random() < 0.7:
                article["conflict_logging"] = random.choice(("publisher", "subscriber", "both"))
            articles[name] = article
        return {
            "replication": "queued",
            "policy": random.choice(POLICIES),
            "publisher": "HQ",
            "retention_days": random.choice((14, 14, 30)),
            "articles": articles,
        }

    def _refer(self, article: dict[str, Any], parent: str, articles: dict[str, Any]) -> None:
        """Give an article the key columns of another one, and a foreign key to it."""
        to = articles[parent]["primary_key"]
        columns = [f"parent_{column}" for column in to]
        for column, parent_column in zip(columns, to, strict=True):
            article["columns"][column] = articles[parent]["columns"][parent_column]
        if self.random.random() < 0.5:
            article["primary_key"].extend(columns)
        article["foreign_keys"] = [{"columns": columns, "references": parent, "to": list(to)}]

    def _keys(self, article: dict[str, Any]) -> list[Key]:
        types = [article["columns"][column] for column in article["primary_key"]]
        keys: list[Key] = []
        wanted = self.random.randint(*self.size.keys)
        for _ in range(wanted * 3):
            key = tuple(value_of(self.random, type_) for type_ in types)
            if key not in keys:
                keys.append(key)
            if len(keys) == wanted:
                break
        return keys

    def _initial(self) -> dict[str, list[Row]]:
        initial: dict[str, list[Row]] = {}
        for name in self.articles:
            if self.random.random() < 0.2:
                continue
            initial[name] = [
                {**self._new_row(name, key), "row_version": self._new_version((name, key))}
                for key in self.keys[name]
                if self.random.random() < 0.7
            ]
        for name, article in self.articles.items():
            article["initial_snapshot"] = name in initial
        return initial

    # --- small parts --------------------------------------------------------------------------

    def _key(self, article: str, row: Row) -> Key:
        return tuple(row[column] for column in self.articles[article]["primary_key"])

    def _row(self, article: str, row: Row) -> Row:
        return {column: row.get(column) for column in self.articles[article]["columns"]}

    def _new_row(self, article: str, key: Key, base: Row | None = None) -> Row:
        options = self.articles[article]
        row = dict(zip(options["primary_key"], key, strict=True))
        for column, type_ in options["columns"].items():
            if column in row:
                continue
            if base is not None and self.random.random() < 0.5:
                row[column] = base[column]
            else:
                row[column] = value_or_null(self.random, type_)
        return {column: row[column] for column in options["columns"]}

    def _next(self) -> int:
        self.counter += 1
        return self.counter

    def _new_version(self, place: Place) -> str:
        version = str(uuid.uuid5(GUIDS, str(self._next())))
        self.versions.setdefault(place, []).append(version)
        return version

    def _now(self) -> datetime:
        """The nodes' clock goes on; now and then it jumps, or a change is much older."""
        self.clock += timedelta(seconds=self.random.randint(0, 90), microseconds=1)
        if self.random.random() < self.habits.clock_jumps:
            self.clock += timedelta(days=self.random.choice((1, 13, 20, 40)))
        if self.random.random() < self.habits.clock_jumps:
            return self.clock - timedelta(days=self.random.choice((1, 13, 15, 31)))
        return self.clock

    def _place(self) -> Place:
        article = self.random.choice(list(self.articles))
        keys = self.keys[article]
        if self.random.random() < 0.3:
            keys = keys[:2]
        return article, self.random.choice(keys)

    def _change(
        self,
        node: str,
        place: Place,
        operation: str,
        old_version: str | None,
        new_version: str | None,
        row: Row,
        changed_at: datetime | None,
    ) -> dict[str, Any]:
        return {
            "article": place[0],
            "change_id": f"{node}-{self._next()}",
            "queue_position": None,
            "node": node,
            "operation": operation,
            "changed_at": changed_at,
            "old_version": old_version,
            "new_version": new_version,
            **row,
        }

    # --- what a node does ---------------------------------------------------------------------

    def work(self, node: Replica) -> None:
        """One transaction at a node: it changes its own rows at once."""
        changes: list[dict[str, Any]] = []
        effects: list[tuple[str, Key, str | None, Row | None]] = []
        now = self._now()

        def act(place: Place, operation: str) -> None:
            old_version, old_row = node.rows.get(place, (None, None))
            new_version = None if operation == "delete" else self._new_version(place)
            row = self._new_row(*place, base=old_row)
            if operation == "delete":
                row = dict(zip(self.articles[place[0]]["primary_key"], place[1], strict=True))
                node.rows.pop(place)
            else:
                assert new_version is not None
                node.rows[place] = (new_version, row)
            effects.append((*place, new_version, None if operation == "delete" else row))
            changes.append(
                self._change(node.name, place, operation, old_version, new_version, row, now)
            )

        for _ in range(self.random.choice((1, 1, 1, 2, 3, 4))):
            place = self._place()
            if place not in node.rows:
                act(place, "insert")
                continue
            choice = self.random.random()
            if choice < 0.65:
                act(place, "update")
                continue
            act(place, "delete")
            other = (place[0], self.random.choice(self.keys[place[0]]))
            if choice > 0.85 and other not in node.rows:
                # the key has changed: a delete of the old one and an insert of the new one
                act(other, "insert")
        self.steps.append(Step("local", node.name, tuple(effects)))
        if node is self.publisher:
            self.enqueue(changes)
        else:
            node.pending.append(changes)

    def upload(self, node: Replica) -> None:
        """The pending transactions enter the queue one after the other, as they were made."""
        for changes in node.pending:
            self.enqueue(changes)
        node.pending = []

    def download(self, node: Replica) -> None:
        """The node applies the commands that it has not applied yet, in order."""
        node.download(self.reader.subscriber_commands(node.name))
        self.steps.append(Step("download", node.name))

    def reinitialize(self, node: Replica) -> None:
        """The node takes the snapshot, drops what is pending, and reports it."""
        mark = [mark for mark in self.reader.marks if mark.subscriber == node.name][-1]
        assert mark.snapshot is not None
        node.take_snapshot(live_rows(mark.snapshot))
        self.steps.append(Step("snapshot", node.name))
        position: int | None = self._next_position()
        if self.random.random() < self.habits.unplaced_events:
            position = None
            self.is_cut_free = False
        self.events.append(Event(node.name, mark.snapshot_position, position, self.clock))

    # --- the queue -------------------------------------------------------------------------------

    def _next_position(self) -> int:
        self.position += self.random.choice((1, 1, 1, 2, 10))
        return self.position

    def _arrive(self, row: dict[str, Any], position: int | None) -> None:
        article = row["article"]
        columns = {name: value for name, value in row.items() if name != "article"}
        self.arrived.append((article, {**columns, "queue_position": position}))

    def enqueue(self, changes: list[dict[str, Any]]) -> None:
        """A transaction enters the queue: with or without its number of changes, whole or in
        pieces.
        """
        is_counted = self.random.random() >= self.habits.uncounted
        transaction_id: str | None = f"t{self._next()}"
        if len(changes) == 1 and self.random.random() < 0.2:
            transaction_id = None
        for change in changes:
            change["transaction_id"] = transaction_id
            change["transaction_change_count"] = len(changes) if is_counted else None
        whole = len(changes)
        if is_counted and whole > 1 and self.random.random() < self.habits.pieces:
            whole = self.random.randrange(1, whole)
            self.held_back.append([(change["article"], change) for change in changes[whole:]])
        for change in changes[:whole]:
            self._arrive(change, self._next_position())

    def release(self) -> None:
        """What was held back of a transaction arrives after all."""
        if self.held_back:
            rows = self.held_back.pop(self.random.randrange(len(self.held_back)))
            for _, change in rows:
                self._arrive(change, self._next_position())

    def run(self) -> None:
        """One run of the pipeline over all that has arrived."""
        delivery = Delivery(tuple(self.arrived), tuple(self.events))
        self.deliveries.append(delivery)
        self.delivered.extend(self.arrived)
        self.arrived, self.events = [], []
        self.reader.run(delivery.rows, delivery.events)
        self.steps.append(Step("run"))
        self.publisher.rows = live_rows(self.reader.rows)

    # --- what no well-behaved node does ----------------------------------------------------------

    def _raw_change(self, node: str) -> dict[str, Any]:
        """A change that the node never made: its old version is held, stale, invented, or none."""
        place = self._place()
        held = self.reader.rows[place[0]].get(place[1])
        operation = self.random.choice(("insert", "update", "update", "delete"))
        old_versions = [*self.versions.get(place, []), f"invented {self._next()}"]
        old_version = self.random.choice(old_versions)
        if held is not None and held.version is not None and self.random.random() < 0.5:
            old_version = held.version
        return self._change(
            node,
            place,
            operation,
            None if operation == "insert" else old_version,
            None if operation == "delete" else self._new_version(place),
            self._new_row(*place),
            self._now() if self.random.random() < 0.95 else None,
        )

    def raw(self) -> None:
        """A transaction of raw changes."""
        node = self.random.choice((*self.subscribers, *self.subscribers, "HQ"))
        count = self.random.choice((1, 1, 2, 3))
        self.enqueue([self._raw_change(node) for _ in range(count)])

    def bad(self) -> None:
        """A change that breaks the contract, alone or in a transaction with good ones."""
        changes = [
            self._raw_change(self.random.choice(self.subscribers))
            for _ in range(self.random.choice((1, 1, 2)))
        ]
        for change in changes[1:]:
            change["node"] = changes[0]["node"]
        change = self.random.choice(changes)
        kind = self.random.choice(list(BAD))
        transaction_id = f"t{self._next()}"
        for member in changes:
            member["transaction_id"] = transaction_id
            member["transaction_change_count"] = len(changes)
            position: int | None = self._next_position()
            if member is change:
                if kind == "missing_position":
                    position = None
                BAD[kind](self, member)
                if self.random.random() < 0.2:
                    BAD[self.random.choice(list(BAD))](self, member)
            self._arrive(member, position)

    def copy(self) -> None:
        """A row of the feed comes again: the same, in another place, or with other content."""
        rows = self.delivered + self.arrived
        if not rows:
            return
        article, columns = self.random.choice(rows[-50:])
        choice = self.random.random()
        position = columns["queue_position"]
        columns = dict(columns)
        if position is None:
            # which of two copies counts goes by their places: one of them without any is not
            # ordered
            choice = 0.0
        if choice > 0.5:
            position = self._next_position()
            if columns["change_id"] is None:
                # without an id it is another change there: one too many, if its transaction is
                # still open
                self.is_cut_free = False
        if choice > 0.8 and columns["change_id"] is not None:
            if self.random.random() < 0.5:
                columns["new_version"] = f"other content {self._next()}"
            else:
                columns["transaction_id"] = f"t{self._next()}"
        self.arrived.append((article, {**columns, "queue_position": position}))

    def late(self) -> None:
        """A change at or below the last place that a run has taken."""
        last = self.reader.last_position
        if last is None:
            return
        self.is_cut_free = False
        change = self._raw_change(self.random.choice((*self.subscribers, "HQ")))
        change["transaction_id"] = f"t{self._next()}"
        change["transaction_change_count"] = 1
        taken = {row["queue_position"] for _, row in self.delivered + self.arrived}
        position = last - self.random.choice((0, 1, 2, 5))
        if position < 1 or (position in taken and position != last):
            return
        self._arrive(change, position)

    def reuse(self) -> None:
        """A transaction id without a count that an earlier run has seen: another transaction."""
        used = [
            row
            for _, row in self.delivered
            if row["transaction_id"] is not None and row["transaction_change_count"] is None
        ]
        if not used:
            return
        self.is_cut_free = False
        model = self.random.choice(used)
        change = self._raw_change(model["node"])
        change["transaction_id"] = model["transaction_id"]
        change["transaction_change_count"] = None
        self._arrive(change, self._next_position())

    # --- all of it -------------------------------------------------------------------------------

    def step(self) -> None:
        """One thing happens."""
        random, habits = self.random, self.habits
        odd = (
            (habits.raw, self.raw),
            (habits.bad, self.bad),
            (habits.copies, self.copy),
            (habits.late, self.late),
            (habits.reused_ids, self.reuse),
        )
        for chance, action in odd:
            if chance and random.random() < chance:
                action()
                return
        if self.held_back and random.random() < 0.2:
            self.release()
            return
        node = self.nodes[random.choice(self.subscribers)]
        choice = random.random()
        if choice < 0.2:
            self.work(self.publisher)
        elif choice < 0.65:
            self.work(node)
        elif choice < 0.85:
            self.upload(node)
        elif node.must_reinitialize and random.random() < 0.7:
            self.reinitialize(node)
        else:
            self.download(node)

    def build(self) -> Case:
        """A case: steps and runs; at the end everybody uploads, and then applies all commands."""
        for _ in range(self.random.randint(*self.size.runs)):
            for _ in range(self.random.randint(*self.size.steps)):
                self.step()
            self.run()
            for node in self.nodes.values():
                if self.random.random() < 0.7:
                    self.download(node)
                if node.must_reinitialize and self.random.random() < 0.4:
                    self.reinitialize(node)
        for node in self.nodes.values():
            self.upload(node)
        while self.held_back and self.random.random() < 0.8:
            self.release()
        self.run()
        for node in self.nodes.values():
            self.download(node)
        return Case(
            label=self.label,
            configuration=self.configuration,
            subscribers=self.subscribers,
            initial=self.initial,
            deliveries=tuple(self.deliveries),
            steps=tuple(self.steps),
            is_cut_free=self.is_cut_free,
            unsent=frozenset(
                (change["node"], article, self._key(article, change))
                for rows in self.held_back
                for article, change in rows
            ),
        )


def _set(**columns: Any) -> Callable[[Workload, dict[str, Any]], None]:
    def apply(workload: Workload, change: dict[str, Any]) -> None:
        change.update(columns)

    return apply


def _null_key(workload: Workload, change: dict[str, Any]) -> None:
    key = workload.articles[change["article"]]["primary_key"]
    change[workload.random.choice(key)] = None


def _no_version(workload: Workload, change: dict[str, Any]) -> None:
    column = {"insert": "new_version", "delete": "old_version"}.get(change["operation"])
    change[column or workload.random.choice(("old_version", "new_version"))] = None


def _expired(workload: Workload, change: dict[str, Any]) -> None:
    days = workload.configuration["retention_days"] + workload.random.choice((-1, 1, 30))
    change["changed_at"] = workload.clock - timedelta(days=days)


BAD: dict[str, Callable[[Workload, dict[str, Any]], None]] = {
    "missing_change_id": _set(change_id=None),
    "unknown_node": _set(node="nowhere"),
    "unknown_operation": _set(operation="upsert"),
    "no_operation": _set(operation=None),
    "null_key": _null_key,
    "missing_version": _no_version,
    "expired": _expired,
    "missing_position": _set(),
    "future_change": _set(changed_at=FAR_FUTURE),
}


def build_case(random: Random, size: Size, label: str) -> Case:
    """One case from a source of chance."""
    return Workload(random, size, label).build()
