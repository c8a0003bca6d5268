"""The agent's ports in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from replication_conflicts.distribution.ports import FirstRows, Refusal, Reinitialized
from replication_conflicts.publication.commands import (
    RECORD_KINDS,
    AgentCommand,
    Place,
)
from replication_conflicts.publication.rows import SnapshotRow


@dataclass
class Lists:
    """Commands, snapshots and reports as lists: all ports in one."""

    commands: list[AgentCommand] = field(default_factory=list)
    snapshot: list[SnapshotRow] = field(default_factory=list)
    initial: list[SnapshotRow] = field(default_factory=list)
    # up to which place the initial rows stand for commands
    first_place: Place = field(default_factory=Place)
    refusals: dict[str, Refusal] = field(default_factory=dict)
    events: list[Reinitialized] = field(default_factory=list)
    are_written: bool = True
    are_whole: bool = True
    # whether anything has been decided where the database is, or behind it
    is_reached: bool = True
    # the highest version number that the feed has, by node
    last_numbers: dict[str, int] = field(default_factory=dict)

    def after(self, place: Place) -> Iterator[AgentCommand]:
        return iter([one for one in self.commands if one.place > place])

    def reach(self, place: Place) -> bool:
        return self.is_reached

    def count(self, place: Place) -> int:
        return sum(one.place > place for one in self.commands)

    def rows(self, command: AgentCommand) -> Iterator[SnapshotRow]:
        return iter(self.snapshot)

    def records(self, place: Place) -> Iterator[AgentCommand]:
        known = [one for one in self.commands if one.kind in RECORD_KINDS]
        return iter([one for one in known if one.place <= place])

    def first_rows(self) -> FirstRows:
        return FirstRows(iter(self.initial), self.first_place)

    def initial_rows(self, articles: Collection[str]) -> Iterator[SnapshotRow]:
        return iter([row for row in self.initial if row.article in articles])

    def last_number(self, node: str) -> int:
        return self.last_numbers.get(node, 0)

    def refused(self, refusals: Iterable[Refusal]) -> None:
        for refusal in refusals:
            self.refusals.setdefault(refusal.command_id, refusal)

    def check_takes_events(self) -> None:
        """Nothing is in the way."""

    def reinitialized(self, event: Reinitialized) -> None:
        if all(one.snapshot_position != event.snapshot_position for one in self.events):
            self.events.append(event)
