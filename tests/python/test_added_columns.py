"""Articles that get columns while their rows are published: no full refresh, nothing lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.python.differential.added_columns import (
    added_columns,
    configuration_before,
    without_values_before,
)
from tests.python.differential.builds import Builds, Played, Record
from tests.python.differential.comparison import compare
from tests.python.sequential_reader import Command
from tests.python.strategies import Case
from tests.python.strategies.cases import case_from_seed
from tests.python.strategies.merge_cases import merge_case, reporting_case
from tests.python.strategies.workload import SMALL

# the run that dies when it has decided; the columns come before it is run again
LAST_RUN = 1


class GrowingBuilds(Builds):
    """Articles get columns: a command of before has none of them in its row, and no value."""

    def typed_command(self, played: Played, record: Record) -> Command:
        found = super().typed_command(played, record)
        if found.row is None:
            return found
        columns = played.publication.articles[str(found.article)].columns
        return replace(found, row={name: found.row.get(name) for name in columns})


def play(cases: Sequence[Case], folder: Path, state: Path) -> None:
    """As if the columns had been there from the start, also when rebuilt."""
    emptied = [without_values_before(one, LAST_RUN + 1, added_columns(one)) for one in cases]
    running = GrowingBuilds("added_columns", emptied, folder, state)
    nothing: dict[str, list[str]] = {one.label: [] for one in emptied}

    def differences() -> dict[str, list[str]]:
        # nodes are simulated with the values that they had
        return {one.case.label: compare(running, one, is_rebuilt=True) for one in running.played}

    running.start()
    try:
        running.configure(
            {
                one.name: configuration_before(one.case, added_columns(one.case))
                for one in running.played
            }
        )
        for number in range(LAST_RUN):
            running.take(number)
        for played in running.played:
            running.deliver(played, LAST_RUN)
        running.build("--select", "+change_outcomes")
        running.configure({})
        running.build()
        running.remember(LAST_RUN)
        for number in range(LAST_RUN + 1, running.runs):
            running.take(number)
        assert differences() == nothing
        assert running.changed_by_empty_run() == []
        assert running.data_test_errors() == ()
        running.build("--full-refresh")
        assert differences() == nothing
    finally:
        running.drop()


@pytest.mark.spark
@pytest.mark.slow
def test_columns_that_come_later(tmp_path: Path, scratch_state: Path) -> None:
    """Queued updating; merge replication by column."""
    play([case_from_seed(7, SMALL), merge_case(1)], tmp_path, scratch_state)


@pytest.mark.spark
@pytest.mark.soak
def test_columns_that_come_later_in_more_workloads(tmp_path: Path, scratch_state: Path) -> None:
    """Logical records, commands that are refused, people who decide."""
    queued = [case_from_seed(seed, SMALL) for seed in (1, 3)]
    merge = [merge_case(seed) for seed in (2, 7)]
    play([*queued, *merge, reporting_case(48)], tmp_path, scratch_state)
