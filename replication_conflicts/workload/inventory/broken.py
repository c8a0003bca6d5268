"""Rows of products that break the contract of the feed."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.workload.faults import BrokenRow
from replication_conflicts.workload.inventory.stores import PRODUCT


def broken_rows(
    delivery: int, branch: str, now: datetime, known: FeedRow | None
) -> list[BrokenRow]:
    """The broken rows of a delivery; `known` is a product's change of an earlier one, in place 1 or
    later.

    Delivery 1 is whole. Each row is a transaction of its own: nothing else falls with it.
    """

    def row(reason: str, **values: object) -> BrokenRow:
        name = f"broken/{delivery}/{reason}"
        whole = {
            "change_id": name,
            "node": branch,
            "transaction_id": name,
            "transaction_change_count": 1,
            "operation": "update",
            "changed_at": now,
            "old_version": f"{name}/old",
            "new_version": f"{name}/new",
            "sku": "BX-0004",
            "name": reason,
            "unit_price": None,
            "is_active": True,
            "introduced_on": None,
        }
        return BrokenRow(reason, FeedRow(PRODUCT, {**whole, **values}))

    if delivery == 2:
        return [
            row("unknown_operation", operation="upsert"),
            row("unknown_node", node="warehouse 13"),
            row("null_key", sku=None),
        ]
    if delivery == 3:
        broken = [
            row("missing_change_id", change_id=None),
            row("missing_version", new_version=None),
            row("missing_position", queue_position=None),
            row("late_position", queue_position=1),
        ]
        if known is not None:
            broken.append(
                BrokenRow(
                    "duplicate_change_id",
                    FeedRow(PRODUCT, {**known.values, "name": "another content"}),
                )
            )
        return broken
    if delivery == 4:
        return [
            row("expired", changed_at=now - timedelta(days=90)),
            row("future_change", changed_at=datetime(2199, 1, 1, tzinfo=timezone.utc)),
        ]
    return []
