"""A project that installs one broken copy of this one after another."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from replication_conflicts.lakehouse import tables
from tests.python.differential.builds import BuildFailed, Builds, Played
from tests.python.differential.comparison import compare
from tests.python.mutants.mutant import Mutant
from tests.python.repository import copy_project
from tests.python.strategies.cases import Case


def broken_copy(mutant: Mutant | None, folder: Path) -> Path:
    """A copy of the dbt project with the mutant's line; without a mutant, as it is.

    Raises ValueError where the line does not stand exactly once: the list is to follow the code.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    copy_project(folder)
    if mutant is not None:
        file = folder / mutant.file
        text = file.read_text(encoding="utf-8")
        if text.count(mutant.line) != 1:
            raise ValueError(f"{mutant.file} has not once: {mutant.line}")
        file.write_text(text.replace(mutant.line, mutant.instead), encoding="utf-8")
    return folder


def _begun(played: Played, deliveries: int) -> Played:
    """A case as if there were no more than its first deliveries."""
    return replace(
        played, case=replace(played.case, deliveries=played.case.deliveries[:deliveries])
    )


class Laboratory:
    """One generated project that installs one copy after another."""

    def __init__(self, folder: Path, name: str, cases: Sequence[Case]) -> None:
        self._folder = folder
        self._running = Builds(f"mutants_{name}", cases, folder, folder / "state", lambda _: None)

    def problems(self, mutant: Mutant | None) -> list[str]:
        """What a copy with this mutant writes otherwise than the sequential reader decides."""
        copy = broken_copy(mutant, self._folder / "copy")
        running = self._running
        running.start()
        installed = running.project.folder / "dbt_packages" / "replication_conflicts"
        if installed.is_symlink() or installed.is_file():
            installed.unlink()
        else:
            shutil.rmtree(installed)
        installed.symlink_to(copy, target_is_directory=True)
        found: list[str] = []
        for number in range(running.runs):
            try:
                running.take(number)
            except BuildFailed as failure:
                return [str(failure)]
            found = self._differences(number + 1)
            if found:
                break
            if number == 0:
                self._drop_published()
        return found

    def _differences(self, deliveries: int) -> list[str]:
        """What was written otherwise than the reader decides about the first deliveries."""
        return [
            problem
            for played in self._running.played
            for problem in compare(self._running, _begun(played, deliveries), is_rebuilt=True)
        ]

    def _drop_published(self) -> None:
        running = self._running
        for played in running.played:
            for article in played.publication.articles:
                name = tables.table_name(running.project.schema, played.publication, article)
                running.spark.sql(f"drop table if exists {name}__versions")
