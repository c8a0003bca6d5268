"""Subscriptions that end, articles and publications that are taken away, and an article that is
back: the rest goes on, and what was decided stays in the log."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.python.differential.builds import Builds
from tests.python.sequential_reader import FeedRow
from tests.python.strategies import Case
from tests.python.strategies.cases import Delivery

BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)
ARTICLE: dict[str, Any] = {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]}
ITEM: dict[str, Any] = {
    **ARTICLE,
    "foreign_keys": [{"columns": ["id"], "references": "label", "to": ["id"]}],
}


def change(
    position: int, article: str, node: str, key: int, old: str | None, new: str | None
) -> FeedRow:
    """A transaction of one change; without an old version an insert."""
    return article, {
        "change_id": f"c{position}",
        "queue_position": position,
        "node": node,
        "transaction_id": f"t{position}",
        "transaction_change_count": 1,
        "operation": "insert" if old is None else "update",
        "changed_at": BEGIN + timedelta(seconds=position),
        "old_version": old,
        "new_version": new,
        "id": key,
        "name": f"{node} {position}",
    }


def case(label: str, articles: dict[str, Any], *deliveries: Iterable[FeedRow]) -> Case:
    return Case(
        label=label,
        configuration={"replication": "queued", "publisher": "HQ", "articles": articles},
        subscribers=("north", "south"),
        initial={},
        deliveries=tuple(Delivery(tuple(rows)) for rows in deliveries),
        steps=(),
        is_cut_free=True,
    )


def shop() -> Case:
    """An article that refers to another one, which is taken away and comes back."""
    return case(
        "shop",
        {"label": ARTICLE, "item": ITEM},
        (
            change(1, "label", "north", 1, None, "l1"),
            change(2, "label", "south", 1, None, "l2"),
            change(3, "item", "north", 1, None, "i1"),
        ),
        (
            change(4, "item", "north", 1, "i1", "i2"),
            change(5, "item", "south", 1, "i2", "i3"),
            # its label is nobody's business any more
            change(6, "item", "north", 2, None, "i4"),
        ),
        (change(7, "label", "north", 1, "l1", "l3"),),
    )


def kiosk() -> Case:
    """A publication that ends."""
    return case(
        "kiosk",
        {"item": ARTICLE},
        (
            change(1, "item", "north", 1, None, "i1"),
            change(2, "item", "south", 1, None, "i2"),
        ),
    )


class ShrinkingBuilds(Builds):
    """What is taken away, and what there is then."""

    def end_subscriptions(self, condition: str) -> None:
        """Their rows are taken away."""
        table = f"{self.project.inputs}.subscriptions"
        self.spark.sql(
            f"create table {table}_left using parquet as"
            f" select * from {table} where not ({condition})"
        )
        self.spark.sql(f"drop table {table}")
        self.spark.sql(f"alter table {table}_left rename to {table}")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query over the schema of the project gives."""
        self.spark.sql(f"use {self.project.schema}")
        return sorted(tuple(row) for row in self.spark.sql(query).collect())


@pytest.mark.spark
@pytest.mark.slow
def test_what_goes(tmp_path: Path, scratch_state: Path) -> None:
    """Queued updating: a subscription, an article, a publication."""
    running = ShrinkingBuilds("shrinking", [shop(), kiosk()], tmp_path, scratch_state)
    log = "select publication, change_id, outcome from change_outcomes"
    conflicts = "select publication, article, row_key from conflicts_info"
    items = "select id, name from p01__item"
    running.start()
    try:
        running.take(0)
        decided = running.rows(log)
        recorded = running.rows(conflicts)
        assert {one[0] for one in recorded} == {"p01", "p02"}

        running.end_subscriptions("subscriber = 'south' or publication = 'p02'")
        (shop_played, _) = running.played
        running.played = [shop_played]
        without = {**shop_played.options, "articles": {"item": ARTICLE}}
        running.configure({"p01": without})
        running.deliver(shop_played, 1)
        running.build()
        applied = [("p01", "c4", "applied"), ("p01", "c6", "applied")]
        assert running.rows(log) == sorted([*decided, *applied])
        assert running.rows("select change_id, reason from rejected_changes") == [
            ("c5", "unknown_node")
        ]
        assert running.rows(items) == [(1, "north 4"), (2, "north 6")]
        assert running.rows(conflicts) == recorded
        # those of the label that is gone can still be looked at
        assert running.rows(
            "select colname, lost_value, winning_value, is_key from conflict_rows"
            " where article = 'label'"
        ) == [("id", "1", "1", None), ("name", "south 2", "north 1", None)]
        assert running.rows(
            "select source_object, key_columns, conflicts from article_conflicts"
            " where article = 'label'"
        ) == [("p01__label", None, 1)]
        assert running.rows("select publication, subscriber from subscription_status") == [
            ("p01", "north")
        ]
        told = "select distinct subscriber from subscriber_commands where queue_position > 3"
        assert running.rows(told) == [("north",)]
        assert running.data_test_errors() == ()
        assert running.changed_by_empty_run() == []

        # the article is back, and goes on where it was
        running.configure(
            {"p01": {**shop_played.options, "articles": {"item": ARTICLE, "label": ARTICLE}}}
        )
        running.deliver(shop_played, 2)
        running.build()
        assert running.rows("select id, name from p01__label") == [(1, "north 7")]
        assert running.rows(items) == [(1, "north 4"), (2, "north 6")]

        # what is decided anew is what is configured
        running.configure({"p01": without})
        running.build("--full-refresh")
        assert running.rows(log) == [("p01", "c3", "applied"), *applied]
        assert running.rows(items) == [(1, "north 4"), (2, "north 6")]
        assert running.rows(conflicts) == []
        assert running.data_test_errors() == ()
    finally:
        running.drop()
