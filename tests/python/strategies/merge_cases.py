"""Generated cases of merge replication, small enough to be built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from tests.python.strategies.cases import Case, cut_again
from tests.python.strategies.merge_workload import SMALL, merge_workload_from_seed
from tests.python.strategies.replicas import ReaderPipeline

# every run costs seconds for each article
QUICK = replace(SMALL, keys=3, runs=(2, 3), steps=(8, 16), has_reports=False)
# what is reported and decided is about what the run before has written: these are not cut again
REPORTING = replace(QUICK, has_reports=True)
RUNS = 3
SEEDS_OF_RESOLVER = 100
CUTS_TO_CHOOSE_FROM = 60


def merge_case(seed: int, runs: int = RUNS) -> Case:
    """The workload of a seed, cut into a few runs."""
    workload = merge_workload_from_seed(seed, QUICK, has_raw_rows=True)
    return cut_again(workload.case(), Random(seed), runs)


def merge_case_in_two_runs(seed: int) -> Case:
    """The same workload, cut where the second run decides most about what the first one wrote."""
    case = merge_workload_from_seed(seed, QUICK, has_raw_rows=True).case()
    cuts = (cut_again(case, Random(number), 2) for number in range(CUTS_TO_CHOOSE_FROM))
    return max(cuts, key=decided_on_earlier_runs)


def decided_on_earlier_runs(case: Case) -> int:
    """How many changes met a row that a change of an earlier run had written."""
    pipeline = ReaderPipeline(case)
    for delivery in case.deliveries:
        pipeline.run(delivery)
    outcomes = pipeline.reader.outcomes
    runs = {one.change_id: one.run for one in outcomes}
    return sum(runs.get(one.held_change_id or "", one.run) != one.run for one in outcomes)


def reporting_case(seed: int) -> Case:
    """The workload of a seed in which subscribers refuse commands and people decide."""
    return merge_workload_from_seed(seed, REPORTING, has_raw_rows=True).case()


def record_case(seed: int, runs: int = RUNS) -> Case:
    """The workload of a seed with a logical record, and an article beside it."""
    size = replace(QUICK, keys=4, steps=(12, 24), has_record=True)
    workload = merge_workload_from_seed(seed, size, has_raw_rows=True)
    return cut_again(workload.case(), Random(seed), runs)


def key_case(seed: int, runs: int = 1) -> Case:
    """The workload of a seed in which many changes of a run break unique and foreign keys."""
    size = replace(QUICK, keys=6, runs=(2, 2), steps=(25, 50), has_keys=True)
    return cut_again(merge_workload_from_seed(seed, size).case(), Random(seed), runs)


def resolver_case(resolver: Mapping[str, str], runs: int) -> Case:
    """The first workload of which that resolver makes something else than the default one does."""
    size = replace(QUICK, resolver=resolver)
    for seed in range(SEEDS_OF_RESOLVER):
        case = merge_workload_from_seed(seed, size).case()
        if resolver == {"name": "priority"} or _decided(case) != _decided(_without_resolver(case)):
            return cut_again(case, Random(seed), runs)
    raise LookupError(f"{SEEDS_OF_RESOLVER} workloads and none that {resolver} decides")


def _without_resolver(case: Case) -> Case:
    article = dict(case.configuration["articles"]["customer"])
    del article["resolver"]
    return replace(case, configuration={**case.configuration, "articles": {"customer": article}})


def _decided(case: Case) -> list[tuple[str, str]]:
    """What became of every change, and every row at the end."""
    pipeline = ReaderPipeline(case)
    for delivery in case.deliveries:
        pipeline.run(delivery)
    outcomes = [(one.change_id, one.outcome) for one in pipeline.reader.outcomes]
    return [
        *outcomes,
        *((repr(key), repr(held)) for key, held in pipeline.reader.rows["customer"].items()),
    ]
