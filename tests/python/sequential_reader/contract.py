"""What comes in: copies are put aside, transactions wait until they are whole, and changes that
break the contract are named with their reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.records import Change, FeedRow
from tests.python.sequential_reader.subscriptions import HIGHEST, contending_priority

OPERATIONS = ("insert", "update", "delete")
IMAGE = "image"

Content = tuple[Any, ...]
TransactionKey = tuple[Any, ...]


@dataclass
class Transaction:
    """Changes of one node that stand or fall together, in the order of the queue."""

    changes: list[Change]
    last_place: int | None = None
    """The place of its last change, where that is not among `changes`: it broke the contract."""
    behind: int | None = None
    """The place behind which it is taken, where the queue had passed it when it was complete."""
    rejected: list[Change] = field(default_factory=list)
    """Changes and images of a session that are not among `changes`: they broke the contract."""

    @property
    def position(self) -> int | None:
        """The place of its last change; None when none of its changes has a place."""
        if self.behind is not None:
            return self.behind
        positions = [change.position for change in self.changes if change.position is not None]
        places = positions if self.last_place is None else [*positions, self.last_place]
        return max(places, default=None)

    @property
    def known_from(self) -> int:
        """The place from which on nodes know its versions: who has downloaded up to the place
        behind which it is taken does not.
        """
        position = self.position
        assert position is not None
        return position if self.behind is None else position + 1


@dataclass
class Intake:
    """What the reader remembers of the feed from run to run."""

    publication: Publication
    contents: dict[str | None, list[Content]] = field(default_factory=dict)
    """Per change id every different content that came; the first one counts."""
    firsts: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    """Per change id the transaction, node and id, of the change that came first."""
    waiting: list[Change] = field(default_factory=list)
    """Changes of transactions that are not complete yet."""
    last_position: int | None = None
    """The last place in the queue of a transaction that was taken."""
    clock: datetime | None = None
    """The publication's clock: the largest `changed_at` taken so far."""
    rejected_clocks: list[tuple[int, datetime]] = field(default_factory=list)
    """Of each transaction that was rejected as a whole its place, and the newest of its changes
    that keep the contract by themselves: it sets the clock for what comes after it in the queue.
    """

    def receive(self, rows: Iterable[FeedRow]) -> tuple[list[Change], list[Change]]:
        """Read one delivery; gives the changes that are new, and second copies with other content.

        Deliveries may repeat.  A copy of a change is one with the same id; its place in the queue
        does not count as content.  A copy with the same content is ignored.  A copy with other
        content breaks the contract: the first one counts, and its transaction is not touched. So
        a copy in the same transaction stands apart from it; in another one it is a change of that
        one. Rows without an id are copies of each other when content and place are the same.
        """
        new: list[Change] = []
        other_content: list[Change] = []
        for change in sorted((self._read(row) for row in rows), key=_copies_order):
            content = _content(change)
            if change.change_id is None:
                content += (change.position,)
            known = self.contents.setdefault(change.change_id, [])
            if content in known:
                continue
            transaction = (change.node, change.transaction_id)
            if change.change_id is None or not known:
                new.append(change)
                if change.change_id is not None:
                    self.firsts[change.change_id] = transaction
            elif change.transaction_id is None or self.firsts[change.change_id] == transaction:
                other_content.append(change)
            else:
                new.append(replace(change, is_other_content=True))
            known.append(content)
        return new, other_content

    def _read(self, feed_row: FeedRow) -> Change:
        article = self.publication.articles[feed_row[0]]
        columns = feed_row[1]
        read = Change(
            article=article.name,
            key=article.key_of(columns),
            change_id=columns.get("change_id"),
            position=columns.get("queue_position"),
            node=columns.get("node"),
            transaction_id=columns.get("transaction_id"),
            change_count=columns.get("transaction_change_count"),
            operation=columns.get("operation"),
            changed_at=columns.get("changed_at"),
            old_version=columns.get("old_version"),
            new_version=columns.get("new_version"),
            row=article.row_of(columns),
            taken_before=self.last_position,
        )
        if not self.publication.is_merge:
            # the article may have columns with the names of those of merge replication
            return read
        changed = columns.get("changed_columns")
        read = replace(
            read,
            lineage=columns.get("lineage"),
            known_position=columns.get("known_position"),
            changed_columns=None if changed is None else tuple(changed),
            previous_values=columns.get("previous_values"),
            stamped_priority=columns.get("priority"),
        )
        # by the subscriptions as they are when a run first sees the change
        return replace(read, priority=contending_priority(self.publication, read))

    def complete_transactions(self, new: list[Change]) -> list[Transaction]:
        """Put new changes beside the waiting ones; gives the transactions that are now complete.

        A transaction is what has the same node and transaction id; a change without a transaction
        id is a transaction of its own.  It is complete when it has as many changes as they say;
        without a count what came in one run is all.  One that is not complete waits, whole, even if
        one of its changes already breaks the contract.  Transactions are taken in the order of
        their last changes, and inside a transaction changes go by their own places.
        """
        groups: dict[TransactionKey, list[Change]] = {}
        for number, change in enumerate(self.waiting + new):
            identity: TransactionKey = (change.node, change.transaction_id)
            if change.transaction_id is None:
                identity = (None, None, number)
            groups.setdefault(identity, []).append(change)
        self.waiting = []
        complete = []
        for changes in groups.values():
            counts = [change.change_count for change in changes if change.change_count is not None]
            expected = max(counts, default=1)
            if changes[0].transaction_id is not None and len(changes) < expected:
                self.waiting.extend(changes)
            else:
                complete.append(Transaction(sorted(changes, key=_queue_order)))
        return sorted(complete, key=_transaction_order)

    def take(
        self,
        transactions: list[Transaction],
        other_content: list[Change],
        nodes: AbstractSet[str],
        now: datetime,
    ) -> tuple[list[Transaction], list[tuple[Change, str]]]:
        """Judge every complete transaction; gives those in order, and the rejected with reasons.

        Under queued updating a change that breaks the contract takes its whole transaction with
        it: the reason of the others is `transaction`.  In a merge session only that change is
        rejected, though it counts towards the session's changes, and its place towards the
        session's.  The publication's clock goes on with every
        change that keeps the contract by itself, in the order of the queue, whatever
        becomes of its transaction.
        """
        rejected = []
        for change in other_content:
            reason = self._reason(change, nodes, now, True, self._clock_at(change.position))
            rejected.append((change, reason or "duplicate_change_id"))
        kept = []
        for transaction in transactions:
            reasons = []
            clock = self._clock_at(transaction.position)
            newest = None
            for change in transaction.changes:
                reason = self._reason(change, nodes, now, change.is_other_content, clock)
                reasons.append(reason)
                if reason is None and change.changed_at is not None:
                    newest = max(newest or change.changed_at, change.changed_at)
                    clock = max(clock or newest, newest)
            if newest is not None and any(reasons) and not self.publication.is_merge:
                self.rejected_clocks.append((transaction.position or 0, newest))
            elif newest is not None:
                self.clock = max(self.clock or newest, newest)
            if self.publication.is_merge:
                judged = list(zip(transaction.changes, reasons, strict=True))
                rejected.extend((change, reason) for change, reason in judged if reason)
                left = [change for change, reason in judged if not reason]
                gone = [change for change, reason in judged if reason]
                if left:
                    kept.append(Transaction(left, transaction.position, rejected=gone))
            elif any(reasons):
                for change, reason in zip(transaction.changes, reasons, strict=True):
                    rejected.append((change, reason or "transaction"))
            else:
                kept.append(transaction)
        for transaction in kept:
            position = transaction.position
            assert position is not None
            self.last_position = max(self.last_position or position, position)
        return sorted(kept, key=_transaction_order), rejected

    def _reason(
        self,
        change: Change,
        nodes: AbstractSet[str],
        now: datetime,
        is_other_content: bool,
        clock: datetime | None,
    ) -> str | None:
        """The first part of the contract that a change breaks, or None.

        Late: at or below the last position taken before the run that saw the change first; while
        it waits for its transaction it stays in time, or late.  Expired: earlier than the
        publication's clock minus the days that are kept.  From the future: more than a day after
        the run.
        """
        if change.change_id is None:
            return "missing_change_id"
        if change.node is None or change.node not in nodes:
            return "unknown_node"
        if change.operation not in self._operations(change.article):
            return "unknown_operation"
        if any(value is None for value in change.key):
            return "null_key"
        known_columns = self.publication.articles[change.article].columns
        if any(column not in known_columns for column in change.changed_columns or ()):
            return "unknown_column"
        if not self._has_version(change):
            return "missing_version"
        if not self._may_contend(change):
            return "invalid_priority"
        if is_other_content:
            return "duplicate_change_id"
        if (
            change.position is not None
            and change.taken_before is not None
            and change.position <= change.taken_before
        ):
            return "late_position"
        if change.position is None:
            # no change is before it in the queue: it cannot be expired
            return "missing_position"
        if (
            change.changed_at is not None
            and clock is not None
            and change.changed_at < clock - timedelta(days=self.publication.retention_days)
        ):
            return "expired"
        if change.changed_at is not None and change.changed_at > now + timedelta(days=1):
            return "future_change"
        return None

    def _clock_at(self, position: int | None) -> datetime | None:
        """The newest change that was taken, or rejected with its transaction before that place."""
        clocks = [clock for place, clock in self.rejected_clocks if place < (position or 0)]
        return max([*clocks, *([self.clock] if self.clock else [])], default=None)

    def _operations(self, article: str) -> tuple[str, ...]:
        """What may be done to an article; rows of logical records also come as images."""
        is_member = self.publication.record_of(article) is not None
        return (*OPERATIONS, IMAGE) if is_member and self.publication.is_merge else OPERATIONS

    def _has_version(self, change: Change) -> bool:
        """Queued updating: the versions before and after.  Merge: a lineage with the node's own
        version (an image is nobody's new version), or else the place in the queue that the node
        knew.
        """
        if self.publication.is_merge:
            if change.lineage is None:
                return change.known_position is not None
            is_own_known = change.lineage.get(str(change.node)) is not None
            return is_own_known or change.operation == IMAGE
        needs_old = change.operation in ("update", "delete")
        needs_new = change.operation in ("insert", "update")
        return not (needs_old and change.old_version is None) and not (
            needs_new and change.new_version is None
        )

    def _may_contend(self, change: Change) -> bool:
        """Merge: whether a subscriber's change is stamped with nothing, or with what a subscription
        may have.
        """
        if not self.publication.is_merge or change.node == self.publication.publisher:
            return True
        return change.stamped_priority is None or 0 <= change.stamped_priority <= HIGHEST


