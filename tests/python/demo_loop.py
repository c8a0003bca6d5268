"""The demo's closed loop with the sequential reader in the pipeline's place: no Spark."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import yaml

from replication_conflicts.publication.publication import publication_from_vars
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.simulation import Command
from replication_conflicts.workload import Settings, Story, field_sales, inventory
from tests.python import sequential_reader as reader
from tests.python.documented_cases import node_command, stored_row
from tests.python.simulated_workload import Delivery, Workload
from tests.python.strategies.cases import Case
from tests.python.strategies.cases import Delivery as CaseDelivery

PROJECT = Path(__file__).parents[2]
NOW = datetime(2025, 6, 1, tzinfo=timezone.utc)
SMALL = Settings(transactions=700, deliveries=4, seed=9, size=40)
POLICIES = ("publisher_wins", "publisher_wins_reinitialize", "subscriber_wins")


def configuration(publication: str, policy: str | None = None) -> dict[str, Any]:
    """A publication's options; with another policy, if one is given."""
    project = yaml.safe_load((PROJECT / "dbt_project.yml").read_text(encoding="utf-8"))
    options: dict[str, Any] = project["vars"]["publications"][publication]
    return {**options, "policy": policy} if policy else options


@dataclass
class Loop:
    """A workload, and the reader that answers its deliveries."""

    settings: Settings
    policy: str | None = "publisher_wins"
    story: Story = inventory.STORY
    deliveries: list[Delivery] = field(default_factory=list)

    def __post_init__(self) -> None:
        name = self.story.publication
        self.options = configuration(name, self.policy)
        self.publication = publication_from_vars(name, self.options)
        self.workload = Workload(self.story, self.publication, self.settings)
        self.initial: dict[str, list[dict[str, Any]]] = {}
        for stored in self.workload.initial:
            self.initial.setdefault(stored.article, []).append(
                {**stored.row, "row_version": stored.version}
            )
        self.reader = reader.SequentialReader(
            name, self.options, self.story.subscribers, self.initial
        )
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
        """The publisher's rows; under merge replication what it keeps of deleted ones, too."""
        stored = [
            stored_row(article, held)
            for article, rows in self.reader.rows.items()
            for held in rows.values()
        ]
        return [row for row in stored if self.publication.is_merge or not row.is_deleted]


def sales_loop(settings: Settings) -> Loop:
    """The story of the publication of merge replication."""
    return Loop(settings, None, field_sales.STORY)


def demo_case(policy: str, settings: Settings) -> Case:
    """The feed that the demo makes of queued updating, delivery by delivery, as a case for builds
    of the project.
    """
    return case_of(Loop(settings, policy), f"demo, {policy}")


def sales_case(settings: Settings) -> Case:
    """The same for merge replication."""
    return case_of(sales_loop(settings), "demo, merge replication")


def case_of(loop: Loop, label: str) -> Case:
    """A loop, played to its end, as a case."""
    loop.run()
    subscriptions = {name: dict(options) for name, options in loop.story.subscribers.items()}
    return Case(
        label=label,
        configuration=loop.options,
        subscribers=tuple(subscriptions),
        initial=loop.initial,
        deliveries=tuple(loop.taken),
        steps=(),
        # a row that comes late is late in some cuts only
        is_cut_free=False,
        subscriptions=subscriptions if loop.publication.is_merge else {},
    )
