"""Nodes of queued updating: every change carries the row's version before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.publication import Publication
from replication_conflicts.simulation.node import Change, ChangeReference, Held, Node, PlannedChange
from replication_conflicts.simulation.queue import Identity, Queue


class QueuedNode(Node):
    """A subscriber, or with an outlet the publisher, of a queued updating publication."""

    def __init__(
        self,
        name: str,
        publication: Publication,
        outlet: Queue | None = None,
        identity: Identity | None = None,
    ) -> None:
        super().__init__(name, publication, outlet, identity)
        self._pending: list[FeedRow] = []

    def transaction(self, changes: Sequence[Change], at: datetime) -> list[ChangeReference]:
        planned = self._plan(changes)
        transaction_id = self.identity.next_id("transaction")
        return [self._change(one, transaction_id, len(planned), at) for one in planned]

    def _change(
        self, planned: PlannedChange, transaction_id: str, count: int, at: datetime
    ) -> ChangeReference:
        rows = self._rows[planned.article.name]
        held = rows.get(planned.key)
        change_id = self.identity.next_id("change")
        new_version = None if planned.after is None else self.identity.next_guid()
        if planned.after is None or new_version is None:
            del rows[planned.key]
        else:
            rows[planned.key] = Held(planned.after, new_version)
        self._emit(
            FeedRow(
                planned.article.name,
                {
                    "change_id": change_id,
                    "node": self.name,
                    "transaction_id": transaction_id,
                    "transaction_change_count": count,
                    "operation": planned.operation,
                    "changed_at": at,
                    "old_version": held.version if held else None,
                    "new_version": new_version,
                    **(planned.after or planned.article.key_row(planned.key)),
                },
            )
        )
        return ChangeReference(planned.article.name, planned.key, change_id)

    def raw(self, article: str, values: Mapping[str, object]) -> None:
        self._emit(FeedRow(article, dict(values)))

    def upload(self) -> list[FeedRow]:
        pending, self._pending = self._pending, []
        return pending

    @property
    def has_pending(self) -> bool:
        return bool(self._pending)

    def _emit(self, row: FeedRow) -> None:
        if self._outlet is None:
            self._pending.append(row)
        else:
            self._outlet.put([row])

    def _drop_pending(self) -> None:
        self._pending.clear()
