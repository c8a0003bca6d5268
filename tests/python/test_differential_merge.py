"""Merge replication: the project against the sequential reader, over random workloads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.python.differential.builds import builds
from tests.python.differential.comparison import compare
from tests.python.merge_example import (
    BROKEN_KEYS,
    broken_keys,
    initial_versions_of_a_subscriber,
    keys_in_chains,
)
from tests.python.strategies import Case
from tests.python.strategies.merge_cases import (
    decided_on_earlier_runs,
    key_case,
    merge_case,
    merge_case_in_two_runs,
    record_case,
    reporting_case,
    resolver_case,
)
from tests.python.strategies.merge_publication import COLUMN_RESOLVERS, ROW_RESOLVERS

SEEDS = (13, 26)
# many unique and foreign keys that changes break
KEY_SEEDS = (21,)
MORE_KEY_SEEDS = (5, 17, 28)
# with logical records: by row, as a whole, of two and three articles
RECORD_SEEDS = (23, 39)
# with an article beside the record
BESIDE_SEEDS = (1, 13, 29, 33)
# by row and by column, without and with a logical record
SMALL_RUN_SEEDS = (22, 43)
REPORT_SEEDS = (21, 26, 36, 37, 48)


def play(name: str, cases: Sequence[Case], folder: Path, state: Path) -> dict[str, int]:
    """Rows, lineages, outcomes, conflicts and commands are as the reader has them, and again after
    a full refresh: for each case, how many rounds that has taken.
    """
    nothing: dict[str, list[str]] = {case.label: [] for case in cases}
    with builds(name, cases, folder, state) as running:
        assert {one.case.label: compare(running, one) for one in running.played} == nothing
        assert running.changed_by_empty_run() == []
        assert running.data_test_errors() == ()
        running.build("--full-refresh")
        rebuilt = {one.case.label: compare(running, one, is_rebuilt=True) for one in running.played}
        rounds = {label: running.rounds_of_last_run(label) for label in nothing}
    assert rebuilt == nothing
    return rounds


@pytest.mark.spark
@pytest.mark.slow
def test_builds_equal_the_sequential_reader(tmp_path: Path, scratch_state: Path) -> None:
    """Row and column tracking, priorities, constraints, resolvers; initial rows of a subscriber.

    Changes that fail for reasons of their own fail in the same round, however many they are. Two
    runs and no more: every run costs seconds for each article, and test_growing_publications.py
    has three.
    """
    random = [merge_case_in_two_runs(seed) for seed in SEEDS]
    assert min(map(decided_on_earlier_runs, random)) >= 8
    cases = [
        *random,
        *(key_case(seed) for seed in KEY_SEEDS),
        initial_versions_of_a_subscriber(),
        broken_keys(),
        keys_in_chains(),
    ]
    rounds = play("differential_merge", cases, tmp_path, scratch_state)
    assert 0 < rounds[BROKEN_KEYS] <= 3


@pytest.mark.spark
@pytest.mark.soak
def test_builds_with_many_broken_keys_equal_the_sequential_reader(
    tmp_path: Path, scratch_state: Path
) -> None:
    """Unique and foreign keys that depend on each other, in one run and in two."""
    cases = [key_case(seed, runs) for seed in MORE_KEY_SEEDS for runs in (1, 2)]
    play("differential_keys", cases, tmp_path, scratch_state)


@pytest.mark.spark
@pytest.mark.soak
def test_builds_with_logical_records_equal_the_sequential_reader(
    tmp_path: Path, scratch_state: Path
) -> None:
    """The same with logical records, which take long to plan."""
    play(
        "differential_records", [merge_case(seed) for seed in RECORD_SEEDS], tmp_path, scratch_state
    )


@pytest.mark.spark
@pytest.mark.soak
def test_builds_with_an_article_beside_a_record_equal_the_sequential_reader(
    tmp_path: Path, scratch_state: Path
) -> None:
    """A row that a winning record drops keeps its key, and its children, until then."""
    play(
        "differential_beside", [record_case(seed) for seed in BESIDE_SEEDS], tmp_path, scratch_state
    )


@pytest.mark.spark
@pytest.mark.soak
def test_builds_of_many_small_runs_equal_the_sequential_reader(
    tmp_path: Path, scratch_state: Path
) -> None:
    """Row tracking, column tracking and logical records, in one run and in twenty."""
    cases = [merge_case(seed, runs) for seed in SMALL_RUN_SEEDS for runs in (1, 20)]
    assert max(len(case.deliveries) for case in cases) > 10
    play("differential_small_runs", cases, tmp_path, scratch_state)


@pytest.mark.spark
@pytest.mark.soak
def test_builds_with_every_resolver_equal_the_sequential_reader(
    tmp_path: Path, scratch_state: Path
) -> None:
    """Each in a publication of its own, where it decides otherwise than the default resolver."""
    cases = [resolver_case(resolver, runs=2) for resolver in (*ROW_RESOLVERS, *COLUMN_RESOLVERS)]
    play("differential_resolvers", cases, tmp_path, scratch_state)


@pytest.mark.spark
@pytest.mark.soak
def test_builds_with_reports_equal_the_sequential_reader(
    tmp_path: Path, scratch_state: Path
) -> None:
    """Commands that subscribers refuse, decisions of people: about what builds have written."""
    cases = [reporting_case(seed) for seed in REPORT_SEEDS]
    assert all(any(one.errors for one in case.deliveries) for case in cases[1:])
    assert all(any(one.decisions for one in case.deliveries) for case in cases)
    play("differential_reports", cases, tmp_path, scratch_state)
