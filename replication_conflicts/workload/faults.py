"""What goes wrong on the way: copies, an upload that breaks off, and rows that break the contract
of the feed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from replication_conflicts.publication.feed import FeedRow

# how many rows come a second time, with the delivery that they belong to and with the one after
COPIES_OF_THIS_DELIVERY = 6
COPIES_OF_LAST_DELIVERY = 3


@dataclass(frozen=True)
class BrokenRow:
    """A row of the feed that breaks the contract on purpose, and the reason that it must be
    rejected for.
    """

    reason: str
    row: FeedRow


def copies(rng: random.Random, rows: Sequence[FeedRow], number: int) -> list[FeedRow]:
    """Rows that are delivered a second time, as they are."""
    return rng.sample(rows, min(number, len(rows)))


def broken_off(rows: Sequence[FeedRow]) -> int | None:
    """Where an upload breaks off: inside its last transaction of several changes; None where it has
    none.
    """
    for place in range(len(rows) - 1, 0, -1):
        if rows[place].values["transaction_id"] == rows[place - 1].values["transaction_id"]:
            return place
    return None
