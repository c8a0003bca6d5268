"""The cases that are to notice the mutants: with all that can go wrong in them."""

from __future__ import annotations

from random import Random

from tests.python.merge_example import broken_keys, keys_in_chains
from tests.python.strategies import case_from_seed, cut_again
from tests.python.strategies.cases import Case
from tests.python.strategies.merge_cases import (
    key_case,
    merge_case,
    reporting_case,
    resolver_case,
)
from tests.python.strategies.merge_publication import COLUMN_RESOLVERS, ROW_RESOLVERS
from tests.python.strategies.replicas import ReaderPipeline
from tests.python.strategies.workload import MEDIUM

DELIVERIES = 2
# how many articles the case of a policy has (with two, there are parents and children), and what
# is rejected in it
POLICIES: dict[str, tuple[int, set[str]]] = {
    "publisher_wins": (2, set()),
    "publisher_wins_reinitialize": (1, set()),
    "subscriber_wins": (1, {"expired", "late_position"}),
}
# between them: changes that win, clients whose changes are accepted and meet others, column
# merges, rows that several nodes delete, unique and foreign keys that break, and a change that
# nobody disputes and whose row is not what it leaves
MERGE_SEEDS = (13, 26, 54, 68, 88, 356)
# between them: children and parents, unique keys of one column and of two, all of them broken in
# chains
KEY_SEEDS = (3, 21)
# between them: records detected by record and by row, won, lost and broken; all three decisions,
# stale ones, edits; refused commands that are undone, and that are not
RECORD_SEEDS = (0, 19, 51, 55, 100)


def queued_cases() -> list[Case]:
    """One for each policy of queued updating."""
    cases = []
    for policy, (articles, reasons) in POLICIES.items():
        found = next(
            case
            for case in (case_from_seed(seed, MEDIUM) for seed in range(1000))
            if case.configuration["policy"] == policy
            and len(case.configuration["articles"]) == articles
            and len(case.rows) > 60
            and reasons <= _reasons(case)
        )
        cases.append(cut_again(found, Random(1), DELIVERIES) if found.is_cut_free else found)
    return cases


def merge_cases() -> list[Case]:
    """Merge replication: lineages, columns, constraints, and resolvers that name a side."""
    return [merge_case(seed, DELIVERIES) for seed in MERGE_SEEDS]


def key_cases() -> list[Case]:
    """Unique and foreign keys that many changes of a run break, for reasons of their own or not."""
    return [*(key_case(seed) for seed in KEY_SEEDS), broken_keys(), keys_in_chains()]


def record_cases() -> list[Case]:
    """Logical records, with people who decide and subscribers that refuse commands."""
    return [reporting_case(seed) for seed in RECORD_SEEDS]


def resolver_cases() -> list[Case]:
    """Resolvers that look at values, and the one that leaves conflicts to people."""
    return [
        resolver_case(resolver, DELIVERIES)
        for resolver in (*ROW_RESOLVERS, *COLUMN_RESOLVERS)
        if "column" in resolver or resolver["name"] == "manual"
    ]


def _reasons(case: Case) -> set[str]:
    """Why changes of a case are rejected."""
    pipeline = ReaderPipeline(case)
    for delivery in case.deliveries:
        pipeline.run(delivery)
    return {one.reason for one in pipeline.reader.rejected}
