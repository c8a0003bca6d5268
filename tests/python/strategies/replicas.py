"""Simulated nodes, and the replay of what the nodes of a case did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.python.expressions import checks_of, row_filters_of
from tests.python.sequential_reader import Command, Held, Key, Row, SequentialReader
from tests.python.strategies.cases import Case, Delivery

Place = tuple[str, Key]
"""An article and a key."""

Rows = dict[Place, tuple[str, Row]]
"""Live rows with their versions."""


def live_rows(rows: Mapping[str, Mapping[Key, Held]]) -> Rows:
    """The rows that are held, without the tombstones."""
    return {
        (article, key): (str(held.version), held.row)
        for article, held_rows in rows.items()
        for key, held in held_rows.items()
        if held.row is not None
    }


def initial_rows(case: Case) -> Rows:
    """What every node of a case holds at the start."""
    rows: Rows = {}
    for article, initial in case.initial.items():
        options = case.configuration["articles"][article]
        for row in initial:
            key = tuple(row[column] for column in options["primary_key"])
            rows[(article, key)] = (
                row["row_version"],
                {column: row[column] for column in options["columns"]},
            )
    return rows


@dataclass
class Replica:
    """A node's rows with their versions, its changes that are not uploaded, and where it stands."""

    name: str
    rows: dict[Place, tuple[str, Row]]
    pending: list[list[dict[str, Any]]] = field(default_factory=list)
    applied: int = 0
    must_reinitialize: bool = False

    def apply(self, command: Command) -> None:
        """A command acts only where the row still is the version that the command names."""
        if command.kind == "reinitialize":
            self.must_reinitialize = True
        if command.kind not in ("replicated", "compensating"):
            return
        assert command.article is not None
        assert command.key is not None
        place = (command.article, command.key)
        version = self.rows[place][0] if place in self.rows else None
        if version != command.old_version:
            return
        if command.new_version is None:
            self.rows.pop(place, None)
        else:
            assert command.row is not None
            self.rows[place] = (command.new_version, command.row)

    def download(self, commands: Sequence[Command]) -> None:
        """Apply what has come since the last download, in order."""
        for command in commands[self.applied :]:
            self.apply(command)
        self.applied = len(commands)

    def take_snapshot(self, rows: dict[Place, tuple[str, Row]]) -> None:
        """Make the rows those of a snapshot, and drop what is pending."""
        self.rows = dict(rows)
        self.pending = []
        self.must_reinitialize = False


class Pipeline(Protocol):
    """What decides: the sequential reader, or builds of the project."""

    def run(self, delivery: Delivery) -> None:
        """Take one delivery."""

    def commands(self, subscriber: str) -> Sequence[Command]:
        """All that a subscriber gets, in order."""

    def snapshot(self, subscriber: str) -> Rows:
        """The rows of the snapshot that the subscriber's last `reinitialize` command names."""


class ReaderPipeline:
    """The sequential reader as a pipeline."""

    def __init__(self, case: Case) -> None:
        articles = case.configuration["articles"]
        self.reader = SequentialReader(
            "generated",
            case.configuration,
            case.subscriptions or case.subscribers,
            case.initial,
            checks_of(articles),
            row_filters=row_filters_of(articles),
        )

    def run(self, delivery: Delivery) -> None:
        """One run of the reader."""
        self.reader.run(
            delivery.rows,
            delivery.events,
            errors=delivery.errors,
            decisions=delivery.decisions,
        )

    def commands(self, subscriber: str) -> Sequence[Command]:
        """What the reader tells a subscriber."""
        return self.reader.subscriber_commands(subscriber)

    def snapshot(self, subscriber: str) -> Rows:
        """The rows as the run left them that made the last mark."""
        mark = [mark for mark in self.reader.marks if mark.subscriber == subscriber][-1]
        assert mark.snapshot is not None
        return live_rows(mark.snapshot)


def replay(case: Case, pipeline: Pipeline, kind: type[Replica] = Replica) -> dict[str, Replica]:
    """Let the subscribers of a case do again what they did, with what the pipeline tells them."""
    start = initial_rows(case)
    nodes = {name: kind(name, dict(start)) for name in case.subscribers}
    deliveries = iter(case.deliveries)
    for step in case.steps:
        if step.kind == "run":
            pipeline.run(next(deliveries))
        elif step.node not in nodes:
            continue
        elif step.kind == "local":
            for article, key, version, row in step.effects:
                if version is None or row is None:
                    nodes[step.node].rows.pop((article, key), None)
                else:
                    nodes[step.node].rows[(article, key)] = (version, row)
        elif step.kind == "download":
            nodes[step.node].download(pipeline.commands(step.node))
        else:
            nodes[step.node].take_snapshot(pipeline.snapshot(step.node))
    return nodes


def differences(case: Case, reader: SequentialReader, nodes: Mapping[str, Replica]) -> list[str]:
    """Where a subscriber's rows are not the publisher's, after all commands.

    Not compared: subscriptions that wait for their reinitialization, and rows about which a change
    of the subscriber is not decided, since it waits, broke the contract, or was never sent whole.
    """
    published = live_rows(reader.rows)
    waiting = {s.subscriber for s in reader.subscription_status() if s.status != "active"}
    undecided: set[tuple[str | None, str, Key]] = set(case.unsent)
    undecided |= {(change.node, change.article, change.key) for change in reader.waiting}
    undecided |= {(r.change.node, r.change.article, r.change.key) for r in reader.rejected}
    found = []
    for name, node in nodes.items():
        if name in waiting:
            continue
        for place in sorted({*published, *node.rows}, key=repr):
            if (name, *place) in undecided:
                continue
            if published.get(place) != node.rows.get(place):
                found.append(
                    f"{name} {place}: {node.rows.get(place)} instead of {published.get(place)}"
                )
    return found
