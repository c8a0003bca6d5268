"""The documented cases, through real dbt builds of a generated project that installs this one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from replication_conflicts.scenarios.expected import read_expected_failures
from replication_conflicts.scenarios.runner import RunResult, run_suites
from replication_conflicts.scenarios.suite import read_suite, read_suites
from tests.python.repository import REPOSITORY

SCENARIOS = REPOSITORY / "tests" / "scenarios"
DOCUMENTED = SCENARIOS / "documented"
# in the hard pass of a plain `make test`: one suite of queued updating, one of merge replication
HARD_SUITES = ("contract_violations", "merge_known_position")


def run(files: list[Path], is_hard: bool, folder: Path, state: Path) -> RunResult:
    """Run suite files as `make scenarios` does; every case of theirs has a result."""
    suites, problems = read_suites(files)
    assert problems == []
    expected = read_expected_failures(SCENARIOS / "expected_failures.yml")
    result = run_suites(suites, is_hard, print, expected, folder, state)
    known = [one for one, _ in (*result.waiting, *result.surprising)]
    played = [(one.suite.name, one.case.name) for one in (*result.passed, *result.failed, *known)]
    assert sorted(played) == sorted(
        (suite.name, case.name) for suite in suites for case in suite.cases
    )
    return result


def failures(result: RunResult) -> list[str]:
    """What failed, what passes although it is listed as an expected failure, and data tests."""
    surprising = [one for one, _ in result.surprising]
    cases = [f"{one.suite.name} {one.case.name}: {one}" for one in [*result.failed, *surprising]]
    return cases + result.problems


def named(pattern: str) -> list[Path]:
    """The suites whose names fit."""
    found = sorted(SCENARIOS.glob(f"*/{pattern}.yml"))
    assert found, pattern
    return found


def each_by_itself(names: Iterable[str]) -> list[Any]:
    """Of several processes, the one that is free first takes the next."""
    return [pytest.param(name, marks=pytest.mark.xdist_group(f"suites {name}")) for name in names]


def suites_by_need() -> dict[str, list[Path]]:
    """The documented suites, parted as they share projects anyway."""
    parts: dict[str, list[Path]] = {}
    for file in sorted(DOCUMENTED.glob("*.yml")):
        parts.setdefault(read_suite(file).costliest_need, []).append(file)
    return parts


def play(files: list[Path], is_hard: bool, folder: Path, state: Path) -> None:
    """Run suites; fail with the names of the cases that surprise."""
    result = run(files, is_hard, folder, state)
    assert failures(result) == []
    assert result.passed


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("part", each_by_itself(suites_by_need()))
def test_suites_pass(part: str, tmp_path: Path, scratch_state: Path) -> None:
    """Plain pass; suites that wait for an open issue must still fail."""
    play(suites_by_need()[part], False, tmp_path / "suites", scratch_state)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("name", each_by_itself(HARD_SUITES))
def test_a_suite_passes_the_hard_way(name: str, tmp_path: Path, scratch_state: Path) -> None:
    """Every row delivered twice, an empty run after every run, and a rebuild at the end."""
    play(named(name), True, tmp_path / f"{name}_hard", scratch_state)


@pytest.mark.spark
@pytest.mark.soak
@pytest.mark.xdist_group("suites")
def test_the_other_suites_pass(tmp_path: Path, scratch_state: Path) -> None:
    """Plain pass; a plain `make test` plays them with the sequential reader alone."""
    files = [file for file in named("*") if file.parent != DOCUMENTED]
    play(files, False, tmp_path / "others", scratch_state)


@pytest.mark.spark
@pytest.mark.soak
@pytest.mark.xdist_group("suites")
def test_all_suites_pass_the_hard_way(tmp_path: Path, scratch_state: Path) -> None:
    """Every suite."""
    play(named("*"), True, tmp_path / "all_hard", scratch_state)
