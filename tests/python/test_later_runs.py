"""What only a later run meets: ended subscriptions, reports without a place, late changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from replication_conflicts.lakehouse import tables
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.scenarios.project import APPLY_ERRORS
from tests.python.differential.builds import Builds, Played, Record, builds
from tests.python.differential.comparison import compare
from tests.python.strategies.cases import Case, Delivery

BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)
ENDED = ("rep", "leaf", "berlin", "tablet")


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


def ended() -> Case:
    """A server, a client, and a client below a republisher, each of which meets others later."""
    return case(
        "ended",
        {
            "rep": {"priority": 80, "republisher": True},
            "leaf": {"type": "client", "below": "rep"},
            "berlin": {"priority": 50},
            "tablet": {"type": "client"},
            "north": {"priority": 75},
            "boss": {"priority": 90},
        },
        (
            change(1, "berlin", 1),
            # what is stamped on a client's change does not count
            change(2, "tablet", 2, priority=75),
            change(3, "leaf", 3),
            change(4, "berlin", 4, priority=95),
        ),
        (
            change(5, "north", 1),
            change(6, "boss", 2),
            change(7, "north", 3),
            change(8, "boss", 3),
            change(9, "boss", 4),
        ),
    )


def refused() -> Case:
    """The publisher changes a row twice."""
    return case("refused", {"north": {"priority": 75}}, (change(1, "HQ", 1), change(2, "HQ", 1)))


def passed() -> Case:
    """A late change completes a session that the queue has passed."""
    session = {"transaction_id": "north-s", "transaction_change_count": 4}
    return case(
        "passed",
        {"north": {"priority": 75}, "south": {"priority": 75}},
        (
            change(1, "north", 1, **session),
            change(3, "north", 2, **session),
            change(4, "north", 3, **session),
            change(5, "south", 1),
        ),
        (
            # late
            change(2, "north", 4, **session),
            # it has downloaded what was taken so far, and none of the session
            change(6, "south", 2, known_position=5),
        ),
        (change(7, "south", 3, known_position=6),),
    )


def more_than_it_counts() -> Case:
    """A session has one change more than it names, which comes when the others are decided."""
    session = {"transaction_id": "north-s", "transaction_change_count": 2}
    return case(
        "more_than_it_counts",
        {"north": {"priority": 75}},
        (change(1, "north", 1, **session), change(2, "north", 2, **session)),
        (change(3, "north", 3, **session),),
    )


def corrected() -> Case:
    """A session names one change more than it has, and waits for it."""
    session = {"transaction_id": "north-s", "transaction_change_count": 4}
    return case(
        "corrected",
        {"north": {"priority": 75}},
        (change(1, "north", 1, **session), change(2, "north", 2, **session)),
    )


def misreported() -> Case:
    """The publisher changes a row, of which subscribers will report what cannot be."""
    return case("misreported", {"north": {"priority": 75}}, (change(1, "HQ", 1),))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, scratch_state: Path) -> Iterator[Builds]:
    """All cases, built to their end."""
    folder = tmp_path_factory.mktemp("later_runs")
    cases = [
        ended(),
        refused(),
        passed(),
        more_than_it_counts(),
        corrected(),
        misreported(),
    ]
    with builds("later_runs", cases, folder, scratch_state) as found:
        yield found


def log(running: Builds, played: Played) -> dict[str, Record]:
    """The decision log by change, without what depends on the run."""
    of_run = ("run_id", "run_sequence", "decided_at")
    return {
        record["change_id"]: {name: record[name] for name in record if name not in of_run}
        for record in running.records("change_outcomes", played)
    }


@pytest.mark.spark
@pytest.mark.slow
def test_a_session_that_the_queue_has_passed_is_taken_behind_it(running: Builds) -> None:
    """Decided last, sent last, and known to nobody who has only what was taken before."""
    played = running.played[2]
    found = log(running, played)
    assert {
        name: (one["transaction_position"], one["queue_position"], one["outcome"])
        for name, one in found.items()
    } == {
        "north-1": (5, 6, "lost"),
        "north-3": (5, 7, "applied"),
        "north-4": (5, 8, "applied"),
        "south-5": (5, 5, "applied"),
        "south-6": (6, 6, "lost"),
        "south-7": (7, 7, "applied"),
    }
    rejected = running.records("rejected_changes", played)
    assert [(one["change_id"], one["queue_position"]) for one in rejected] == [("north-2", 2)]
    sent = [
        one["cause"]
        for one in running.commands(played, "south")
        if one["kind"] == "replicated" and one["queue_position"] == 5
    ]
    assert sent == ["south-5", "north-3", "north-4"]
    assert compare(running, played) == []


@pytest.mark.spark
@pytest.mark.slow
def test_a_full_refresh_knows_nodes_whose_subscription_has_ended(running: Builds) -> None:
    """What they sent while they had one is decided as it was; what they send now is rejected."""
    played = running.played[0]
    before = log(running, played)
    assert {name: one["outcome"] for name, one in before.items()} == {
        "berlin-1": "applied",
        "tablet-2": "applied",
        "leaf-3": "applied",
        "berlin-4": "applied",
        "north-5": "won",
        "boss-6": "lost",
        "north-7": "lost",
        "boss-8": "won",
        "boss-9": "lost",
    }
    names = ", ".join(f"'{name}'" for name in ENDED)
    inputs = f"{running.project.inputs}.subscriptions"
    running.spark.sql(
        f"delete from {inputs} where publication = '{played.name}' and subscriber in ({names})"
    )
    late = [change(20, "berlin", 1)]
    tables.append_feed(running.spark, running.project.feeds, played.publication, late, "parquet")
    running.build("--full-refresh")
    assert log(running, played) == before
    rejected = running.records("rejected_changes", played)
    assert [(one["change_id"], one["reason"]) for one in rejected] == [
        ("berlin-20", "unknown_node")
    ]
    assert compare(running, running.played[2], is_rebuilt=True) == []


def report(command_id: str, **other: Any) -> dict[str, Any]:
    """A subscriber says that it has refused a command about row 1."""
    return {
        "queue_position": None,
        "subscriber": "north",
        "command_id": command_id,
        "article": "item",
        "key": {"item_id": "1"},
        "operation": "update",
        "error_code": 2627,
        "error_text": "refused",
        "row": {"item_id": "1", "name": "bolt"},
        **other,
    }


def deliver_reports(running: Builds, played: Played, reports: list[dict[str, Any]]) -> None:
    """Reports arrive in the feed of refused commands."""
    table = tables.table_name(running.project.feeds, played.publication, "apply_errors")
    tables.append_rows(running.spark, table, APPLY_ERRORS, reports, "parquet")


@pytest.mark.spark
@pytest.mark.slow
def test_reports_without_a_place_act_one_after_the_other(running: Builds) -> None:
    """Behind the last place taken, as a report does whose place the queue has passed."""
    played = running.played[1]
    commands = running.commands(played, "north")
    assert [one["queue_position"] for one in commands] == [1, 2]
    deliver_reports(running, played, [report(one["command_id"]) for one in commands])
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


@pytest.mark.spark
@pytest.mark.slow
def test_a_report_that_cannot_be_is_not_taken(running: Builds) -> None:
    """What it says would be published: the row of nobody, or one with values that got lost."""
    played = running.played[5]
    (command,) = running.commands(played, "north")
    about = command["command_id"]
    wrong = [
        report(about, subscriber="nroth"),
        report(about, row={"item_id": "1"}),
        report(about, row={"item_id": "1", "name": "bolt", "color": "red"}),
        report(about, row={"item_id": "one", "name": "bolt"}),
        report(about, row={"item_id": "2", "name": "bolt"}),
    ]
    deliver_reports(running, played, wrong)
    running.build()
    assert sorted(log(running, played)) == ["HQ-1"]
    (warning,) = running.data_test_warnings("reports_are_taken")
    assert f"Got {len(wrong)} results" in warning
    # a correct one, in whatever form a number has
    deliver_reports(running, played, [report(about, row={"item_id": "01", "name": "nut"})])
    running.build()
    assert [one["row_key"] for one in running.records("intervention_log", played)] == ["1"]
    published = f"{running.project.schema}.{played.name}__item"
    (row,) = running.spark.sql(f"select name from {published} where item_id = 1").collect()
    assert row["name"] == "nut"
    # the others are about a command that has been taken, but for the one of nobody
    (warning,) = running.data_test_warnings("reports_are_taken")
    assert "Got 1 result" in warning


@pytest.mark.spark
@pytest.mark.slow
def test_a_session_that_is_corrected_while_it_waits_is_taken_once(running: Builds) -> None:
    """What waited as it came first is no second change, and does not complete the session."""
    played = running.played[4]
    assert log(running, played) == {}
    session = {"transaction_id": "north-s", "transaction_change_count": 3}
    feed = tables.table_name(running.project.feeds, played.publication, "item")
    running.spark.sql(f"truncate table {feed}")
    for rows in (
        [change(1, "north", 1, **session), change(2, "north", 2, **session)],
        [change(3, "north", 3, **session)],
    ):
        assert log(running, played) == {}
        tables.append_feed(
            running.spark, running.project.feeds, played.publication, rows, "parquet"
        )
        running.build()
        running.build()
    outcomes = running.records("change_outcomes", played)
    assert sorted(one["change_id"] for one in outcomes) == ["north-1", "north-2", "north-3"]


@pytest.mark.spark
@pytest.mark.slow
def test_a_transaction_that_waits_for_more_than_a_day_is_a_warning(running: Builds) -> None:
    """Nothing else would ever say that a change has come which no transaction lacks."""
    played = running.played[3]
    assert sorted(log(running, played)) == ["north-1", "north-2"]
    waiting = f"{running.project.schema}.waiting_changes"
    assert running.data_test_warnings("transactions_do_not_wait_long") == ()
    running.spark.sql(
        f"update {waiting} set first_seen_at = first_seen_at - interval 25 hours "
        f"where publication = '{played.name}'"
    )
    (warning,) = running.data_test_warnings("transactions_do_not_wait_long")
    assert "Got 1 result" in warning


def cut_off() -> Case:
    """Of two sessions, one without a count, the last change breaks the contract."""
    counted = {"transaction_id": "north-s", "transaction_change_count": 3}
    uncounted = {"transaction_id": "north-u", "transaction_change_count": None}
    broken = {"changed_columns": ["color"]}
    return case(
        "cut_off",
        {"north": {"priority": 75}, "south": {"priority": 75}},
        (
            change(1, "north", 1, **counted),
            change(2, "north", 2, **counted),
            change(3, "south", 1),
            change(4, "north", 3, **counted, **broken),
            change(5, "north", 3, **uncounted),
            change(6, "south", 3),
            change(7, "north", 4, **uncounted, **broken),
        ),
        (
            change(8, "south", 4),
            change(9, "north", 4, **uncounted),
            # one more than the session counts, which waits
            change(10, "north", 1, **counted),
        ),
    )


def cut_off_record() -> Case:
    """The session of a record's winner, in which the image of one row breaks the contract."""
    session = {"transaction_id": "north-s", "transaction_change_count": 2}
    image = change(3, "north", 1, operation="image", changed_columns=["color"], **session)
    part = FeedRow("part", {**image.values, "part_id": 10, "item_id": 1})
    before = case(
        "cut_off_record",
        {"north": {"priority": 90}, "south": {"priority": 75}},
        (change(1, "south", 1), change(2, "north", 1, **session), part),
        (change(4, "south", 4),),
    )
    articles = {
        **before.configuration["articles"],
        "part": {
            "columns": {"part_id": "int", "item_id": "int"},
            "primary_key": ["part_id"],
            "initial_snapshot": True,
        },
    }
    record = {
        "top": "item",
        "members": {"part": {"parent": "item", "columns": ["item_id"]}},
        "detection": True,
        "resolution": True,
    }
    return replace(
        before,
        configuration={
            **before.configuration,
            "articles": articles,
            "logical_records": [record],
        },
        initial={
            **before.initial,
            # nothing is said of the second one, which goes
            "part": [{"part_id": key, "item_id": 1, "row_version": "HQ:1"} for key in (10, 11)],
        },
    )


