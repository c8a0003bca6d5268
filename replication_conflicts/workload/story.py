"""What a story is made of: the people of one publication, and what each of them does.

A story knows neither where its nodes are nor how their changes travel: the same one is played at
simulated nodes and at databases.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Protocol

from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.values import Key, Row
from replication_conflicts.simulation import Change
from replication_conflicts.workload.faults import BrokenRow

START = datetime(2025, 3, 3, 8, 0, tzinfo=timezone.utc)

Changes = list[Change]


class Office(Protocol):
    """A node as people see it: rows of tables, and transactions."""

    @property
    def name(self) -> str:
        """The node's name."""

    def rows(self, article: str) -> list[Row]:
        """The node's rows of an article, those that came last at the end."""

    def row(self, article: str, key: Key) -> Row | None:
        """One row; None when the node does not hold it."""

    def transaction(self, changes: Sequence[Change], at: datetime) -> object:
        """Changes that stand or fall together, made at a moment of the node's clock."""


@dataclass
class Workplace:
    """A node, and the people at it. A story may add what its people remember."""

    node: Office
    number: int
    rng: random.Random
    skew: timedelta = field(init=False)
    now: datetime = START

    def __post_init__(self) -> None:
        self.skew = timedelta(seconds=self.number * 37 - 90)

    @property
    def name(self) -> str:
        """The node's name."""
        return self.node.name

    def moment(self) -> datetime:
        """The time by the node's own clock, to the microsecond."""
        return self.now + self.skew + timedelta(microseconds=self.rng.randrange(1_000_000))

    def one(self, rows: Sequence[Row]) -> Row | None:
        """One of the rows, early ones more often: some goods sell better than others."""
        return rows[int(len(rows) * self.rng.random() ** 1.3)] if rows else None

    def recent(self, rows: Sequence[Row]) -> Row | None:
        """One of the rows, late ones more often."""
        return rows[-1 - int(len(rows) * self.rng.random() ** 3)] if rows else None

    def amount(self, most: int, places: int = 3) -> Decimal:
        """A number above zero with so many decimal places."""
        return Decimal(self.rng.randrange(1, most * 10**places)).scaleb(-places)

    def holds(self, article: str, *key: object) -> bool:
        """Whether the node has this row."""
        return self.node.row(article, key) is not None  # type: ignore[arg-type]


Activity = Callable[[Any, Any], Changes]
"""What somebody does: takes the story's own place and world, gives one transaction's changes, or
nothing where there is nothing to do. It looks only at the rows that its own node holds.
"""


@dataclass(frozen=True)
class Settings:
    """Size and seed. `size` is how many of the story's main things (products, customers) there are
    at the start; None: the story's own size.
    """

    transactions: int = 3_000
    deliveries: int = 2
    seed: int = 7
    size: int | None = None

    def __post_init__(self) -> None:
        """Raise ValueError where nothing could be made of the settings."""
        smallest = min(self.transactions, self.deliveries)
        if smallest < 1 or (self.size is not None and self.size < 8):
            raise ValueError("a workload needs at least 1 transaction, 1 delivery and 8 things")

    def random(self, publication: str, purpose: str) -> random.Random:
        """Dice for one purpose, whose throws depend on no other."""
        return random.Random(f"{self.seed}/{publication}/{purpose}")


@dataclass(frozen=True)
class Story:
    """The people of a publication.

    `subscribers`: by name the subscription's type and priority, which matter under merge only.
    `share`: how much of the settings' transactions these people make.
    `at_publisher`, `at_subscribers`: activities with their weights; one of them must always find
    something to do. `initial_rows` gives what every node holds at the start, by article;
    `broken_rows` what breaks the contract in a delivery, given the node that it is to come from, a
    time, and an update of `known_article` that was delivered before, if there was one.
    """

    publication: str
    subscribers: Mapping[str, Mapping[str, object]]
    publisher_share: float
    at_publisher: Mapping[Activity, int]
    at_subscribers: Mapping[Activity, int]
    make_world: Callable[[tuple[str, ...]], Any]
    make_workplace: Callable[[Office, int, random.Random], Workplace]
    initial_rows: Callable[[random.Random, Any, int, datetime], Mapping[str, list[Row]]]
    broken_rows: Callable[[int, str, datetime, FeedRow | None], list[BrokenRow]]
    known_article: str
    size: int
    share: float = 1.0


def part(row: Row, *columns: str) -> dict[str, object]:
    """Some columns of a row, such as its key."""
    return {column: row[column] for column in columns}
