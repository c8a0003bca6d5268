"""The documents as text: sections, and the files of the README's example, as a project."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from replication_conflicts.dbt_build import DbtBuild
from replication_conflicts.environment.profile import write_project_profile

from .repository import REPOSITORY


def text_of(name: str) -> str:
    """A document."""
    return (REPOSITORY / name).read_text(encoding="utf-8")


def section(document: str, heading: str) -> str:
    """What a document says below a heading."""
    return text_of(document).split(f"\n## {heading}\n")[1].split("\n## ")[0]


def example_files(document: str = "README.md") -> dict[str, str]:
    """The files of a document's example: a path alone on its line, and a block below it."""
    pattern = r"^`([\w./]+\.(?:yml|sql|csv))`\n\n```\w+\n(.*?)^```$"
    return dict(re.findall(pattern, text_of(document), re.DOTALL | re.MULTILINE))


def example_project(folder: Path, files: Mapping[str, str]) -> DbtBuild:
    """A project of such files, which installs this one."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            text.replace("../replication_conflicts ", f"{REPOSITORY} "), encoding="utf-8"
        )
    write_project_profile(folder, folder / "profiles")
    return DbtBuild(folder, folder / "profiles")
