"""dbt's part of a what-if: the decisions once more, and what is otherwise in them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication_conflicts.dbt_build import DbtBuild
from replication_conflicts.environment import profile
from replication_conflicts.what_if.question import Question
from replication_conflicts.what_if.scratch import Scratch, inputs_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHANGES = "what_if_changes"
COUNTS = "what_if_counts"
TOTALS = "what_if_totals"


class WhatIfFailed(Exception):
    """The changes could not be judged; the message has dbt's errors."""


@dataclass(frozen=True)
class Project:
    """A dbt project, as the console's options name it."""

    folder: Path
    profiles: Path
    target: str | None

    @property
    def schema(self) -> str:
        """Where its builds write. Raises profile.ProfileError."""
        return profile.target_schema(self.folder, self.profiles, self.target)


@dataclass(frozen=True)
class Answer:
    """What was judged, and where it is kept: tables of `schema`."""

    spark: SparkSession
    question: Question
    schema: str
    judged: int

    @property
    def changes(self) -> str:
        """The table of the changes that would have been decided otherwise."""
        return f"{self.schema}.{CHANGES}"

    @property
    def counts(self) -> str:
        """The table of their numbers."""
        return f"{self.schema}.{COUNTS}"

    def rows(self, query: str) -> list[Mapping[str, Any]]:
        """The rows of a small result."""
        return [row.asDict(recursive=True) for row in self.spark.sql(query).collect()]


def answer(
    project: Project,
    configured: Mapping[str, Any],
    question: Question,
    schema: str,
    say: Callable[[str], None],
) -> Answer:
    """Judge the stored changes again, in a schema of their own.

    Errors: WhatIfFailed, ScratchProblem, ConfigurationProblem, and those of the session.
    """
    with tempfile.TemporaryDirectory(prefix="what_if_") as temporary:
        folder = Path(temporary)
        profile.write_with_schema(
            project.folder, project.profiles, project.target, schema, folder / "profiles"
        )
        dbt = DbtBuild(project.folder, folder / "profiles", project.target)
        variables = {
            "publications": question.publications(configured),
            "what_if": {"publication": question.publication, "decided_in": project.schema},
        }
        options = ("--vars", json.dumps(variables), "--target-path", str(folder / "target"))
        say("reading the project")
        _run(dbt, "parse", *options)
        manifest = json.loads((folder / "target" / "manifest.json").read_text(encoding="utf-8"))
        inputs = inputs_of(manifest, question.publications(configured))
        say("starting Spark")
        spark = dbt.spark
        say("laying out the stored changes")
        Scratch(spark, project.schema, schema).make(inputs, question)
        say("judging the changes again")
        excluded = [f"+{name}" for name in inputs.names]
        selected = [f"+{COUNTS}", f"+{TOTALS}"]
        _run(dbt, "run", "--full-refresh", "--select", *selected, "--exclude", *excluded, *options)
    judged = spark.sql(f"select sum(judged_count) from {schema}.{TOTALS}").collect()[0][0]
    return Answer(spark, question, schema, int(judged or 0))


def _run(dbt: DbtBuild, *arguments: str) -> None:
    result = dbt.run(*arguments)
    if not result.success:
        raise WhatIfFailed("\n".join(result.errors))
