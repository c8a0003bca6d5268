"""What goes into the sequential reader and what comes out of it: plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

Row = dict[str, Any]
"""A row of an article: column name to typed Python value."""

Key = tuple[Any, ...]
"""The values of a row's primary key, in the order of the article's `primary_key`."""

FeedRow = tuple[str, dict[str, Any]]
"""One row of a change feed as delivered: the article's name, and the feed's columns."""


@dataclass(frozen=True)
class Change:
    """One change as it came.  `position` is its place in the queue, None without one."""

    article: str
    key: Key
    change_id: str | None
    position: int | None
    node: str | None
    transaction_id: str | None
    change_count: int | None
    operation: str | None
    changed_at: datetime | None
    old_version: str | None
    new_version: str | None
    row: Row
    taken_before: int | None
    """The last place in the queue that was taken when a run first saw the change."""
    is_other_content: bool = False
    """Whether a change of another transaction came first with the same id."""
    lineage: Mapping[str, int] | None = None
    """Merge: node to version number: what the node knew of the row, its own version included."""
    known_position: int | None = None
    """Merge, instead of a lineage: the place in the queue up to which the node had downloaded."""
    changed_columns: tuple[str, ...] | None = None
    """Merge: None stands for all columns."""
    previous_values: Mapping[str, str | None] | None = None
    """Merge: canonical text of the changed columns before the change."""
    stamped_priority: Decimal | None = None
    """Merge: the priority as the feed has it."""
    priority: Decimal = Decimal(0)
    """Merge: the priority that the change contends with."""


@dataclass(frozen=True)
class Party:
    """A side of a conflict: the node, and the change that made its version (None: no change)."""

    node: str
    change_id: str | None


@dataclass(frozen=True)
class Held:
    """A row as the publisher holds it: `row` and `version` are None for a tombstone."""

    row: Row | None
    version: str | None
    node: str
    change_id: str | None
    """The change that made this version; None for rows that the article started with."""
    position: int | None = None
    changed_at: datetime | None = None

    @property
    def settled_version(self) -> str | None:
        """By what a row, or its tombstone, is told from what it was before."""
        return self.version or self.change_id


@dataclass(frozen=True)
class Event:
    """A subscriber's report that it took a snapshot.

    `position` is the place in the queue at which the report acts; None means that it acts after the
    last position taken when a run first sees it.  `snapshot_position` is what the snapshot stands
    for.
    """

    subscriber: str
    snapshot_position: int | None
    position: int | None
    at: datetime | None = None


@dataclass(frozen=True)
class ApplyError:
    """A command that a subscriber's database refused; `row` is what it holds instead."""

    subscriber: str
    command_id: str
    """As the reader numbers its commands: `position/sequence`."""
    article: str
    key: Key
    operation: str
    error_code: int
    row: Row | None
    position: int


@dataclass(frozen=True)
class ConflictDecision:
    """A person's decision about the latest conflict of a row that a node lost.

    `position` is the place in the queue behind which it acts; None: behind the last one taken when
    a run first sees it.
    """

    article: str
    key: Key
    loser: str
    decision: str
    edited: Mapping[str, Any] | None = None
    position: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What was decided about one change."""

    article: str
    key: Key
    change_id: str
    node: str
    transaction_id: str | None
    transaction_position: int
    position: int
    operation: str
    old_version: str | None
    new_version: str | None
    held_version: str | None
    held_node: str | None
    held_change_id: str | None
    is_clean: bool
    """The change was built on what the publisher held."""
    outcome: str
    publisher_version: str | None
    """The row's version at the publisher after the decision; None = no row."""
    is_written: bool
    conflict_kind: str | None
    conflict_type: int | None
    reason_code: int | None
    loser_node: str | None
    loser_change_id: str | None
    winner_node: str | None
    winner_change_id: str | None
    run: int
    comparison: str | None = None
    """Merge: `ancestor`, `descendant` or `concurrent`."""


@dataclass(frozen=True)
class Conflict:
    """One losing row version, or one lost delete (`lost` is None)."""

    article: str
    key: Key
    kind: str
    type: int
    reason_code: int
    loser_node: str
    loser_change_id: str | None
    winner_node: str
    winner_change_id: str | None
    lost: Row | None
    transaction_id: str | None
    transaction_position: int
    position: int
    is_kept_at_publisher: bool
    run: int
    won: Row | None
    """What the publisher holds of the row after the decision; None = no row."""
    settled_version: str | None = None
    """What the decision left of the row, of a tombstone too; None = never held."""
    kept: Held | None = None
    """The row as its node keeps it: a failed change that is not undone."""


@dataclass(frozen=True)
class Rejection:
    """A change that breaks the contract, as it came, with the reason."""

    change: Change
    reason: str
    run: int


@dataclass(frozen=True)
class Command:
    """One command.  `subscriber` None means every subscriber; versions None mean no row."""

    position: int
    """The deciding transaction's place in the queue: the order of commands."""
    sequence: int
    subscriber: str | None
    kind: str
    origin: str | None
    transaction_id: str | None
    article: str | None
    operation: str | None
    key: Key | None
    row: Row | None
    old_version: str | None
    new_version: str | None
    change_id: str | None
    """The change behind the command."""
    run: int
    snapshot_position: int | None = None
    carried: Party | None = None
    """Who is named for the version that the command brings."""
    left_version: str | None = None
    """The publisher's version after the decision, a tombstone's too, in the partition or not."""
    lineage: Mapping[str, int] | None = None
    """Merge: what a node knows of the row once the command has acted."""

    @property
    def command_id(self) -> str:
        """Names the command; the same however the feed is cut into runs."""
        return f"{self.position}/{self.sequence}"


@dataclass(frozen=True)
class SubscriptionStatus:
    """Where a subscription stands after the last run."""

    subscriber: str
    status: str
    reinitialize_since: int | None
    last_position: int | None
