"""The demo's own bookkeeping: what it keeps between two calls, what it refuses. No Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from pyspark.errors import AnalysisException
from typer.testing import CliRunner

from replication_conflicts.cli import app
from replication_conflicts.console import demo as console
from replication_conflicts.demo import play
from replication_conflicts.demo.databases import Kind
from replication_conflicts.demo.lakehouse import Lakehouse
from replication_conflicts.demo.publications import STORIES, publication_options
from replication_conflicts.demo.state import DemoError, Plan, State
from replication_conflicts.environment import check, folders
from replication_conflicts.environment.session import SessionError
from replication_conflicts.publication.publication import POLICIES
from replication_conflicts.workload import Settings

PROJECT = Path(__file__).parents[2]
PLAN = Plan("publisher_wins", Settings(transactions=40, deliveries=2))
VERSIONS = {"inventory": 4}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> State:
    monkeypatch.setattr(folders, "local_folder", lambda: tmp_path)
    return State(tmp_path / "demo")


def test_a_demo_is_remembered_with_the_ends_of_its_feeds(state: State) -> None:
    assert state.plan is None
    assert not state.is_there
    plan = replace(PLAN, databases=Kind.POSTGRES)
    state.start(plan)
    assert state.plan == plan
    assert not state.is_finished
    state.finish(plan, VERSIONS)
    assert state.is_finished
    assert state.feed_versions == VERSIONS


def test_a_new_demo_forgets_the_one_before(state: State) -> None:
    state.start(PLAN)
    state.databases.mkdir()
    state.finish(PLAN, VERSIONS)
    state.clear()
    assert not state.is_there
    state.start(PLAN)
    assert state.feed_versions == {}
    assert not state.is_finished
    assert not state.databases.exists()


def test_every_story_is_one_of_the_projects_publications() -> None:
    publications = publication_options(PROJECT)
    for story in STORIES:
        assert story.publication in publications
    seed = (PROJECT / "seeds" / "subscriptions.csv").read_text(encoding="utf-8")
    listed = {tuple(line.split(",")[:2]) for line in seed.splitlines()[1:]}
    assert listed == {(one.publication, name) for one in STORIES for name in one.subscribers}


class Build:
    """dbt, where another run is in the embedded metastore."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def run(self, *_: str) -> None:
        pass

    @property
    def spark(self) -> object:
        raise SessionError("another run uses the metastore")


class Tables(Lakehouse):
    """Schemas with tables that no demo has made."""

    def __init__(self) -> None:
        pass

    def has_tables(self) -> bool:
        return True


def finished(state: State) -> Path:
    """A demo that has left a database; the file."""
    state.finish(PLAN, VERSIONS)
    file = state.databases / "inventory" / "north.db"
    file.parent.mkdir(parents=True)
    file.write_text("rows")
    return file


@pytest.mark.parametrize("is_dropping", [True, False])
def test_a_demo_that_may_not_run_leaves_the_last_one_alone(
    state: State, monkeypatch: pytest.MonkeyPatch, is_dropping: bool
) -> None:
    file = finished(state)
    monkeypatch.setattr(play, "DbtBuild", Build)
    one = play.Demo(PROJECT, state, PLAN, lambda _: None)
    if not is_dropping:
        one._lakehouse = Tables()
    with pytest.raises(SessionError if is_dropping else DemoError):
        one.play(lambda _: None, is_dropping=is_dropping)
    assert file.read_text() == "rows"
    assert state.is_finished


