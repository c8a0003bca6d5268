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
    max_examples=200,
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
            repr((r.reason, replace(r.change, first_seen_in=0))) for r in reader.rejected
        ),
        "rows": {
            article: sorted(map(repr, rows.values())) for article, rows in reader.rows.items()
        },
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
    refused = {(c.article, c.key) for c in reader.conflicts if c.type in (6, 8, 10)}
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


@pytest.mark.parametrize("seed", range(40))
def test_large_workloads(seed: int) -> None:
    """The same properties on workloads of some hundred changes."""
    workload = merge_workload_from_seed(seed)
    assert differences(workload) == []
    for deliveries in (1, 3, 20):
        again = read(cut_again(workload.case(), Random(seed), deliveries))
        assert result(again) == result(workload.reader)
