"""Views that stay while nothing about them changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from .conftest import ScratchProject
from .repository import REPOSITORY

PROJECT = """
name: toy
version: "1.0.0"
config-version: 2
profile: replication_conflicts
"""
CONTRACT = """
models:
  - name: shown
    config: {{contract: {{enforced: {enforced}}}}}
    columns: [{{name: id, data_type: {data_type}, description: "{description}"}}]
"""
SHOWN = "{{{{ config(materialized='kept_view') }}}} select cast(id as {}) as id from range({})"
FILE = REPOSITORY / "macros" / "materializations" / "kept_view.sql"


def contract(data_type: str = "int", description: str = "A number.", enforced: str = "true") -> str:
    return CONTRACT.format(data_type=data_type, description=description, enforced=enforced)


@pytest.mark.spark
def test_a_view_stays_until_something_about_it_changes(
    scratch_project: Callable[[Mapping[str, str]], ScratchProject],
) -> None:
    project = scratch_project(
        {
            "dbt_project.yml": PROJECT,
            "macros/kept_view.sql": FILE.read_text(encoding="utf-8"),
            "models/shown.sql": SHOWN.format("int", 3),
            "models/shown.yml": contract(),
        }
    )
    view = f"{project.schema}.shown"

    def is_kept(*options: str) -> bool:
        """Whether a mark on the view is still there after a build."""
        project.build.spark.sql(f"alter view {view} set tblproperties ('mark' = 'here')")
        result = project.build.run("build", *options)
        assert result.errors == ()
        properties = project.build.spark.sql(f"show tblproperties {view}").collect()
        return "mark" in {row["key"] for row in properties}

    def write(name: str, text: str) -> None:
        (project.folder / "models" / name).write_text(text, encoding="utf-8")

    assert project.build.run("build").errors == ()
    assert is_kept()
    assert not is_kept("--full-refresh")
    assert is_kept()
    write("shown.sql", SHOWN.format("int", 4))
    assert not is_kept()
    assert project.build.spark.table(view).count() == 4
    write("shown.yml", contract(description="Another number."))
    assert not is_kept()
    write("shown.yml", contract(enforced="false"))
    assert not is_kept()
    write("shown.yml", contract(data_type="string"))
    result = project.build.run("build")
    assert [message for message in result.errors if "contract" in message and "shown" in message]
    write("shown.sql", SHOWN.format("string", 4))
    assert not is_kept()
    assert dict(project.build.spark.table(view).dtypes) == {"id": "string"}
