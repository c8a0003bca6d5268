"""The dbt unit tests of the macros that decide something: all of them, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import REPOSITORY, ScratchProject


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
    tests = REPOSITORY / "models" / "unit" / f"unit_{macro.stem}.yml"
    assert tests.is_file()
    assert "unit_tests:" in tests.read_text(encoding="utf-8")
