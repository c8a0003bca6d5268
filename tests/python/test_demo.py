"""The demo's own bookkeeping: what it keeps between two calls, what it refuses. No Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from replication_conflicts.cli import app
from replication_conflicts.demo.play import POLICIES, PUBLICATION, publication_options
from replication_conflicts.demo.state import Plan, State
from replication_conflicts.environment import folders
from replication_conflicts.nodes import publication_from_vars
from replication_conflicts.workload import Settings, Workload
from replication_conflicts.workload.inventory import STORY

PROJECT = Path(__file__).parents[2]
PLAN = Plan("publisher_wins", Settings(transactions=40, deliveries=2, size=10))
OPTIONS = publication_options(PROJECT, PLAN.policy)[PUBLICATION]
PUBLICATION_OF_THE_PROJECT = publication_from_vars(PUBLICATION, OPTIONS)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> State:
    monkeypatch.setattr(folders, "local_folder", lambda: tmp_path)
    return State(tmp_path / "demo")


def started(state: State, plan: Plan = PLAN) -> Workload:
    workload = Workload(STORY, PUBLICATION_OF_THE_PROJECT, plan.settings)
    state.start(plan, PUBLICATION_OF_THE_PROJECT, workload.initial)
    return workload


def test_a_demo_is_remembered_with_its_deliveries(state: State) -> None:
    assert state.plan is None
    workload = started(state)
    delivery = workload.delivery()
    state.keep(delivery.number, PUBLICATION_OF_THE_PROJECT, delivery.rows)
    assert state.plan == PLAN
    assert not state.is_finished
    state.finish(PLAN)
    assert state.is_finished
    assert state.deliveries(PUBLICATION_OF_THE_PROJECT) == [list(delivery.rows)]


def test_a_new_demo_forgets_the_one_before(state: State) -> None:
    workload = started(state)
    delivery = workload.delivery()
    state.keep(delivery.number, PUBLICATION_OF_THE_PROJECT, delivery.rows)
    state.finish(PLAN)
    started(state)
    assert state.deliveries(PUBLICATION_OF_THE_PROJECT) == []
    assert not state.is_finished


def test_dry_run_does_nothing(state: State) -> None:
    result = CliRunner().invoke(app, ["demo", "--dry-run", "--transactions", "40"])
    assert result.exit_code == 0
    assert "--transactions 40" in result.output
    assert not state.folder.exists()


def test_dry_run_of_a_second_demo_delivers_again(state: State) -> None:
    started(state, Plan("publisher_wins", Settings()))
    state.finish(Plan("publisher_wins", Settings()))
    result = CliRunner().invoke(app, ["demo", "--dry-run", "--policy", "publisher_wins"])
    assert result.exit_code == 0
    assert "delivered again" in result.output


def test_another_demo_than_the_last_one_needs_fresh(state: State) -> None:
    started(state)
    state.finish(PLAN)
    result = CliRunner().invoke(app, ["demo", "--dry-run", "--seed", "3"])
    assert result.exit_code == 1
    assert "--seed 7" in result.output
    assert "--fresh" in result.output


def test_an_unknown_policy_is_refused_with_those_that_there_are(state: State) -> None:
    result = CliRunner().invoke(app, ["demo", "--dry-run", "--policy", "newest_wins"])
    assert result.exit_code == 1
    assert all(policy in result.output for policy in POLICIES)
