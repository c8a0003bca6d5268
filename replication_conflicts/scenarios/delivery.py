"""What a case hands to the pipeline before a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from replication_conflicts.publication.feed import QUEUE_POSITION, FeedRow
from replication_conflicts.simulation import Node, Positions, Queue, Refusal


@dataclass(frozen=True)
class Event:
    """A row for subscription_events."""

    subscriber: str
    snapshot_position: int
    at: datetime


@dataclass(frozen=True)
class Decision:
    """A row for conflict_decisions."""

    conflict_id: str
    decision: str
    edited: Mapping[str, str | None] | None


@dataclass
class Delivery:
    """What comes in with one run; events and refusals with the places that they have in the queue.

    An event without one acts at the start of the run.
    """

    feed: list[FeedRow] = field(default_factory=list)
    events: list[tuple[Event, int | None]] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    refusals: list[tuple[Refusal, int]] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether the run would find nothing new."""
        return not (self.feed or self.events or self.decisions or self.refusals)


class Outbox:
    """What a case has uploaded, reported and decided since its last run, in that order.

    `queue` takes the publisher's changes. `names_positions`: the case's rows bring their own places
    of the queue. `local_positions` says which place of the case a place of the shared queue is.
    """

    def __init__(self, positions: Positions, *, names_positions: bool) -> None:
        self.queue = Queue(positions)
        self.local_positions: dict[int, int] = {}
        self._positions = positions
        self._names_positions = names_positions
        self._entries: list[FeedRow | Event | Refusal] = []
        self._decisions: list[Decision] = []

    def collect(self) -> None:
        """What the publisher has put into the queue takes its place among the uploads."""
        self._entries.extend(self.queue.take())

    def upload(self, node: Node) -> None:
        """What a node has pending, and behind it the commands that it refused."""
        self._entries.extend(node.upload())
        self._entries.extend(node.take_refusals())

    def report(self, event: Event) -> None:
        """An event of a subscription, behind what was uploaded before."""
        self._entries.append(event)

    def decide(self, decision: Decision) -> None:
        """A decision of a person; it acts at the start of the run."""
        self._decisions.append(decision)

    def deliver(self) -> Delivery:
        """All of it, with its places in the queue; nothing is left."""
        self.collect()
        delivery = Delivery(decisions=self._decisions)
        for entry in self._entries:
            match entry:
                case Event():
                    # at the start of the run by itself; behind uploads it takes a place
                    position = self._positions.take() if delivery.feed else None
                    delivery.events.append((entry, position))
                case Refusal():
                    delivery.refusals.append((entry, self._positions.take()))
                case FeedRow():
                    row = self.queue.place(entry)
                    self._count(row.values.get(QUEUE_POSITION))
                    delivery.feed.append(row)
        self._entries, self._decisions = [], []
        return delivery

    def _count(self, position: object) -> None:
        # a case that names places means them, and not the first, second, ... of its own
        if isinstance(position, int) and not self._names_positions:
            self.local_positions.setdefault(position, len(self.local_positions) + 1)
