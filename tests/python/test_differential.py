"""The project against the sequential reader: a fixed set of generated cases through dbt builds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from replication_conflicts.workload import Settings
from tests.python.demo_loop import POLICIES, demo_case, sales_case
from tests.python.demo_loop import SMALL as SMALL_DEMO
from tests.python.differential.builds import builds
from tests.python.differential.comparison import compare
from tests.python.differential.crafted import (
    BUSY_ROW,
    REPORT_WITHOUT_PLACE,
    SHARED_PLACES,
    crafted_cases,
)
from tests.python.strategies import (
    Case,
    case_from_seed,
    cut_again,
    with_places_of_their_own,
)
from tests.python.strategies.workload import MEDIUM

# every run costs seconds for each article: three runs, and few articles with much in them
QUICK = replace(MEDIUM, runs=(2, 2), articles=(1, 2))
# one for each policy, and most ways to misbehave among them
SEEDS = (90, 31, 137)
# what comes of these depends on which run saw what: all others are the same when rebuilt
CUT_MATTERS = {REPORT_WITHOUT_PLACE, SHARED_PLACES}
BATCHES = (1, 3, 20)


@pytest.mark.spark
@pytest.mark.slow
def test_builds_equal_the_sequential_reader(tmp_path: Path, scratch_state: Path) -> None:
    """Every relation is as the reader has it, run by run; subscribers end equal to the publisher.

    Then a run without news changes no table, and a full refresh gives the same again.
    """
    cases = [*(case_from_seed(seed, QUICK) for seed in SEEDS), *crafted_cases()]
    assert {case.label for case in cases if not case.is_cut_free} == CUT_MATTERS
    with builds("differential", cases, tmp_path, scratch_state) as running:
        problems = {played.case.label: compare(running, played) for played in running.played}
        assert problems == {case.label: [] for case in cases}
        assert running.changed_by_empty_run() == []
        assert running.data_test_errors() == ()
        running.build("--full-refresh")
        assert 0 < running.rounds_of_last_run(BUSY_ROW) <= 2
        rebuilt = {
            played.case.label: compare(running, played, is_rebuilt=True)
            for played in running.played
            if played.case.label not in CUT_MATTERS
        }
    assert rebuilt == {label: [] for label in problems if label not in CUT_MATTERS}


@pytest.mark.spark
@pytest.mark.soak
@pytest.mark.parametrize("batches", BATCHES)
def test_batches_do_not_matter(batches: int, tmp_path: Path, scratch_state: Path) -> None:
    """One feed of each policy, cut otherwise."""
    cases = []
    for policy in POLICIES:
        case = next(
            case
            for case in (case_from_seed(seed, MEDIUM) for seed in range(1000))
            if case.is_cut_free and case.configuration["policy"] == policy and len(case.rows) > 60
        )
        cases.append(cut_again(case, Random(0), batches))
    assert_equal(f"batches_{batches}", cases, tmp_path, scratch_state)


@pytest.mark.spark
@pytest.mark.soak
@pytest.mark.parametrize("batches", BATCHES)
def test_the_demo_equals_the_sequential_reader(
    batches: int, tmp_path: Path, scratch_state: Path
) -> None:
    """The demo's own feed, for each policy, cut otherwise and then rebuilt."""
    demos = [demo_case(policy, SMALL_DEMO) for policy in POLICIES]
    cases = [cut_again(with_places_of_their_own(case), Random(0), batches) for case in demos]
    assert_equal(f"demo_{batches}", cases, tmp_path, scratch_state)


@pytest.mark.spark
@pytest.mark.soak
def test_both_publications_of_the_demo_equal_the_sequential_reader(
    tmp_path: Path, scratch_state: Path
) -> None:
    """Queued updating and merge replication side by side, in the deliveries that the demo makes."""
    both = [demo_case("publisher_wins", SMALL_DEMO), sales_case(Settings())]
    assert_equal("demos", both, tmp_path, scratch_state)


def assert_equal(name: str, cases: list[Case], folder: Path, state: Path) -> None:
    """Builds of the cases write what the reader decides, and so does a full refresh."""
    nothing: dict[str, list[str]] = {case.label: [] for case in cases}
    with builds(name, cases, folder, state) as running:
        found = {played.case.label: compare(running, played) for played in running.played}
        assert found == nothing
        assert running.data_test_errors() == ()
        running.build("--full-refresh")
        rebuilt = {
            played.case.label: compare(running, played, is_rebuilt=True)
            for played in running.played
        }
    assert rebuilt == nothing
