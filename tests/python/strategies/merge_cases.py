"""Generated cases of merge replication, small enough to be built."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.python.strategies.cases import Case, cut_again
from tests.python.strategies.merge_workload import SMALL, merge_workload_from_seed

# every run costs seconds for each article
QUICK = replace(SMALL, keys=3, runs=(2, 3), steps=(8, 16), has_reports=False)
# what is reported and decided is about what the run before has written: these are not cut again
REPORTING = replace(QUICK, has_reports=True)
RUNS = 3


def merge_case(seed: int, runs: int = RUNS) -> Case:
    """The workload of a seed, cut into a few runs."""
    workload = merge_workload_from_seed(seed, QUICK, has_raw_rows=True)
    return cut_again(workload.case(), Random(seed), runs)


def reporting_case(seed: int) -> Case:
    """The workload of a seed in which subscribers refuse commands and people decide."""
    return merge_workload_from_seed(seed, REPORTING, has_raw_rows=True).case()
