"""The dbt unit tests of the macros that decide something: all of them, once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import ScratchProject
from .repository import REPOSITORY

UNIT = REPOSITORY / "models" / "unit"


@pytest.mark.spark
def test_dbt_unit_tests_pass(scratch_copy: Callable[[], ScratchProject]) -> None:
    project = scratch_copy()
    result = project.build.run("test", "--select", "test_type:unit")
    assert result.errors == ()
    assert result.success
    assert {node.status for node in result.nodes} == {"pass"}
    assert len(result.nodes) >= len(list((REPOSITORY / "macros" / "decision").glob("*.sql")))


@pytest.mark.parametrize(
    "macro", sorted((REPOSITORY / "macros" / "decision").glob("*.sql")), ids=lambda path: path.stem
)
def test_every_deciding_macro_has_a_unit_test(macro: Path) -> None:
    tests = UNIT / f"unit_{macro.stem}.yml"
    assert tests.is_file()
    assert "unit_tests:" in tests.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "macro",
    sorted((REPOSITORY / "macros" / "resolvers").glob("resolver_*.sql")),
    ids=lambda path: path.stem,
)
def test_every_resolver_is_called_by_a_unit_test(macro: Path) -> None:
    """By its own name, or as the resolver of an article."""
    name = macro.stem.removeprefix("resolver_")
    called = {"*.sql": rf"resolver_{name}\(|'{name}'", "*.yml": rf"resolver: {{name: {name}\b"}
    assert any(
        re.search(pattern, file.read_text(encoding="utf-8"))
        for files, pattern in called.items()
        for file in UNIT.glob(files)
    )
