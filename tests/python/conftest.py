"""Fixtures that start dbt: scratch projects that share one Spark session and one warehouse.

A process has one warehouse, so tests keep apart by schema: every scratch project has its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from replication_conflicts.dbt_build import DbtBuild
from replication_conflicts.environment import session
from replication_conflicts.environment.profile import write_profile
from tests.python.repository import copy_project

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NODES_LOOP = Path(__file__).parent / "nodes_loop"

# how long one example takes says more about the machine than about the code
settings.register_profile("machines_differ", deadline=None)
settings.load_profile("machines_differ")


def pytest_configure(config: pytest.Config) -> None:
    """An error in a thread is one of the test that began it, not a warning: else people who were to
    be at work beside something would end, and it would work very well.
    """
    config.addinivalue_line("filterwarnings", "error::pytest.PytestUnhandledThreadExceptionWarning")


# before xdist looks at the marks
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that share a Spark session stay in one process, where pytest has several; there, short
    ones come last, so that the processes end together.
    """
    for item in items:
        uses_session = "scratch_state" in getattr(item, "fixturenames", ())
        if uses_session and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group("session"))
    if hasattr(config, "workerinput"):
        items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    """Processes that are to be killed are forked, so they come before Java is there; then what
    needs Spark, minutes at a time, and then what fills the rest.
    """
    if NODES_LOOP in item.path.parents:
        return 0
    return 1 if item.get_closest_marker("spark") else 2


@dataclass(frozen=True)
class ScratchProject:
    """A dbt project in a folder of its own, writing to a schema of its own."""

    folder: Path
    schema: str
    build: DbtBuild


@pytest.fixture(scope="session")
def scratch_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder of the warehouse of this test run.

    Its tables are known to this process alone: an embedded metastore, which outlives the process,
    takes a fifth of Java's time. Tests with processes of their own have one.
    """
    usual = session.start

    def start(parameters: Mapping[str, Any], project_dir: Path) -> SparkSession:
        return usual({**parameters, "spark.sql.catalogImplementation": "in-memory"}, project_dir)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "start", start)
        yield tmp_path_factory.mktemp("state")


@pytest.fixture(scope="session")
def scratch_project(
    tmp_path_factory: pytest.TempPathFactory, scratch_state: Path
) -> Callable[[Mapping[str, str]], ScratchProject]:
    """Makes a project from file texts by relative path; dbt_project.yml must be among them."""
    numbers = itertools.count(1)

    def make(files: Mapping[str, str]) -> ScratchProject:
        schema = f"scratch_{next(numbers)}"
        folder = tmp_path_factory.mktemp(schema)
        for name, text in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return _project(folder, schema, scratch_state)

    return make


@pytest.fixture(scope="session")
def scratch_copy(
    tmp_path_factory: pytest.TempPathFactory, scratch_state: Path
) -> Callable[[], ScratchProject]:
    """Makes a copy of this repository's dbt project, for builds that may change its files."""
    numbers = itertools.count(1)

    def make() -> ScratchProject:
        schema = f"copy_{next(numbers)}"
        folder = tmp_path_factory.mktemp(schema)
        copy_project(folder)
        return _project(folder, schema, scratch_state)

    return make


def _project(folder: Path, schema: str, state: Path) -> ScratchProject:
    write_profile(folder / "profiles", state, schema=schema)
    return ScratchProject(folder, schema, DbtBuild(folder, folder / "profiles"))
