"""Texts of seeds, which people write: the reason of a decision, the name of a subscriber."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from .conftest import ScratchProject

PROJECT = """
name: toy
version: "1.0.0"
config-version: 2
profile: replication_conflicts
seeds: {toy: {remarks: {+column_types: {id: int, remark: string}}}}
"""
REMARKS = {
    1: "the customer's wish",
    2: r"C:\new\table",
    3: r'{"name": "a \"b\" \\ c\n"}',
    4: "100 % of 'them' -- ; %s",
    5: "größer, 東",
}


def csv(remarks: Mapping[int, str]) -> str:
    lines = [
        f'{number},"{remark.replace(chr(34), chr(34) * 2)}"' for number, remark in remarks.items()
    ]
    return "\n".join(["id,remark", *lines]) + "\n"


@pytest.mark.spark
def test_a_text_arrives_as_it_stands_in_the_file(
    scratch_project: Callable[[Mapping[str, str]], ScratchProject],
) -> None:
    project = scratch_project({"dbt_project.yml": PROJECT, "seeds/remarks.csv": csv(REMARKS)})
    assert project.build.run("seed").errors == ()
    rows = project.build.spark.table(f"{project.schema}.remarks").collect()
    assert {row["id"]: row["remark"] for row in rows} == REMARKS
