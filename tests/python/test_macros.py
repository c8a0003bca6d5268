"""How macros are kept: one a file, under its name, and documented with all its arguments."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import yaml
from dbt_common.clients.jinja import get_environment
from jinja2 import nodes

from .repository import REPOSITORY

FILES = sorted((REPOSITORY / "macros").rglob("*.sql"))
# a materialization is a macro of dbt's own making
MATERIALIZATION = "materialization_"


@cache
def macros_of(file: Path) -> dict[str, list[str]]:
    """All macros of a file: their names, and those of their arguments."""
    template = get_environment(capture_macros=True).parse(file.read_text(encoding="utf-8"))
    return {
        macro.name.removeprefix("dbt_macro__"): [argument.name for argument in macro.args]
        for macro in template.find_all(nodes.Macro)
    }


def public_macros(file: Path) -> dict[str, list[str]]:
    """The macros of a file that others may call."""
    return {
        name: arguments
        for name, arguments in macros_of(file).items()
        if not name.startswith(("_", MATERIALIZATION))
    }


def materializations(file: Path) -> list[str]:
    """The materializations of a file; their macros end with the adapter."""
    return [
        name.removeprefix(MATERIALIZATION).rpartition("_")[0]
        for name in macros_of(file)
        if name.startswith(MATERIALIZATION)
    ]


@cache
def documented() -> dict[str, list[str]]:
    """Every macro with a description, and its arguments that have one."""
    return {
        macro["name"]: [
            argument["name"]
            for argument in macro.get("arguments", [])
            if argument["type"] and argument["description"]
        ]
        for file in (REPOSITORY / "macros").rglob("*.yml")
        for macro in yaml.safe_load(file.read_text(encoding="utf-8"))["macros"]
        if macro["description"].strip()
    }


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_holds_the_macro_of_its_name(file: Path) -> None:
    assert [*public_macros(file), *materializations(file)] == [file.stem]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_macro_is_documented_with_all_its_arguments(file: Path) -> None:
    for name, arguments in public_macros(file).items():
        assert documented().get(name) == arguments


def test_nothing_is_documented_that_is_not_there() -> None:
    assert set(documented()) == {name for file in FILES for name in public_macros(file)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_private_to_a_file_is_called_there_alone(file: Path) -> None:
    called = set(re.findall(r"replication_conflicts\.(_\w+)\(", file.read_text(encoding="utf-8")))
    assert called <= set(macros_of(file))
