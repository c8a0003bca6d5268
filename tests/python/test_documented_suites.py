"""The documented cases, through real dbt builds of a generated project that installs this one."""

from __future__ import annotations

from pathlib import Path

import pytest

from replication_conflicts.scenarios.expected import read_expected_failures
from replication_conflicts.scenarios.runner import RunResult, run_suites
from replication_conflicts.scenarios.suite import read_suites
from tests.python.conftest import REPOSITORY

SCENARIOS = REPOSITORY / "tests" / "scenarios"
# what a plain `make test` runs; every suite of every folder is run with the long tests
QUEUED_SUITES = (
    "conflict_logging",
    "contract_violations",
    "queued_default_policy",
    "queued_publisher_wins",
    "queued_reinitialize",
    "queued_subscriber_wins",
)
MERGE_SUITES = (
    "contract_violations_merge",
    "failed_changes_compensated",
    "merge_clients",
    "merge_column_tracking",
    "merge_deletes",
    "merge_known_position",
    "merge_priorities",
)
HARD_SUITES = ("queued_publisher_wins", "contract_violations", "merge_column_tracking")


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


@pytest.mark.spark
@pytest.mark.slow
def test_queued_suites_pass(tmp_path: Path, scratch_state: Path) -> None:
    """The documented cases of queued updating, plain pass."""
    files = [SCENARIOS / "documented" / f"{name}.yml" for name in QUEUED_SUITES]
    result = run(files, False, tmp_path, scratch_state)
    assert failures(result) == []
    assert result.passed


@pytest.mark.spark
@pytest.mark.slow
def test_merge_suites_pass(tmp_path: Path, scratch_state: Path) -> None:
    """The documented cases of merge replication and of constraints, plain pass."""
    files = [SCENARIOS / "documented" / f"{name}.yml" for name in MERGE_SUITES]
    result = run(files, False, tmp_path / "merge", scratch_state)
    assert failures(result) == []
    assert result.passed


@pytest.mark.spark
@pytest.mark.soak
def test_documented_suites_pass(tmp_path: Path, scratch_state: Path) -> None:
    """Every documented case, plain pass; those that wait for an open issue must still fail."""
    files = sorted(SCENARIOS.glob("*/*.yml"))
    result = run(files, False, tmp_path, scratch_state)
    assert failures(result) == []
    assert result.passed


@pytest.mark.spark
@pytest.mark.soak
def test_suites_pass_the_hard_way(tmp_path: Path, scratch_state: Path) -> None:
    """Every row delivered twice, an empty run after every run, and a rebuild at the end."""
    files = [SCENARIOS / "documented" / f"{name}.yml" for name in HARD_SUITES]
    result = run(files, True, tmp_path / "hard", scratch_state)
    assert failures(result) == []
    assert result.passed
