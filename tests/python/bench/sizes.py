"""How large the benchmark is: two numbers, from which every case takes its own."""

from __future__ import annotations

from dataclasses import dataclass

# what `make bench` takes when nothing else is said; the targets are about fifty times as much
CHANGES = 20_000
ROWS = 200_000


@dataclass(frozen=True)
class Sizes:
    """`changes`: of one delivery of the first case; `rows`: published before it."""

    changes: int = CHANGES
    rows: int = ROWS

    @property
    def warm_up(self) -> int:
        """Changes that are decided before anything is measured."""
        return max(self.changes // 10, 100)

    @property
    def hot(self) -> int:
        """Changes to one row."""
        return self.changes // 20

    @property
    def contended(self) -> int:
        """Transactions of which half are rejected."""
        return self.changes // 10

    @property
    def few_rows(self) -> int:
        """Rows published where the changes go to few of them."""
        return self.rows // 10

    @property
    def history(self) -> int:
        """Changes of the batch that is decided with little and with much history."""
        return self.changes // 2

    @property
    def queue_reader(self) -> int:
        """Changes that the row-by-row reader gets: its speed does not depend on how many."""
        return min(self.changes, 20_000)

    @property
    def agent_transactions(self) -> int:
        """Transactions of ten rows that the agent carries."""
        return min(self.changes // 10, 2_000)