@pytest.mark.spark
@pytest.mark.slow
def test_a_run_that_died_with_a_rejection_leaves_the_rest_of_the_session(
    tmp_path: Path, scratch_state: Path
) -> None:
    """Such a session is complete, and has its place, as if the run had come to its end.

    What was rejected is known as long as its session is decided, also when that is done again.
    """
    running = Builds("cut_off", [cut_off(), cut_off_record()], tmp_path, scratch_state)
    running.start()
    played, of_record = running.played
    running.deliver(played, 0)
    running.deliver(of_record, 0)
    running.build("--select", "+rejected_changes")
    assert len(running.records("rejected_changes", played)) == 2
    assert len(running.records("rejected_changes", of_record)) == 1
    assert not running.spark.catalog.tableExists(f"{running.project.schema}.change_outcomes")
    running.build()
    running.remember(0)
    running.take(1)
    decided = log(running, of_record)
    running.build("--full-refresh")
    assert log(running, of_record) == decided
    parts = running.article_records(of_record, f"{of_record.name}__part", "part", [])
    assert [one["row"]["part_id"] for one in parts] == [10]
    assert compare(running, of_record) == []
    found = log(running, played)
    assert {name: one["transaction_position"] for name, one in found.items()} == {
        "north-1": 4,
        "north-2": 4,
        "south-3": 3,
        "north-5": 7,
        "south-6": 6,
        "south-8": 8,
        "north-9": 9,
    }
    assert compare(running, played) == []
    running.drop()
