"""What only a later run meets: reports that name no place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from replication_conflicts.lakehouse import tables
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.scenarios.project import APPLY_ERRORS
from tests.python.differential.builds import Builds, builds
from tests.python.strategies.cases import Case, Delivery

BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)


def change(position: int, node: str, key: int, **other: Any) -> FeedRow:
    """A change of a row by a node that has downloaded nothing since the start."""
    return FeedRow(
        "item",
        {
            "change_id": f"{node}-{position}",
            "queue_position": position,
            "node": node,
            "transaction_id": f"{node}-t{position}",
            "transaction_change_count": 1,
            "operation": "update",
            "changed_at": BEGIN + timedelta(seconds=position),
            "lineage": None,
            "known_position": 0,
            "changed_columns": None,
            "previous_values": None,
            "priority": None,
            "item_id": key,
            "name": f"{node} {position}",
            **other,
        },
    )


def case(
    label: str, subscriptions: Mapping[str, dict[str, Any]], *deliveries: tuple[FeedRow, ...]
) -> Case:
    """A case of merge replication, of one article with four rows."""
    article = {
        "columns": {"item_id": "int", "name": "string"},
        "primary_key": ["item_id"],
        "initial_snapshot": True,
        "compensate_for_errors": True,
    }
    return Case(
        label=label,
        configuration={
            "replication": "merge",
            "publisher": "HQ",
            "apply_errors": True,
            "articles": {"item": article},
        },
        subscribers=tuple(subscriptions),
        subscriptions=dict(subscriptions),
        initial={
            "item": [{"item_id": key, "name": "bolt", "row_version": "HQ:1"} for key in range(1, 5)]
        },
        deliveries=tuple(
            Delivery(tuple((row.article, dict(row.values)) for row in rows)) for rows in deliveries
        ),
        steps=(),
        is_cut_free=True,
    )


def refused() -> Case:
    """The publisher changes a row twice."""
    return case("refused", {"north": {"priority": 75}}, (change(1, "HQ", 1), change(2, "HQ", 1)))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, scratch_state: Path) -> Iterator[Builds]:
    """The case, built to its end."""
    folder = tmp_path_factory.mktemp("later_runs")
    with builds("later_runs", [refused()], folder, scratch_state) as found:
        yield found


@pytest.mark.spark
@pytest.mark.slow
def test_reports_without_a_place_act_one_after_the_other(running: Builds) -> None:
    """Behind the last place taken, as a report does whose place the queue has passed."""
    played = running.played[0]
    commands = running.commands(played, "north")
    assert [one["queue_position"] for one in commands] == [1, 2]
    reports = [
        {
            "queue_position": None,
            "subscriber": "north",
            "command_id": one["command_id"],
            "article": "item",
            "key": {"item_id": "1"},
            "operation": "update",
            "error_code": 2627,
            "error_text": "refused",
            "row": {"item_id": "1", "name": "bolt"},
        }
        for one in commands
    ]
    table = tables.table_name(running.project.feeds, played.publication, "apply_errors")
    tables.append_rows(running.spark, table, APPLY_ERRORS, reports, "parquet")
    running.build()
    acted = running.records("intervention_log", played)
    assert sorted((one["transaction_position"], one["queue_position"]) for one in acted) == [
        (2, 3),
        (2, 4),
    ]
    conflicts = running.records("conflicts_info", played)
    assert [one["conflict_kind"] for one in conflicts] == ["failed_update", "failed_update"]
    outcomes = running.records("change_outcomes", played)
    places = [one["queue_position"] for one in outcomes]
    assert sorted(places) == [1, 2, 3, 4]
