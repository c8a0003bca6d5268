"""sqlfluff over the models, where a file that was left out is an error.

sqlfluff only warns of a file that it cannot compile, or that is disabled, and leaves it out. So the
files are linted in a copy of the project, with a warehouse of its own: what a model compiles to
depends on what has been built, and a staging model looks at the columns of its feed. The copy has
empty feeds, and the options that enable every model.

dbt parses a model that reads an ephemeral one with sqlparse, whose limit of tokens the dbt command
lifts; sqlfluff's templater does not.

    python -m tests.python.lint_sql FILE ...
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import sqlparse.engine.grouping
import yaml
from sqlfluff.cli.commands import cli

from replication_conflicts.database.articles import node_publication
from replication_conflicts.dbt_build import DbtBuild
from replication_conflicts.environment.profile import quick_start, write_profile
from replication_conflicts.lakehouse.feed import LakehouseFeed
from replication_conflicts.lakehouse.relations import Relations
from replication_conflicts.publication.configuration import project_publications
from tests.python.repository import REPOSITORY, copy_project


class LeftOut(logging.Handler):
    """Keeps what sqlfluff warns of: files that were left out."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.warnings: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning about a file that was left out."""
        message = record.getMessage()
        if message.startswith("Skipped file"):
            self.warnings.append(message)


def main(files: list[str]) -> int:
    """Lint the files; 0 when they are clean, and none was left out."""
    sqlparse.engine.grouping.MAX_GROUPING_TOKENS = sys.maxsize
    left_out = LeftOut()
    logging.getLogger("sqlfluff.linter").addHandler(left_out)
    options = ["--processes", "1", "--disable-progress-bar", "--nocolor"]
    code = 0
    with tempfile.TemporaryDirectory(prefix="lint_") as temporary:
        folder = Path(temporary)
        _lay_out(folder)
        os.chdir(folder)
        try:
            cli.main(["lint", *options, *files], standalone_mode=True)
        except SystemExit as end:
            code = int(end.code or 0)
        os.chdir(REPOSITORY)
    for warning in left_out.warnings:
        print(f"not linted: {warning}", file=sys.stderr)
    return code or int(bool(left_out.warnings))


def _lay_out(folder: Path) -> None:
    """A copy of the project in which every model is enabled and can be compiled."""
    copy_project(folder)
    shutil.copy(REPOSITORY / ".sqlfluff", folder)
    publications = project_publications(folder)
    for options in publications.values():
        options["apply_errors"] = True
    _change(
        folder / "dbt_project.yml",
        "vars",
        {
            "publications": publications,
            "what_if": {"publication": next(iter(publications)), "decided_in": "published"},
        },
    )
    reports = [{"name": f"{publication}__apply_errors"} for publication in publications]
    sources = folder / "models" / "feeds" / "_inventory__sources.yml"
    feeds = yaml.safe_load(sources.read_text(encoding="utf-8"))["sources"]
    feeds[0]["tables"].extend(reports)
    _change(sources, "sources", feeds)
    write_profile(folder / "profiles", folder, changes=quick_start(folder))
    spark = DbtBuild(folder, folder / "profiles").spark
    for name in publications:
        LakehouseFeed(spark, Relations(), node_publication(name, publications)).prepare()


def _change(file: Path, name: str, value: Any) -> None:
    """Write a YAML file once more with another value of a name."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    file.write_text(yaml.safe_dump({**content, name: value}, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
