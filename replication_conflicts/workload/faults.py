"""What goes wrong on the way: copies, and rows that break the contract of the feed."""

from __future__ import annotations

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
