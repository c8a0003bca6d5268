"""What a full refresh finds in the feeds that came since, and what an earlier run has judged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from replication_conflicts.lakehouse import tables
from replication_conflicts.publication.feed import FeedRow
from tests.python.differential.builds import Builds
from tests.python.differential.comparison import compare
from tests.python.strategies.cases import Case, Delivery

pytestmark = [pytest.mark.spark, pytest.mark.slow]

BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)
COPIED, CORRECTED, TOO_OLD, OUTSIDE = "copied", "corrected", "too old", "outside"


def change(position: int, key: int | None, *, day: int = 0, **other: Any) -> FeedRow:
    """A change of a row by north, which has seen its first version alone."""
    return FeedRow(
        "item",
        {
            "change_id": f"north-{position}",
            "queue_position": position,
            "node": "north",
            "transaction_id": f"t{position}",
            "transaction_change_count": None,
            "operation": "update",
            "changed_at": BEGIN + timedelta(days=day, seconds=position),
            "old_version": f"HQ:{key}",
            "new_version": f"north:{position}",
            "item_id": key,
            "name": f"north {position}",
            **other,
        },
    )


def case(label: str, *deliveries: tuple[FeedRow, ...]) -> Case:
    """A publication of one article with four rows."""
    article = {
        "columns": {"item_id": "int", "name": "string"},
        "primary_key": ["item_id"],
        "initial_snapshot": True,
    }
    return Case(
        label=label,
        configuration={
            "replication": "queued",
            "publisher": "HQ",
            "articles": {"item": article},
        },
        subscribers=("north", "south"),
        subscriptions={},
        initial={
            "item": [
                {"item_id": key, "name": "bolt", "row_version": f"HQ:{key}"} for key in range(1, 5)
            ]
        },
        deliveries=tuple(
            Delivery(tuple((row.article, dict(row.values)) for row in rows)) for rows in deliveries
        ),
        steps=(),
        is_cut_free=True,
    )


CASES = (
    case(COPIED, (change(5, 1),)),
    case(CORRECTED, (change(5, 1),)),
    # what completes the transaction is late, and takes a newer change with it than the one between
    case(
        TOO_OLD,
        (
            change(10, 1, day=20, transaction_id="t", transaction_change_count=2),
            change(20, 2, day=1),
        ),
        (change(15, 3, day=1, transaction_id="t", transaction_change_count=2),),
    ),
    case(
        OUTSIDE,
        (
            change(1, 1, day=40, transaction_id="t"),
            change(2, None, day=40, transaction_id="t"),
            change(9, 1, day=40, transaction_id="t", change_id="north-1", name="other"),
        ),
        (change(5, 2, day=1),),
    ),
)


def append(running: Builds, label: str, *rows: FeedRow) -> None:
    publication = running.of(label).publication
    tables.append_feed(running.spark, running.project.feeds, publication, rows, "parquet")


def outcomes(running: Builds, label: str) -> dict[str, str]:
    found = running.records("change_outcomes", running.of(label))
    return {one["change_id"]: one["outcome"] for one in found}


def rejected(running: Builds, label: str) -> list[tuple[int, str]]:
    found = running.records("rejected_changes", running.of(label))
    return sorted((one["queue_position"], one["reason"]) for one in found)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, scratch_state: Path) -> Iterator[Builds]:
    """All deliveries, and a full refresh with what has come since."""
    folder = tmp_path_factory.mktemp("rebuilds")
    running = Builds("rebuilds", CASES, folder, scratch_state)
    running.start()
    running.play()
    assert [compare(running, running.of(label)) for label in (TOO_OLD, OUTSIDE)] == [[], []]
    append(
        running,
        COPIED,
        change(20, 2, change_id="north-5", transaction_id="later"),
        change(21, 3, transaction_id="later"),
    )
    append(running, CORRECTED, change(4, 1, change_id="north-5", name="corrected"))
    running.build("--full-refresh")
    yield running
    running.drop()


def test_a_second_copy_takes_its_own_transaction_with_it(running: Builds) -> None:
    assert outcomes(running, COPIED) == {"north-5": "applied"}
    assert rejected(running, COPIED) == [(20, "duplicate_change_id"), (21, "transaction")]


def test_what_was_decided_came_first_wherever_its_copy_stands(running: Builds) -> None:
    assert outcomes(running, CORRECTED) == {"north-5": "applied"}
    assert rejected(running, CORRECTED) == [(4, "duplicate_change_id")]
    (row,) = (
        one["row"]
        for one in running.article_records(
            running.of(CORRECTED), f"{running.of(CORRECTED).name}__item", "item", []
        )
        if one["row"]["item_id"] == 1
    )
    assert row["name"] == "north 5"


def test_what_was_decided_is_not_too_old_afterwards(running: Builds) -> None:
    assert outcomes(running, TOO_OLD) == {"north-20": "applied"}
    assert rejected(running, TOO_OLD) == [(10, "transaction"), (15, "late_position")]


def test_a_transaction_stands_where_its_own_last_change_does(running: Builds) -> None:
    """A second copy stands apart from it, and sets no clock."""
    assert outcomes(running, OUTSIDE) == {}
    assert (5, "expired") in rejected(running, OUTSIDE)
