"""A run that is killed while it writes a table leaves files, and no table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from .conftest import ScratchProject
from .repository import REPOSITORY

PROJECT = """
name: replication_conflicts
version: "1.0.0"
config-version: 2
profile: replication_conflicts
"""
MACROS = REPOSITORY / "macros"
MAKE = """
{% macro make(format) %}
    {% set format = replication_conflicts.scratch_format() if format == 'scratch' else format %}
    {% do run_query('create table ' ~ target.schema ~ '.made ' ~ format ~ ' as select 1 as id') %}
{% endmacro %}
"""


def left_behind(project: ScratchProject, table: str) -> Path:
    """What a write leaves that did not come to its end; the place of the table."""
    (row,) = (
        project.build.spark.sql(f"describe schema {project.schema}")
        .where("info_name = 'Location'")
        .collect()
    )
    place = Path(row["info_value"].removeprefix("file:")) / table
    part = place / "_temporary" / "0" / "part-00000.parquet"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"not all of it")
    return place


@pytest.mark.spark
def test_a_scratch_table_takes_its_place_all_the_same(
    scratch_project: Callable[[Mapping[str, str]], ScratchProject],
) -> None:
    scratch = (MACROS / "materializations" / "scratch_format.sql").read_text(encoding="utf-8")
    project = scratch_project(
        {
            "dbt_project.yml": PROJECT,
            "macros/scratch_format.sql": scratch,
            "macros/make.sql": MAKE,
            "models/one.sql": "select 1 as id",
        }
    )
    assert project.build.run("build").errors == ()
    place = left_behind(project, "made")
    make = ("run-operation", "make", "--args")
    assert not project.build.run(*make, "{format: using parquet}").success
    assert (place / "_temporary").exists()
    assert project.build.run(*make, "{format: scratch}").success
    assert not (place / "_temporary").exists()
    assert project.build.spark.table(f"{project.schema}.made").count() == 1
