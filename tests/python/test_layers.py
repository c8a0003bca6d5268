"""Who imports whom: what stands below knows nothing of what stands above it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from .repository import REPOSITORY

PACKAGE = "replication_conflicts"
# from the bottom up; the parts of one line know nothing of each other
ORDER = (
    ("yaml_files",),
    ("environment", "publication", "statements", "words"),
    ("database", "dbt_build", "dbt_replication_conflicts", "models"),
    ("capture", "distribution", "what_if"),
    ("lakehouse",),
    ("simulation",),
    ("scenarios", "workload"),
    ("demo",),
    ("cluster",),
    ("console",),
    ("cli",),
    ("__main__",),
)
HEIGHT = {part: height for height, parts in enumerate(ORDER) for part in parts}
# who makes up what people do: nobody else has to do with simulated nodes
SIMULATING = {"scenarios", "simulation", "workload", "demo"}


def parts() -> dict[str, list[Path]]:
    """The packages and single modules, with their files."""
    package = REPOSITORY / PACKAGE
    found = {
        one.stem: sorted(one.rglob("*.py")) if one.is_dir() else [one]
        for one in package.iterdir()
        if (one.suffix == ".py" and one.name != "__init__.py") or (one / "__init__.py").is_file()
    }
    plugin = REPOSITORY / "dbt_replication_conflicts.py"
    models = sorted((REPOSITORY / "models").rglob("*.py"))
    return {**found, plugin.stem: [plugin], "models": models}


def imported(source: str) -> Iterator[str]:
    """The parts that a file imports, inside of functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "the name of a part is to be seen in every import"
            names = [f"{node.module}.{one.name}" for one in node.names]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == PACKAGE and rest:
                yield rest.split(".")[0]


def forbidden(part: str, source: str) -> set[str]:
    """What a file of a part imports, and may not."""
    return {
        other
        for other in imported(source)
        if other != part
        and (HEIGHT[other] >= HEIGHT[part] or (other == "simulation" and part not in SIMULATING))
    }


def test_every_part_has_its_place() -> None:
    assert set(parts()) == set(HEIGHT)


@pytest.mark.parametrize("part", HEIGHT)
def test_a_part_imports_what_is_below_it(part: str) -> None:
    files = parts()[part]
    assert files
    found = {
        str(file.relative_to(REPOSITORY)): forbidden(part, file.read_text(encoding="utf-8"))
        for file in files
    }
    assert {name: others for name, others in found.items() if others} == {}


@pytest.mark.parametrize(
    ("part", "source", "others"),
    [
        ("demo", "from replication_conflicts.simulation import Change", set()),
        ("capture", "from replication_conflicts.capture import tables", set()),
        (
            "capture",
            "from replication_conflicts.distribution.ports import Refusal",
            {"distribution"},
        ),
        ("database", "from replication_conflicts import cli, statements", {"cli"}),
        ("lakehouse", "def f():\n    import replication_conflicts.demo.play", {"demo"}),
        ("console", "from replication_conflicts.simulation.node import INSERT", {"simulation"}),
    ],
)
def test_an_import_of_what_is_above_is_seen(part: str, source: str, others: set[str]) -> None:
    assert forbidden(part, source) == others
