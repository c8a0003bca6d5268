"""The sequential reader against the documented cases, and against itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from replication_conflicts.scenarios.suite import Case as DocumentedCase
from replication_conflicts.scenarios.suite import Suite, read_suite
from tests.python.differential.crafted import crafted_cases
from tests.python.documented_cases import Play
from tests.python.sequential_reader import Command, Event, SequentialReader
from tests.python.sequential_reader.reinitialization import Mark, Reinitializations
from tests.python.strategies import Case, Delivery, case_from_seed, cases, cut_again
from tests.python.strategies.replicas import (
    ReaderPipeline,
    Replica,
    Rows,
    differences,
    live_rows,
    replay,
)

# of large workloads few are: most have a row that depends on what an earlier run has seen
CUT_FREE = (13, 22, 24, 34, 35)
SCENARIOS = Path(__file__).parents[1] / "scenarios"
EXAMPLES = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def documented_cases() -> list[Any]:
    """Every case of every suite."""
    return [
        pytest.param(suite, case, id=f"{suite.name}-{case.name}")
        for suite in map(read_suite, sorted(SCENARIOS.glob("*/*.yml")))
        for case in suite.cases
    ]


@pytest.mark.parametrize("is_hard", [False, True], ids=["plain", "hard"])
@pytest.mark.parametrize(("suite", "case"), documented_cases())
def test_documented_case(suite: Suite, case: DocumentedCase, is_hard: bool) -> None:
    """The reader decides the documented cases as they are documented."""
    assert Play(suite, case, is_hard).play() == []


def read(case: Case) -> SequentialReader:
    """The reader after all deliveries of a case."""
    pipeline = ReaderPipeline(case)
    for delivery in case.deliveries:
        pipeline.run(delivery)
    return pipeline.reader


def result(reader: SequentialReader) -> dict[str, Any]:
    """Everything that must not depend on how the feed is cut into runs.

    Which commands lie behind a snapshot does, so all commands are compared and not a subscriber's.
    """
    return {
        "outcomes": [replace(outcome, run=0) for outcome in reader.outcomes],
        "conflicts": [replace(conflict, run=0) for conflict in reader.conflicts],
        "rejected": Counter(
            repr((r.reason, replace(r.change, taken_before=None))) for r in reader.rejected
        ),
        "waiting": Counter(repr(replace(c, taken_before=None)) for c in reader.waiting),
        "rows": {article: sorted(map(repr, reader.published(article))) for article in reader.rows},
        "status": reader.subscription_status(),
        "commands": [replace(c, run=0, snapshot_position=None) for c in reader.commands],
    }


@EXAMPLES
@given(cases(), st.integers(1, 12), st.integers(0, 2**32))
def test_cuts_do_not_matter(case: Case, deliveries: int, seed: int) -> None:
    """The same feed in another number of runs gives the same."""
    assume(case.is_cut_free)
    assert result(read(cut_again(case, Random(seed), deliveries))) == result(read(case))


@pytest.mark.parametrize("case", crafted_cases(), ids=lambda case: case.label)
def test_cuts_of_crafted_cases_do_not_matter(case: Case) -> None:
    """All that comes in one run, where the case does not ask for more."""
    if not case.is_cut_free:
        pytest.skip("depends on the run that sees a report")
    assert result(read(cut_again(case, Random(0), 1))) == result(read(case))


@EXAMPLES
@given(cases())
def test_processing_twice_changes_nothing(case: Case) -> None:
    """Every row twice, every run followed by an empty one, and at the end the whole feed again."""
    doubled = []
    for delivery in case.deliveries:
        doubled.append(Delivery(delivery.rows * 2, delivery.events * 2))
        doubled.append(Delivery())
    everything = tuple(row for delivery in case.deliveries for row in delivery.rows)
    doubled.append(Delivery(everything))
    assert result(read(replace(case, deliveries=tuple(doubled)))) == result(read(case))


@EXAMPLES
@given(cases())
def test_subscribers_end_equal_to_the_publisher(case: Case) -> None:
    """Replicas that apply their commands, in between and at the end, hold the publisher's rows."""
    pipeline = ReaderPipeline(case)
    subscribers = replay(case, pipeline)
    assert differences(case, pipeline.reader, subscribers) == []


@dataclass
class Forgetful(Replica):
    """Does not know that it has applied its last download, and begins the next one with it: people
    have worked in between.
    """

    begins_at: int = 0
    acted_again: int = 0

    def download(self, commands: Sequence[Command]) -> None:
        """What it had before, and what has come since."""
        for command in commands[self.begins_at : self.applied]:
            before = dict(self.rows)
            self.apply(command)
            self.acted_again += before != self.rows
        self.begins_at = self.applied
        super().download(commands)

    def take_snapshot(self, rows: Rows) -> None:
        """A snapshot stands for what came before it."""
        super().take_snapshot(rows)
        self.begins_at = self.applied


@EXAMPLES
@given(cases())
def test_commands_that_come_again_do_no_harm(case: Case) -> None:
    """A subscriber that applies every download twice ends equal to the publisher all the same."""
    pipeline = ReaderPipeline(case)
    subscribers = replay(case, pipeline, Forgetful)
    assert differences(case, pipeline.reader, subscribers) == []


def test_commands_of_large_workloads_that_come_again_do_no_harm() -> None:
    """Hundreds act again, where a row is gone that they bring: others make that good."""
    acted = 0
    for seed in range(8):
        case = case_from_seed(seed)
        pipeline = ReaderPipeline(case)
        subscribers = replay(case, pipeline, Forgetful)
        assert differences(case, pipeline.reader, subscribers) == []
        acted += sum(one.acted_again for one in subscribers.values() if isinstance(one, Forgetful))
    assert acted > 100


