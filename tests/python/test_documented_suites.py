"""The documented cases, through real dbt builds of a generated project that installs this one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from replication_conflicts.scenarios.expected import read_expected_failures
from replication_conflicts.scenarios.runner import RunResult, run_suites
from replication_conflicts.scenarios.suite import read_suites
from tests.python.conftest import REPOSITORY

SCENARIOS = REPOSITORY / "tests" / "scenarios"
# what a plain `make test` runs, in groups that plan alike; all of them with the long tests
GROUPS = (
    (
        "conflict_logging",
        "contract_violations",
        "queued_default_policy",
        "queued_publisher_wins",
        "queued_reinitialize",
        "queued_subscriber_wins",
    ),
    (
        "contract_violations_merge",
        "merge_clients",
        "merge_column_tracking",
        "merge_corners",
        "merge_deletes",
        "merge_known_position",
        "merge_priorities",
    ),
    ("failed_changes_compensated", "failed_changes_order"),
    ("decisions", "merge_logical_records_row", "merge_records_in_session"),
)
# and in the hard pass: one of queued updating, one of merge replication
HARD_SUITES = ("contract_violations", "merge_known_position")


def run(files: list[Path], is_hard: bool, folder: Path, state: Path) -> RunResult:
    """Run suite files as `make scenarios` does."""
    suites, problems = read_suites(files)
    assert problems == []
    expected = read_expected_failures(SCENARIOS / "expected_failures.yml")
    return run_suites(suites, is_hard, print, expected, folder, state)


def failures(result: RunResult) -> list[str]:
    """What failed, and what passes although it is listed as an expected failure."""
    surprising = [one for one, _ in result.surprising]
    return [f"{one.suite.name} {one.case.name}: {one}" for one in [*result.failed, *surprising]]


def play(names: Iterable[str], is_hard: bool, folder: Path, state: Path) -> None:
    """Run suites by name, and fail with the names of the cases that surprise."""
    files = [file for name in names for file in sorted(SCENARIOS.glob(f"*/{name}.yml"))]
    result = run(files, is_hard, folder, state)
    assert failures(result) == []
    assert result.passed


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.xdist_group("suites")
@pytest.mark.parametrize("names", GROUPS, ids=["queued", "merge", "keys", "records"])
def test_suites_pass(names: tuple[str, ...], tmp_path: Path, scratch_state: Path) -> None:
    """Documented cases, plain pass; those that wait for an open issue must still fail."""
    play(names, False, tmp_path / names[0], scratch_state)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.xdist_group("suites")
@pytest.mark.parametrize("name", HARD_SUITES)
def test_a_suite_passes_the_hard_way(name: str, tmp_path: Path, scratch_state: Path) -> None:
    """Every row delivered twice, an empty run after every run, and a rebuild at the end."""
    play([name], True, tmp_path / f"{name}_hard", scratch_state)


@pytest.mark.spark
@pytest.mark.soak
@pytest.mark.xdist_group("suites")
@pytest.mark.parametrize("is_hard", [False, True], ids=["plain", "hard"])
def test_all_suites_pass(is_hard: bool, tmp_path: Path, scratch_state: Path) -> None:
    """Every suite of every folder."""
    play(["*"], is_hard, tmp_path / f"all_{is_hard}", scratch_state)
