"""Merge replication: the project against the sequential reader, over random workloads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.python.differential.builds import builds
from tests.python.differential.comparison import compare
from tests.python.strategies import Case, cut_again
from tests.python.strategies.merge_workload import SMALL, merge_workload_from_seed

# every run costs seconds for each article; refused commands and decisions have tests of their own
QUICK = replace(SMALL, keys=3, runs=(2, 3), steps=(8, 16), has_reports=False)
RUNS = 3
SEEDS = (13,)
# with logical records: by row, as a whole, of two and three articles
RECORD_SEEDS = (23, 39)


def merge_case(seed: int, runs: int = RUNS) -> Case:
    """The workload of a seed, cut into a few runs."""
    workload = merge_workload_from_seed(seed, QUICK, has_raw_rows=True)
    return cut_again(workload.case(), Random(seed), runs)


def play(name: str, seeds: Iterable[int], folder: Path, state: Path) -> None:
    """Rows, lineages, outcomes, conflicts and commands are as the reader has them, and again after
    a full refresh.
    """
    cases = [merge_case(seed) for seed in seeds]
    nothing: dict[str, list[str]] = {case.label: [] for case in cases}
    with builds(name, cases, folder, state) as running:
        assert {one.case.label: compare(running, one) for one in running.played} == nothing
        assert running.changed_by_empty_run() == []
        running.build("--full-refresh")
        rebuilt = {one.case.label: compare(running, one, is_rebuilt=True) for one in running.played}
    assert rebuilt == nothing


@pytest.mark.spark
@pytest.mark.slow
def test_builds_equal_the_sequential_reader(tmp_path: Path, scratch_state: Path) -> None:
    """Row and column tracking, priorities, constraints, resolvers."""
    play("differential_merge", SEEDS, tmp_path, scratch_state)


@pytest.mark.spark
@pytest.mark.soak
def test_builds_with_logical_records_equal_the_sequential_reader(
    tmp_path: Path, scratch_state: Path
) -> None:
    """The same with logical records, which take long to plan."""
    play("differential_records", RECORD_SEEDS, tmp_path, scratch_state)
