"""The demo's closed loop with the sequential reader in the pipeline's place: no Spark."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import yaml

from replication_conflicts.nodes import Command, StoredRow, publication_from_vars
from replication_conflicts.workload import Delivery, Settings, Workload
from replication_conflicts.workload.inventory import BRANCHES, STORY
from tests.python import sequential_reader as reader
from tests.python.strategies.cases import Case
from tests.python.strategies.cases import Delivery as CaseDelivery

PROJECT = Path(__file__).parents[2]
NOW = datetime(2025, 6, 1, tzinfo=timezone.utc)
SMALL = Settings(transactions=700, deliveries=4, seed=9, size=40)
POLICIES = ("publisher_wins", "publisher_wins_reinitialize", "subscriber_wins")


def configuration(policy: str) -> dict[str, Any]:
    project = yaml.safe_load((PROJECT / "dbt_project.yml").read_text(encoding="utf-8"))
    return {**project["vars"]["publications"]["inventory"], "policy": policy}


@dataclass
class Loop:
    """A workload, and the reader that answers its deliveries."""

    settings: Settings
    policy: str = "publisher_wins"
    deliveries: list[Delivery] = field(default_factory=list)
    acted: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        options = configuration(self.policy)
        self.publication = publication_from_vars("inventory", options)
        self.workload = Workload(STORY, self.publication, self.settings)
        self.initial: dict[str, list[dict[str, Any]]] = {}
        for stored in self.workload.initial:
            self.initial.setdefault(stored.article, []).append(
                {**stored.row, "row_version": stored.version}
            )
        self.reader = reader.SequentialReader("inventory", options, BRANCHES, self.initial)
        self.events: list[reader.Event] = []
        self.taken: list[CaseDelivery] = []

    def run(self) -> Loop:
        for _ in range(self.settings.deliveries):
            self.round()
        while self.workload.has_pending or self.events:
            self.round()
        return self

    def round(self) -> None:
        delivery = self.workload.delivery()
        self.deliveries.append(delivery)
        events, self.events = self.events, []
        rows = [(row.article, dict(row.values)) for row in delivery.rows]
        self.taken.append(CaseDelivery(tuple(rows), tuple(events)))
        self.reader.run(rows, events, NOW)
        commands = {name: self.commands(name) for name in delivery.online}
        self.workload.answer(self.published(), commands)
        for name in delivery.online:
            node = self.workload.subscribers[name]
            if node.reinitialize_command is not None:
                position = self.reader.last_position or 0
                node.reinitialize(self.published(), position)
                self.events.append(reader.Event(name, position, None))

    def commands(self, subscriber: str) -> list[Command]:
        return [node_command(one) for one in self.reader.subscriber_commands(subscriber)]

    def published_by_article(self) -> dict[str, list[StoredRow]]:
        published = self.published()
        return {
            name: [row for row in published if row.article == name]
            for name in self.publication.articles
        }

    def published(self) -> list[StoredRow]:
        return [
            StoredRow(
                name, {c: v for c, v in row.items() if c != "row_version"}, row["row_version"]
            )
            for name in self.publication.articles
            for row in self.reader.published(name)
        ]


def node_command(one: reader.Command) -> Command:
    return Command(
        command_id=f"{one.position}/{one.sequence}",
        subscriber=one.subscriber or "",
        kind=one.kind,
        queue_position=one.position,
        sequence=one.sequence,
        article=one.article,
        operation=one.operation,
        key=one.key,
        row=one.row,
        old_version=one.old_version,
        new_version=one.new_version,
        snapshot_position=one.snapshot_position,
    )


def demo_case(policy: str, settings: Settings) -> Case:
    """The feed that the demo makes, delivery by delivery, as a case for builds of the project."""
    loop = Loop(settings, policy).run()
    return Case(
        label=f"demo, {policy}",
        configuration=configuration(policy),
        subscribers=BRANCHES,
        initial=loop.initial,
        deliveries=tuple(loop.taken),
        steps=(),
        # a row that comes late is late in some cuts only
        is_cut_free=False,
    )
