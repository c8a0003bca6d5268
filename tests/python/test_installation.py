"""A project that installs this one in another way than the README says is told what to correct."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import ScratchProject
from .documents import example_files, example_project

PROJECT = "dbt_project.yml"


def scoped(variables: Any) -> Any:
    return {"shop": variables}


def absent(variables: Any) -> Any:
    return {}


@pytest.mark.parametrize("change", [scoped, absent])
def test_publications_that_the_package_does_not_see(
    change: Callable[[Any], Any], tmp_path: Path
) -> None:
    files = example_files()
    settings = yaml.safe_load(files[PROJECT])
    settings["vars"] = change(settings["vars"])
    files[PROJECT] = yaml.safe_dump(settings)
    if change is absent:
        files = {name: text for name, text in files.items() if "crm" not in name}
    build = example_project(tmp_path, files)
    assert build.run("deps").success
    (error,) = build.run("parse").errors
    assert "Put publications: directly under vars: in dbt_project.yml of 'shop'" in error


@pytest.mark.spark
@pytest.mark.parametrize(
    ("config", "elsewhere"),
    [({"+schema": "other"}, "{schema}_other."), ({"+alias": "other"}, "{schema}.other")],
)
def test_models_in_another_place_are_named(
    config: Mapping[str, str], elsewhere: str, scratch_copy: Callable[[], ScratchProject]
) -> None:
    project = scratch_copy()
    file = project.folder / PROJECT
    settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    settings["models"]["replication_conflicts"]["log"] = {"change_outcomes": config}
    file.write_text(yaml.safe_dump(settings), encoding="utf-8")
    (error,) = project.build.run("compile", "--select", "change_queue").errors
    assert f"'change_outcomes' is made as {elsewhere.format(schema=project.schema)}" in error
    assert f"looks for it as {project.schema}.change_outcomes" in error


@pytest.mark.spark
def test_a_run_without_its_intake_is_an_error(
    scratch_copy: Callable[[], ScratchProject],
) -> None:
    project = scratch_copy()
    alone = project.build.run("run", "--select", "change_queue")
    again = project.build.run("retry")
    for result in (alone, again):
        assert "was no part of this invocation" in "\n".join(result.errors)
    other = project.build.run("run", "--select", "configured_publications")
    assert other.success, other.errors