def test_a_second_demo_waits_for_nothing_and_takes_nothing_away(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = finished(state)
    monkeypatch.setattr(check, "problems", tuple)
    with state.alone():
        result = CliRunner().invoke(app, ["demo", "--fresh"])
        assert (result.exit_code, result.output) == (1, "another demo runs: wait for its end\n")
        state.clear()
        with pytest.raises(DemoError), state.alone():
            pass
    assert not file.exists()
    with state.alone():
        pass


def test_a_demo_that_has_just_ended_is_repeated(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan("publisher_wins", Settings())
    state.start(plan)
    alone = State.alone

    @contextmanager
    def after_the_other(this: State) -> Iterator[None]:
        with alone(this):
            this.finish(plan, VERSIONS)
            yield

    repeated: list[bool] = []
    monkeypatch.setattr(State, "alone", after_the_other)
    monkeypatch.setattr(check, "problems", tuple)
    monkeypatch.setattr(console, "_run", lambda *given: repeated.append(given[4]))
    result = CliRunner().invoke(app, ["demo", "--policy", "publisher_wins"])
    assert (result.exit_code, result.output, repeated) == (0, "", [True])


def test_an_error_of_spark_is_short(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AnalysisException("[X] no\n\nJVM stacktrace:\n\tat x")

    monkeypatch.setattr(check, "problems", tuple)
    monkeypatch.setattr(console, "_run", fail)
    result = CliRunner().invoke(app, ["demo"])
    assert (result.exit_code, result.output) == (1, "[X] no\n")


@pytest.mark.parametrize(
    ("deliveries", "tested"), [(1, [True, True]), (2, [False, True]), (3, [False, False, True])]
)
def test_the_last_build_runs_the_tests(state: State, deliveries: int, tested: list[bool]) -> None:
    plan = Plan("publisher_wins", Settings(transactions=40, deliveries=deliveries))
    for has_tests in (True, False):
        one = play.Demo(PROJECT, state, plan, lambda _: None, has_tests)
        commands = [one._command(number) for number in range(1, len(tested) + 1)]
        assert ["test" not in one for one in commands] == [has_tests and one for one in tested]
        assert ["seed" in one for one in commands] == [number > 0 for number in range(len(tested))]


def test_dry_run_does_nothing(state: State) -> None:
    result = CliRunner().invoke(app, ["demo", "--dry-run", "--transactions", "40"])
    assert result.exit_code == 0
    assert "--transactions 40" in result.output
    assert not state.folder.exists()


def test_dry_run_of_a_second_demo_delivers_again(state: State) -> None:
    state.start(Plan("publisher_wins", Settings()))
    state.finish(Plan("publisher_wins", Settings()), VERSIONS)
    result = CliRunner().invoke(app, ["demo", "--dry-run", "--policy", "publisher_wins"])
    assert result.exit_code == 0
    assert "delivered again" in result.output


@pytest.mark.parametrize("text", ['{"policy": "publ', "[]", '{"policy": "x"}', "\0"])
def test_what_cannot_be_read_counts_as_no_demo(state: State, text: str) -> None:
    state.start(PLAN)
    (state.folder / "demo.json").write_text(text, encoding="utf-8")
    assert state.plan is None
    assert not state.is_finished
    assert CliRunner().invoke(app, ["demo", "--dry-run"]).exit_code == 0
    state.start(PLAN)
    assert state.plan == PLAN
    assert [one.name for one in state.folder.iterdir()] == ["demo.json"]


def test_a_publication_that_is_broken_is_one_line(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = yaml.safe_load((PROJECT / "dbt_project.yml").read_text(encoding="utf-8"))
    del project["vars"]["publications"]["inventory"]["articles"]["product"]["primary_key"]
    (tmp_path / "dbt_project.yml").write_text(yaml.safe_dump(project), encoding="utf-8")
    monkeypatch.setattr(folders, "project_folder", lambda: tmp_path)
    result = CliRunner().invoke(app, ["demo", "--dry-run"])
    assert result.exit_code == 1
    assert result.output == (
        "publication 'inventory', article 'product': primary_key must be a list\n"
    )


def test_another_demo_than_the_last_one_needs_fresh(state: State) -> None:
    state.start(PLAN)
    state.finish(PLAN, VERSIONS)
    result = CliRunner().invoke(app, ["demo", "--dry-run", "--seed", "3"])
    assert result.exit_code == 1
    assert "--seed 7" in result.output
    assert "--fresh" in result.output


def test_an_unknown_policy_is_refused_with_those_that_there_are(state: State) -> None:
    result = CliRunner().invoke(app, ["demo", "--dry-run", "--policy", "newest_wins"])
    assert result.exit_code == 1
    assert all(policy in result.output for policy in POLICIES)


def test_other_databases_start_over_by_themselves(state: State) -> None:
    state.start(PLAN)
    state.finish(PLAN, VERSIONS)
    options = ["--policy", "publisher_wins", "--transactions", "40", "--databases", "postgres"]
    result = CliRunner().invoke(app, ["demo", "--dry-run", *options])
    assert result.exit_code == 0
    assert "on PostgreSQL" in result.output
    assert "delivered again" not in result.output


def test_postgresql_that_is_missing_is_said_in_one_line(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "programs", lambda: None)
    monkeypatch.setattr(check, "problems", tuple)
    result = CliRunner().invoke(app, ["demo", "--databases", "postgres"])
    assert result.exit_code == 1
    assert result.output.strip().splitlines() == [
        "PostgreSQL is not installed (Debian: apt-get install postgresql)"
    ]
    assert not state.is_there
