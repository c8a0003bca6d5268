"""Subscriptions that wait for their reinitialization, and the reports that end the wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.python.sequential_reader.records import Change, Command, Event, Held, Key

Place = tuple[int, int]
"""A place in the queue, and 1 for what acts just after it."""


@dataclass(frozen=True)
class Mark:
    """A subscription that has to be reinitialized, from the transaction at `position` on.

    `snapshot` is the publisher's live rows as the run left them that made the mark.
    """

    subscriber: str
    position: int
    snapshot_position: int | None = None
    snapshot: Mapping[str, Mapping[Key, Held]] | None = None


@dataclass
class Reinitializations:
    """All marks, and all reports of snapshots taken with the places at which they act."""

    marks: list[Mark] = field(default_factory=list)
    events: list[tuple[Event, Place]] = field(default_factory=list)

    def receive(self, event: Event, last_position: int | None) -> None:
        """An event acts behind the place that it names, and behind what has been taken before."""
        if any(event == known for known, _ in self.events):
            return
        self.events.append((event, (max(event.position or 0, last_position or 0), 1)))

    def last_mark(self, subscriber: str) -> Mark | None:
        """The subscription's latest mark."""
        marks = [mark for mark in self.marks if mark.subscriber == subscriber]
        return marks[-1] if marks else None

    def lifting_event(self, mark: Mark) -> tuple[Event, Place] | None:
        """The first event of the subscriber that acts after the transaction that made the mark; of
        two at one place the one whose snapshot is older.
        """
        lifting = [
            (event, place)
            for event, place in self.events
            if event.subscriber == mark.subscriber and place > (mark.position, 0)
        ]
        return min(lifting, key=lambda pair: (pair[1], _stands_for(*pair)), default=None)

    def is_waiting(self, node: str, position: int) -> bool:
        """Marked, and no event yet that acts before this place in the queue."""
        mark = self.last_mark(node)
        if mark is None:
            return False
        event = self.lifting_event(mark)
        return event is None or (position, 0) <= event[1]

    def is_behind_snapshot(self, subscriber: str, command: Command) -> bool:
        """Whether a subscriber must not get a command, since its snapshot holds what it does."""
        for mark in self.marks:
            if mark.subscriber != subscriber or command.position < mark.position:
                continue
            event = self.lifting_event(mark)
            if event is None:
                return True
            if command.position <= _stands_for(*event):
                return True
        return False


def _stands_for(event: Event, place: Place) -> int:
    """The place in the queue up to which the snapshot of an event holds everything."""
    return place[0] if event.snapshot_position is None else event.snapshot_position


def reinitialize(node: str, position: int, change: Change, run: int) -> Command:
    """The command to take a snapshot; `change` is the first of the transaction behind it."""
    return Command(
        position=position,
        sequence=0,
        subscriber=node,
        kind="reinitialize",
        origin=None,
        transaction_id=change.transaction_id,
        article=None,
        operation=None,
        key=None,
        row=None,
        old_version=None,
        new_version=None,
        change_id=change.change_id,
        run=run,
    )
