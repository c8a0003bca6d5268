"""What stands in for the lakehouse: a file that a killed process leaves as Delta would.

The publisher's part is played by the sequential reader, in the test's own process.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replication_conflicts.capture.ports import BatchMismatch, FeedBatch
from replication_conflicts.database.articles import NodePublication
from replication_conflicts.distribution.ports import FirstRows, Refusal, Reinitialized
from replication_conflicts.lakehouse.feed import check_numbers
from replication_conflicts.publication.commands import AgentCommand, Place, SnapshotTable
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.rows import SnapshotRow
from tests.python.expressions import row_filters_of
from tests.python.sequential_reader import Command, Event, SequentialReader
from tests.python.sequential_reader import FeedRow as ReaderRow
from tests.python.sequential_reader.merge_state import MergeHeld
from tests.python.sequential_reader.records import Held

_TABLES = """
create table if not exists feed (
    position integer primary key autoincrement, node text, batch integer, row blob
);
create table if not exists event (
    subscriber text, snapshot_position integer, at text, primary key (subscriber, snapshot_position)
);
create table if not exists refusal (command_id text primary key, refusal blob);
"""


# called before and after each commit: a test may end the process there
steps: list[Callable[[], None]] = []


@dataclass(frozen=True)
class Lake:
    """The feed and the reports, in one file."""

    file: Path

    def make(self) -> Lake:
        with self._open() as connection:
            connection.executescript(_TABLES)
        return self

    def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
        """A batch in one commit."""
        self.deliver_together([FeedBatch(node, batch, rows)])

    def deliver_together(self, batches: Sequence[FeedBatch]) -> None:
        """Batches of several nodes in one commit."""
        with self._open() as connection:
            connection.execute("begin immediate")
            for batch in batches:
                _put(connection, batch)
            _step()
            connection.execute("commit")
            _step()

    def refused(self, refusals: Iterable[Refusal]) -> None:
        with self._open() as connection:
            connection.executemany(
                "insert or ignore into refusal values (?, ?)",
                [(one.command_id, pickle.dumps(one)) for one in refusals],
            )

    def check_takes_events(self) -> None:
        """Nothing is in the way."""

    def reinitialized(self, event: Reinitialized) -> None:
        with self._open() as connection:
            connection.execute(
                "insert or ignore into event values (?, ?, ?)",
                (event.subscriber, event.snapshot_position, event.at.isoformat()),
            )

    def rows(self, position: int = 0) -> list[tuple[int, FeedRow]]:
        """The feed behind a position."""
        with self._open() as connection:
            found = connection.execute(
                "select position, row from feed where position > ? order by position", (position,)
            ).fetchall()
        return [(place, pickle.loads(row)) for place, row in found]

    def last_number(self, node: str) -> int:
        """The highest version number of what a node has sent."""
        with self._open() as connection:
            return _last_number(connection, node)

    def events(self) -> list[tuple[str, int]]:
        with self._open() as connection:
            return connection.execute("select subscriber, snapshot_position from event").fetchall()

    def refusals(self) -> list[Refusal]:
        with self._open() as connection:
            found = connection.execute("select refusal from refusal").fetchall()
        return [pickle.loads(one) for (one,) in found]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.file, isolation_level=None, timeout=60)) as connection:
            # a killed process does not take the machine with it
            connection.execute("pragma synchronous = off")
            yield connection


def _put(connection: sqlite3.Connection, batch: FeedBatch) -> None:
    name = (batch.node, batch.number)
    there = connection.execute(
        "select row from feed where node = ? and batch = ? order by position", name
    ).fetchall()
    if not there:
        before = (batch.node, batch.number - 1)
        query = "select 1 from feed where node = ? and batch = ?"
        if connection.execute(query, before).fetchone() is None:
            check_numbers(batch, _last_number(connection, batch.node))
        connection.executemany(
            "insert into feed (node, batch, row) values (?, ?, ?)",
            [(*name, pickle.dumps(row)) for row in batch.rows],
        )
    elif [pickle.loads(row) for (row,) in there] != list(batch.rows):
        raise BatchMismatch(f"batch {batch.number} of {batch.node}")


def _last_number(connection: sqlite3.Connection, node: str) -> int:
    """0 also where changes have no lineage."""
    rows = connection.execute("select row from feed where node = ?", (node,)).fetchall()
    lineages = (pickle.loads(row).values.get("lineage") or {} for (row,) in rows)
    return max((lineage.get(node, 0) for lineage in lineages), default=0)


def _lineage(held: Held) -> Mapping[str, int]:
    return held.lineage if isinstance(held, MergeHeld) else {}


def _step() -> None:
    for step in steps:
        step()


class Publisher:
    """The sequential reader over what has arrived."""

    def __init__(
        self,
        lake: Lake,
        publication: NodePublication,
        options: dict[str, Any],
        subscriptions: Mapping[str, Mapping[str, Any]],
        initial: Mapping[str, list[dict[str, Any]]] | None = None,
    ) -> None:
        self.lake = lake
        self._publication = publication
        self._position = 0
        self._known_events: set[tuple[str, int]] = set()
        row_filters = row_filters_of(options["articles"])
        self.reader = SequentialReader(
            publication.name,
            options,
            subscriptions,
            initial,
            judges_constraints=publication.is_merge or any(row_filters.values()),
            row_filters=row_filters,
        )

    def run(self) -> None:
        """One run over everything that has arrived."""
        rows = self.lake.rows(self._position)
        events = [one for one in self.lake.events() if one not in self._known_events]
        self._known_events.update(events)
        delivery: list[ReaderRow] = [
            (row.article, {**row.values, "queue_position": place}) for place, row in rows
        ]
        self._position = rows[-1][0] if rows else self._position
        self.reader.run(delivery, [Event(name, position, None) for name, position in events])

    @property
    def has_news(self) -> bool:
        """Whether something has arrived since the last run."""
        return bool(self.lake.rows(self._position)) or any(
            one not in self._known_events for one in self.lake.events()
        )

    def published(self) -> dict[str, dict[tuple[str | None, ...], dict[str, str | None]]]:
        """The published rows as canonical text."""
        found: dict[str, dict[tuple[str | None, ...], dict[str, str | None]]] = {}
        for name, article in self._publication.articles.items():
            found[name] = {}
            for row in self.reader.published(name):
                texts = {c: kind.to_text(row[c]) for c, kind in article.kinds.items()}
                key = tuple(texts[column] for column in article.shape.primary_key)
                found[name][key] = {**texts, "row_version": row["row_version"]}
        return found


class Source:
    """One node's commands and snapshots."""

    def __init__(self, publisher: Publisher, publication: NodePublication, node: str) -> None:
        self._reader = publisher.reader
        self._lake = publisher.lake
        self._publication = publication
        self._node = node

    def after(self, place: Place) -> Iterator[AgentCommand]:
        if self._node == self._publication.options.publisher:
            mine = (None, self._node)
            found = [one for one in self._reader.commands if one.subscriber in mine]
            found.sort(key=lambda one: (one.position, one.sequence))
        else:
            found = self._reader.subscriber_commands(self._node)
        return (self._command(one) for one in found if one.position > place.position)

    def count(self, place: Place) -> int:
        return sum(1 for _ in self.after(place))

    def reach(self, place: Place) -> bool:
        return any(one.position >= place.position for one in self._reader.commands)

    def rows(self, command: AgentCommand) -> Iterator[SnapshotRow]:
        # what was published at one position is the same for every subscriber
        snapshots = (
            mark.snapshot
            for mark in self._reader.marks
            if mark.snapshot_position == command.snapshot_position
        )
        snapshot = next(one for one in snapshots if one is not None)
        for name, article in self._publication.articles.items():
            for held in snapshot[name].values():
                assert held.row is not None
                texts = {c: kind.to_text(held.row[c]) for c, kind in article.kinds.items()}
                yield SnapshotRow(name, texts, str(held.version), {})

    @property
    def are_whole(self) -> bool:
        return True

    def records(self, place: Place) -> Iterator[AgentCommand]:
        return iter(())

    def first_rows(self) -> FirstRows:
        """Where commands are of one subscriber each, its part of what is published."""
        articles = self._reader.publication.articles
        if not any(article.row_filters for article in articles.values()):
            return FirstRows(iter(()))
        rows = [
            SnapshotRow(name, self._texts(name, held.row), str(held.version), _lineage(held))
            for name, article in articles.items()
            for held in self._reader.rows[name].values()
            if held.row is not None and article.is_inside(self._node, held.row)
        ]
        last = max((one.position for one in self._reader.commands), default=None)
        return FirstRows(iter(rows), Place() if last is None else Place(last))

    def _texts(self, name: str, row: Mapping[str, Any]) -> dict[str, str | None]:
        kinds = self._publication.articles[name].kinds
        return {column: kind.to_text(row[column]) for column, kind in kinds.items()}

    def initial_rows(self, articles: Collection[str]) -> Iterator[SnapshotRow]:
        return iter(())

    def last_number(self, node: str) -> int:
        return self._lake.last_number(node)

    def _command(self, one: Command) -> AgentCommand:
        key: dict[str, str | None] | None = None
        row: dict[str, str | None] | None = None
        if one.article is not None:
            article = self._publication.article(one.article)
            pairs = zip(article.shape.primary_key, one.key or (), strict=True)
            key = {c: article.kinds[c].to_text(value) for c, value in pairs}
            if one.row is not None:
                row = {c: kind.to_text(one.row[c]) for c, kind in article.kinds.items()}
        return AgentCommand(
            command_id=f"{one.position}/{one.sequence}/{one.kind}/{one.change_id}",
            kind=one.kind,
            queue_position=one.position,
            sequence=one.sequence,
            article=one.article,
            operation=one.operation,
            key=key,
            row=row,
            old_version=one.old_version,
            new_version=one.new_version,
            lineage=one.lineage or {},
            cause=one.change_id,
            snapshot=(SnapshotTable("item", "reader", 0),) if one.kind == "reinitialize" else (),
            snapshot_position=one.snapshot_position,
        )
