"""Where this repository is, and copies of its dbt project."""

from __future__ import annotations

import shutil
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_FILES = ("dbt_project.yml", "selectors.yml")
_FOLDERS = ("models", "macros", "seeds", "tests/generic", "tests/integrity", "tests/consistency")


def copy_project(folder: Path) -> None:
    """Copy what dbt reads of this repository, for builds that may change its files."""
    for name in _FILES:
        shutil.copy(REPOSITORY / name, folder)
    for name in _FOLDERS:
        if (REPOSITORY / name).is_dir():
            shutil.copytree(REPOSITORY / name, folder / name)
