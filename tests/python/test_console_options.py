"""Options that the commands share with dbt: all of its spellings are ours, before Spark starts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
import yaml
from dbt.cli.main import cli
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import AnalysisException
from typer.testing import CliRunner, Result

from replication_conflicts.cli import app
from replication_conflicts.console import capture, distribute, what_if
from replication_conflicts.dbt_build import BuildResult, DbtBuild, NodeResult
from replication_conflicts.environment import folders
from replication_conflicts.environment.profile import write_profile

# what both have: the name of the parameter here and in dbt
SHARED = ("project_dir", "profiles_dir", "target")
ARTICLE = {"columns": {"id": "int"}, "primary_key": ["id"]}
SHOP = {"replication": "queued", "publisher": "HQ", "articles": {"item": ARTICLE}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose profile has one target, `embedded`."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "dbt_project.yml").write_text(
        yaml.safe_dump(
            {"name": "shop", "profile": "shop", "vars": {"publications": {"shop": SHOP}}}
        )
    )
    write_profile(folder / "profiles", tmp_path / "state", name="shop")
    return folder


def call(*words: str, env: Mapping[str, str] | None = None) -> Result:
    return CliRunner().invoke(app, words, env=env)


def has_no_target(result: Result, target: str) -> bool:
    return result.exit_code == 1 and f"has no target '{target}'" in result.output


@pytest.mark.parametrize("words", [("-t", "moon"), ("-tmoon",), ("--target=moon",)])
def test_a_target_is_never_left_to_dbt_alone(project: Path, words: tuple[str, ...]) -> None:
    assert has_no_target(call("build", "--project-dir", str(project), *words), "moon")


@pytest.mark.parametrize(("is_call_wrong", "status"), [(True, 2), (False, 1)])
def test_an_option_that_dbt_does_not_know_is_told_from_a_failure(
    project: Path, monkeypatch: Any, is_call_wrong: bool, status: int
) -> None:
    answer = BuildResult(False, ("what dbt says",), 0.0, (), is_call_wrong=is_call_wrong)
    monkeypatch.setattr(DbtBuild, "run", lambda *_: answer)
    result = call("build", "--project-dir", str(project), "--full-refesh")
    assert (result.exit_code, result.output) == (status, "what dbt says\n")


@pytest.mark.parametrize("status", ["warn", "pass"])
def test_what_a_warning_of_a_test_is_about_is_said(
    project: Path, monkeypatch: Any, status: str
) -> None:
    answer = BuildResult(True, (), 0.0, (NodeResult("one", status, 0.0),), ("one: Got 4 results",))
    monkeypatch.setattr(DbtBuild, "run", lambda *_: answer)
    result = call("build", "--project-dir", str(project))
    hint = "Where to look: docs/running.md, 'What a build warns about'"
    assert "warning: one: Got 4 results" in result.output
    assert (hint in result.output) == (status == "warn")


@pytest.mark.parametrize(
    "command",
    [
        ("build", "--select", "staging"),
        ("capture", "upload", "--url", "sqlite:///{folder}/shop.db"),
        ("what-if", "--policy", "subscriber_wins"),
        ("query", "select 1"),
    ],
)
def test_variables_of_dbt_count_where_an_option_is_not_given(
    project: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (project / "shop.db").touch()
    command = tuple(word.format(folder=project) for word in command)
    given = {"DBT_PROJECT_DIR": str(project), "DBT_TARGET": "moon"}
    assert has_no_target(call(*command, env=given), "moon")
    assert has_no_target(call(*command, "-t", "sun", env=given), "sun")
    empty = str(tmp_path / "nowhere")
    found = call(*command, env={**given, "DBT_PROFILES_DIR": empty})
    assert f"there is no {empty}" in found.output.replace("\n", "")


@pytest.mark.parametrize(
    "command",
    [
        "build",
        "query select",
        "what-if --policy subscriber_wins",
        "distribute --subscriber a --url sqlite:///shop.db",
    ],
)
def test_the_profile_names_the_target(project: Path, command: str, monkeypatch: Any) -> None:
    """As for dbt: what builds go to is what the other commands read."""
    monkeypatch.chdir(project)
    Path("shop.db").touch()
    file = Path("profiles/profiles.yml")
    file.write_text(file.read_text().replace("target: embedded", "target: moon"))
    assert has_no_target(call(*command.split()), "moon")


@pytest.mark.parametrize("command", ["capture upload", "distribute --subscriber north"])
def test_a_schema_that_is_none_is_one_line(project: Path, command: str) -> None:
    where = ("--url", "sqlite://", "--project-dir", str(project))
    result = call(*command.split(), *where, "--feeds", "feeds; drop schema published")
    assert result.exit_code == 1
    assert result.output == (
        "--feeds is 'feeds; drop schema published', must be of the form schema or catalog.schema,"
        " in letters, digits and _\n"
    )


ERRORS = (
    AnalysisException("[DELTA_VERSION_NOT_FOUND] no version 1\n\nJVM stacktrace:\n\tat x.y"),
    Py4JError("An error occurred while calling o9.sql.\n: [DELTA_VERSION_NOT_FOUND] no version 1"),
)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(
    ("module", "command"),
    [
        (capture, "capture upload --url sqlite:///shop.db"),
        (distribute, "distribute --subscriber north --url sqlite:///shop.db"),
        (what_if, "what-if --policy subscriber_wins"),
    ],
)
def test_an_error_of_spark_is_short(
    project: Path, monkeypatch: Any, module: ModuleType, command: str, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.chdir(project)
    Path("shop.db").touch()
    # what an upload finds there before Spark starts
    monkeypatch.setattr(capture, "check_is_installed", lambda *_: None)
    monkeypatch.setattr(module, "answer" if module is what_if else "spark_of", fail)
    result = call(*command.split())
    assert result.exit_code == 1
    assert result.output.strip() == "[DELTA_VERSION_NOT_FOUND] no version 1"


def test_an_error_of_nobody_stays_one(project: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(what_if, "answer", lambda *_: 1 / 0)
    monkeypatch.chdir(project)
    assert isinstance(call("what-if", "--policy", "subscriber_wins").exception, ZeroDivisionError)


@pytest.mark.parametrize(
    "command",
    [
        "build",
        "profile",
        "what-if --policy subscriber_wins",
        "query select",
        "capture install --node a --url sqlite:///shop.db",
        "distribute --subscriber a --url sqlite:///shop.db",
    ],
)
def test_a_folder_without_a_project_is_said_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(folders, "project_folder", lambda: None)
    monkeypatch.chdir(tmp_path)
    result = call(*command.split())
    assert result.exit_code == 1
    assert result.output == (
        f"there is no {tmp_path.resolve() / 'dbt_project.yml'}. Name the folder of a dbt project:"
        " --project-dir\n"
    )


@pytest.mark.parametrize("width", [80, 130])
def test_help_is_as_wide_as_the_terminal(width: int) -> None:
    """No line ends where a docstring's does."""
    group: Any = typer.main.get_command(app)
    words: list[list[str]] = [[], *([one] for one in group.commands)]
    words += [["capture", one] for one in ("install", "renew", "upload", "remove", "ddl")]
    for command in words:
        text = call(*command, "--help", env={"COLUMNS": str(width)}).output
        prose = text.partition("Usage:")[2].partition("╭")[0]
        for paragraph in prose.split(f"\n{' ' * width}\n"):
            lines = [line.strip() for line in paragraph.strip().splitlines()]
            for line, following in pairwise(lines):
                room = width - 2 - len(line)
                assert len(following.split()[0]) >= room, (command, line)


def commands(group: Any) -> list[Any]:
    """The commands below a group, those in groups of their own too."""
    # no types: typer has a click of its own
    found: list[Any] = []
    for one in group.commands.values():
        found += commands(one) if hasattr(one, "commands") else [one]
    return found


def test_shared_options_have_all_spellings_of_dbt() -> None:
    theirs = {one.name: one for one in cli.commands["build"].params}
    with_target = []
    seen = set()
    for command in commands(typer.main.get_command(app)):
        for one in command.params:
            if one.name in SHARED:
                seen.add(one.name)
                other = theirs[one.name]
                assert (set(one.opts), one.envvar) == (set(other.opts), other.envvar), command.name
            if one.name == "target":
                with_target.append(command.name)
    assert seen == {*SHARED}
    assert sorted(with_target) == ["build", "distribute", "query", "upload", "what-if"]
