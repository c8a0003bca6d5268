"""How long the record of a conflict is kept: by the publication's clock, not the wall's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.python.sequential_reader.records import Change, Conflict


@dataclass
class ConflictAges:
    """Remembers what the nodes' clocks said at every place of the queue that was decided."""

    days: float
    times: list[tuple[int, datetime]] = field(default_factory=list)

    def decided(self, position: int, changes: Iterable[Change]) -> None:
        """A transaction was decided."""
        found = [change.changed_at for change in changes if change.changed_at is not None]
        self.times.extend((position, moment) for moment in found)

    def is_kept(self, conflict: Conflict) -> bool:
        """Whether the clock has not gone on for too long since the conflict was decided."""
        before = [
            moment for position, moment in self.times if position <= conflict.transaction_position
        ]
        if not self.times:
            return True
        now = max(moment for _, moment in self.times)
        return bool(before) and max(before) >= now - timedelta(days=self.days)
