"""The harness around the differential tests: kept cases, smaller cases, cuts.  No Spark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from replication_conflicts.scenarios.suite import read_suite
from tests.python.differential.scenario_files import NoScenario, write_scenario
from tests.python.differential.shrinking import shrink, size
from tests.python.differential.storage import load_case, save_case
from tests.python.documented_cases import Play
from tests.python.mutants.groups import GROUPS
from tests.python.mutants.mutant import Mutant
from tests.python.repository import REPOSITORY
from tests.python.strategies import Case, case_from_seed, cut_again
from tests.python.strategies.merge_workload import merge_workload_from_seed
from tests.python.strategies.workload import MEDIUM


@pytest.mark.parametrize("seed", range(5))
def test_a_kept_case_is_the_case(seed: int, tmp_path: Path) -> None:
    """Writing and reading a case gives the same case, types included."""
    case = case_from_seed(seed, MEDIUM)
    save_case(case, tmp_path / "case.json")
    assert load_case(tmp_path / "case.json") == case


def test_a_seed_gives_one_case() -> None:
    """The same seed gives the same case, another one another."""
    assert case_from_seed(7, MEDIUM) == case_from_seed(7, MEDIUM)
    assert case_from_seed(7, MEDIUM) != case_from_seed(8, MEDIUM)


@pytest.mark.parametrize("deliveries", [1, 3, 20])
def test_a_cut_keeps_the_feed(deliveries: int) -> None:
    """Another number of runs, the same rows in the same order."""
    case = next(one for one in map(case_from_seed, range(50)) if one.is_cut_free)
    again = cut_again(case, Random(1), deliveries)
    assert again.rows == case.rows
    assert len(again.deliveries) == deliveries


def test_shrinking_keeps_what_differs() -> None:
    """Of a case that differs because of two changes, little more than those two are left."""
    case = case_from_seed(3, MEDIUM)
    wanted = {case.rows[10][1]["change_id"], case.rows[-10][1]["change_id"]}

    def differs(cases: Sequence[Case]) -> list[bool]:
        return [wanted <= {row["change_id"] for _, row in one.rows} for one in cases]

    smaller = shrink(case, differs, seconds=20)
    assert size(smaller) < 12
    assert differs([smaller]) == [True]


@pytest.mark.parametrize("seed", range(0, 60, 4))
def test_a_case_as_a_scenario_file_is_the_same_case(seed: int, tmp_path: Path) -> None:
    """The sequential reader decides the file as it decided the case."""
    is_merge = seed % 8 == 0
    case = (
        merge_workload_from_seed(seed, has_raw_rows=True).case()
        if is_merge
        else case_from_seed(seed, MEDIUM)
    )
    path = tmp_path / "case.yml"
    if any(one.errors or one.events for one in case.deliveries):
        with pytest.raises(NoScenario):
            write_scenario(case, path)
        bare = tuple(replace(one, errors=(), events=()) for one in case.deliveries)
        case = replace(case, deliveries=bare)
    write_scenario(case, path)
    suite = read_suite(path)
    assert Play(suite, suite.cases[0]).play() == []


@pytest.mark.parametrize(
    "mutant",
    [mutant for group in GROUPS.values() for mutant in group.mutants],
    ids=lambda mutant: mutant.title,
)
def test_the_list_of_mutants_follows_the_code(mutant: Mutant) -> None:
    """The line that is to be broken stands in its file, once."""
    text = (REPOSITORY / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.line) == 1
    assert mutant.instead != mutant.line