@EXAMPLES
@given(cases())
def test_every_change_has_one_place(case: Case) -> None:
    """Every change has one outcome or one rejection, or waits; a transaction has one verdict."""
    reader = read(case)
    outcomes = Counter(outcome.change_id for outcome in reader.outcomes)
    assert set(outcomes.values()) <= {1}
    first_copies: dict[str, Any] = {}
    for _, row in case.rows:
        if row["change_id"] is not None:
            first_copies.setdefault(row["change_id"], row)
    waiting = {change.change_id for change in reader.waiting}
    rejected = {r.change.change_id for r in reader.rejected}
    assert set(first_copies) == set(outcomes) | (waiting | rejected) - {None}
    verdicts: dict[tuple[str, int], set[bool]] = {}
    for outcome in reader.outcomes:
        transaction = (outcome.node, outcome.transaction_position)
        is_rejected = outcome.outcome in ("rejected", "failed")
        verdicts.setdefault(transaction, set()).add(is_rejected)
    assert all(len(verdict) == 1 for verdict in verdicts.values())


@EXAMPLES
@given(cases())
def test_no_loser_is_lost(case: Case) -> None:
    """Every version that some change made is published, overwritten knowingly, or in a record."""
    reader = read(case)
    published = {row["row_version"] for article in reader.rows for row in reader.published(article)}
    lost = {conflict.loser_change_id for conflict in reader.conflicts}
    known = {outcome.old_version for outcome in reader.outcomes if outcome.is_written}
    for outcome in reader.outcomes:
        if outcome.operation == "delete" or outcome.new_version is None:
            continue
        assert (
            outcome.new_version in published
            or outcome.change_id in lost
            or outcome.new_version in known
            or not outcome.is_written
        )
        if not outcome.is_written:
            assert outcome.change_id in lost


@pytest.mark.parametrize("seed", range(12))
def test_subscribers_of_large_workloads_end_equal(seed: int) -> None:
    """The same on workloads of some hundred changes."""
    case = case_from_seed(seed)
    pipeline = ReaderPipeline(case)
    subscribers = replay(case, pipeline)
    assert differences(case, pipeline.reader, subscribers) == []


def test_most_rows_of_large_workloads_are_compared() -> None:
    """What is left out, since something about it is undecided, is the smaller part."""
    held = missing = 0
    for seed in (0, 1, 9, 11):
        case = case_from_seed(seed)
        pipeline = ReaderPipeline(case)
        subscribers = replay(case, pipeline)
        for node in subscribers.values():
            node.rows.clear()
        held += len(live_rows(pipeline.reader.rows)) * len(subscribers)
        missing += len(differences(case, pipeline.reader, subscribers))
    assert held > 200
    assert missing > held / 2


@pytest.mark.parametrize("seed", CUT_FREE)
def test_cuts_of_large_workloads_do_not_matter(seed: int) -> None:
    """In one run, in three and in twenty: other runs decide, and decide the same."""
    case = case_from_seed(seed)
    assert case.is_cut_free
    whole = read(case)
    for deliveries in (1, 3, 20):
        again = read(cut_again(case, Random(seed), deliveries))
        assert result(again) == result(whole)
        assert [one.run for one in again.outcomes] != [one.run for one in whole.outcomes]


@pytest.mark.parametrize("snapshots", [(15, 20), (20, 15), (None, 15), (15, None)])
def test_of_two_snapshots_at_one_place_the_older_one_counts(
    snapshots: tuple[int | None, int | None],
) -> None:
    waiting = Reinitializations(marks=[Mark("north", 10)])
    for snapshot in snapshots:
        waiting.receive(Event("north", snapshot, None), 20)
    found = waiting.lifting_event(waiting.marks[0])
    assert found is not None
    assert found[0].snapshot_position == 15


def test_seeds_cover_every_rule() -> None:
    """The generator reaches every outcome, every kind of conflict and every reason."""
    outcomes: Counter[tuple[str, str]] = Counter()
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    commands: Counter[str] = Counter()
    reinitialized = 0
    for seed in range(30):
        case = case_from_seed(seed)
        reader = read(case)
        policy = case.configuration["policy"]
        outcomes.update((policy, outcome.outcome) for outcome in reader.outcomes)
        kinds.update(conflict.kind for conflict in reader.conflicts)
        reasons.update(rejection.reason for rejection in reader.rejected)
        commands.update(command.kind for command in reader.commands)
        reinitialized += len(reader.events)
    assert set(kinds) == {
        "update_update",
        "insert_insert",
        "update_delete",
        "delete_update",
        "condemned",
        "failed_insert",
        "failed_update",
        "failed_delete",
    }
    for policy, names in {
        "publisher_wins": {"applied", "rejected", "failed", "already_deleted"},
        "publisher_wins_reinitialize": {"applied", "rejected", "failed", "already_deleted"},
        "subscriber_wins": {"applied", "won", "rejected", "failed", "already_deleted"},
    }.items():
        assert {outcome for found, outcome in outcomes if found == policy} == names
    assert set(reasons) == {
        "missing_change_id",
        "unknown_node",
        "unknown_operation",
        "null_key",
        "missing_version",
        "duplicate_change_id",
        "late_position",
        "expired",
        "missing_position",
        "future_change",
        "transaction",
    }
    assert set(commands) == {"replicated", "compensating", "log_conflict", "reinitialize"}
    assert reinitialized > 0
