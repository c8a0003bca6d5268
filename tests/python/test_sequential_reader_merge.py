"""Random workloads of merge replication: the sequential reader and the simulated nodes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.python.sequential_reader import SequentialReader
from tests.python.strategies import Case, Delivery, cut_again
from tests.python.strategies.merge_workload import (
    MergeWorkload,
    merge_reader,
    merge_workload_from_seed,
    merge_workloads,
    take,
)

EXAMPLES = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def read(case: Case) -> SequentialReader:
    """The reader after all deliveries of a case."""
    reader = merge_reader(case)
    for delivery in case.deliveries:
        take(reader, delivery)
    return reader


def result(reader: SequentialReader) -> dict[str, Any]:
    """Everything that must not depend on how the feed is cut into runs."""
    return {
        "outcomes": [replace(outcome, run=0) for outcome in reader.outcomes],
        "conflicts": [replace(conflict, run=0) for conflict in reader.conflicts],
        "rejected": Counter(
            repr((r.reason, replace(r.change, taken_before=None))) for r in reader.rejected
        ),
        "rows": {
            article: sorted(map(repr, rows.values())) for article, rows in reader.rows.items()
        },
        "waiting": Counter(repr(replace(c, taken_before=None)) for c in reader.waiting),
        "status": reader.subscription_status(),
        "commands": [replace(command, run=0) for command in reader.commands],
        "stale": reader.stale_decisions,
    }


def differences(workload: MergeWorkload) -> list[str]:
    """Where a subscriber's rows are not its part of the publisher's, though all is decided.

    Left out are rows that are meant to stay different: failed changes and refused commands that are
    not undone, and articles that are not downloaded.
    """
    reader = workload.reader
    articles = reader.publication.articles
    refused = {
        (error.article, error.key) for one in workload.case().deliveries for error in one.errors
    }
    kept = {
        (command.subscriber, command.article, command.key)
        for command in reader.commands
        if command.kind == "not_applied"
    }
    found = []
    for name, node in workload.nodes.items():
        for article_name, article in articles.items():
            if not article.is_downloaded:
                continue
            published = {
                article.key_of(row): row
                for row in reader.published(article_name)
                if article.is_inside(name, row)
            }
            held = {article.key_of(row): row for row in node.rows(article_name)}
            for key in sorted({*published, *held}, key=repr):
                if (name, article_name, key) in kept:
                    continue
                if (article_name, key) in refused and not article.compensate_for_errors:
                    continue
                ours = {k: v for k, v in published.get(key, {}).items() if k != "row_version"}
                if ours != held.get(key, {}):
                    found.append(f"{name} {article_name} {key}: {held.get(key)} instead of {ours}")
    return found


@EXAMPLES
@given(merge_workloads(has_raw_rows=False))
def test_subscribers_end_equal_to_the_publisher(workload: MergeWorkload) -> None:
    """Once everything is decided and applied, every subscriber holds its part of the rows."""
    assert differences(workload) == []


@EXAMPLES
@given(merge_workloads(has_raw_rows=True), st.integers(1, 12), st.integers(0, 2**32))
def test_cuts_do_not_matter(workload: MergeWorkload, deliveries: int, seed: int) -> None:
    """The same feed in another number of runs gives the same."""
    case = workload.case()
    again = read(cut_again(case, Random(seed), deliveries))
    assert result(again) == result(workload.reader)


@EXAMPLES
@given(merge_workloads(has_raw_rows=True))
def test_processing_twice_changes_nothing(workload: MergeWorkload) -> None:
    """Every row twice, every run followed by an empty one, and at the end the whole feed again."""
    case = workload.case()
    doubled = []
    for one in case.deliveries:
        doubled += [replace(one, rows=one.rows * 2, errors=one.errors * 2), Delivery()]
    doubled.append(Delivery(tuple(row for one in case.deliveries for row in one.rows)))
    assert result(read(replace(case, deliveries=tuple(doubled)))) == result(workload.reader)


@EXAMPLES
@given(merge_workloads(has_raw_rows=True))
def test_no_loser_is_lost(workload: MergeWorkload) -> None:
    """What lost, failed or waits has a record, and so has what was overwritten unread."""
    reader = workload.reader
    lost = {(article, key, version) for article, key, version, _ in reader.journal.known}
    for outcome in reader.outcomes:
        place = (outcome.article, outcome.key)
        is_delete = outcome.operation == "delete"
        if outcome.outcome in ("lost", "failed", "waiting", "rejected") and not is_delete:
            assert {(*place, outcome.new_version), (*place, outcome.change_id)} & lost
        if outcome.outcome == "won" and outcome.held_version is not None:
            assert (*place, outcome.held_version) in lost


@EXAMPLES
@given(merge_workloads(has_raw_rows=True))
def test_versions_follow_each_other(workload: MergeWorkload) -> None:
    """What all subscribers are told about a row leads from its first version to the last one."""
    reader = workload.reader
    versions = {
        (article, workload.publication.articles[article].key_of(row)): row["row_version"]
        for article, rows in workload.initial.items()
        for row in rows
    }
    everywhere = [command for command in reader.commands if command.subscriber is None]
    for command in sorted(everywhere, key=lambda command: (command.position, command.sequence)):
        assert command.article is not None
        assert command.key is not None
        assert command.old_version == versions.get((command.article, command.key))
        assert command.new_version != command.old_version
        versions[(command.article, command.key)] = command.new_version
    for name, article in reader.publication.articles.items():
        if article.row_filters or not article.is_downloaded:
            continue
        for key, held in reader.rows[name].items():
            assert versions.get((name, key)) == held.version


def test_seeds_cover_every_rule() -> None:
    """The generator reaches every outcome, kind and type of conflict, reason and command."""
    outcomes: set[str] = set()
    kinds: set[tuple[str, int]] = set()
    reasons: set[str] = set()
    commands: set[str] = set()
    for seed in range(90):
        reader = merge_workload_from_seed(seed, has_raw_rows=True).reader
        outcomes |= {outcome.outcome for outcome in reader.outcomes}
        kinds |= {(conflict.kind, conflict.type) for conflict in reader.conflicts}
        reasons |= {rejection.reason for rejection in reader.rejected}
        commands |= {command.kind for command in reader.commands}
    # `already_known`: a session that was completed after a later one of its node
    assert outcomes == {
        "already_known",
        "applied",
        "merged",
        "won",
        "lost",
        "rejected",
        "already_deleted",
        "same_value",
        "failed",
        "waiting",
    }
    assert kinds >= {
        ("update_update", 1),
        ("update_update", 2),
        ("update_delete", 3),
        ("update_delete", 4),
        ("delete_update", 3),
        ("delete_update", 4),
        ("insert_insert", 1),
        ("insert_insert", 2),
        ("failed_insert", 5),
        ("failed_insert", 6),
        ("failed_delete", 7),
        ("failed_delete", 8),
        ("failed_update", 9),
        ("failed_update", 10),
        ("condemned", 1),
        ("condemned", 12),
        ("condemned", 13),
    }
    assert reasons >= {"unknown_node", "unknown_operation", "unknown_column", "missing_version"}
    assert reasons >= {"null_key", "duplicate_change_id", "expired"}
    assert commands == {"replicated", "compensating", "not_applied", "log_conflict"}


@pytest.mark.parametrize("seed", range(20))
def test_large_workloads(seed: int) -> None:
    """The same properties on workloads of some hundred changes."""
    workload = merge_workload_from_seed(seed)
    assert differences(workload) == []
    for deliveries in (1, 3, 20):
        again = read(cut_again(workload.case(), Random(seed), deliveries))
        assert result(again) == result(workload.reader)