def _content(change: Change) -> Content:
    """All that a copy must repeat: everything but the place in the queue."""
    return (
        change.article,
        change.node,
        change.transaction_id,
        change.change_count,
        change.operation,
        change.changed_at,
        change.old_version,
        change.new_version,
        tuple(sorted(change.row.items())),
        _pairs(change.lineage),
        change.known_position,
        change.changed_columns and tuple(sorted(map(repr, change.changed_columns))),
        _pairs(change.previous_values),
        change.stamped_priority,
    )


def _pairs(values: Mapping[str, Any] | None) -> Content | None:
    return None if values is None else tuple(sorted(values.items()))


def _copies_order(change: Change) -> tuple[bool, int, str]:
    # of several copies the first in the queue counts, one without a place last
    return (change.position is None, change.position or 0, repr(_content(change)))


def _queue_order(change: Change) -> tuple[bool, int, str, str]:
    # changes that have no place come first, and are rejected; those that share one go by their ids
    return (
        change.position is not None,
        change.position or 0,
        change.change_id or "",
        repr(_content(change)),
    )


def _transaction_order(transaction: Transaction) -> tuple[bool, int, str, str]:
    position, last = transaction.position, transaction.changes[-1]
    return (position is not None, position or 0, last.change_id or "", repr(_content(last)))
