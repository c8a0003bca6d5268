"""How macros are kept: one a file, under its name, and documented with all its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from dbt_common.clients.jinja import get_environment
from jinja2 import nodes

from .conftest import REPOSITORY

FILES = sorted((REPOSITORY / "macros").rglob("*.sql"))
# a materialization is a macro of dbt's own making
MATERIALIZATION = "materialization_"


def public_macros(file: Path) -> Iterator[tuple[str, list[str]]]:
    """The macros of a file that others may call: their names, and those of their arguments."""
    template = get_environment(capture_macros=True).parse(file.read_text(encoding="utf-8"))
    for macro in template.find_all(nodes.Macro):
        name = macro.name.removeprefix("dbt_macro__")
        if not name.startswith(("_", MATERIALIZATION)):
            yield name, [argument.name for argument in macro.args]


def materializations(file: Path) -> list[str]:
    """The materializations of a file."""
    template = get_environment(capture_macros=True).parse(file.read_text(encoding="utf-8"))
    names = (macro.name for macro in template.find_all(nodes.Macro))
    prefix = f"dbt_macro__{MATERIALIZATION}"
    return [name.removeprefix(prefix).rpartition("_")[0] for name in names if prefix in name]


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
    names = [name for name, _ in public_macros(file)]
    assert names + materializations(file) == [file.stem]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_macro_is_documented_with_all_its_arguments(file: Path) -> None:
    for name, arguments in public_macros(file):
        assert documented().get(name) == arguments


def test_nothing_is_documented_that_is_not_there() -> None:
    assert set(documented()) == {name for file in FILES for name, _ in public_macros(file)}
