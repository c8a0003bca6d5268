"""What several commands have in common: options, the publication, the session, the last word."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from sqlalchemy.exc import DBAPIError

from replication_conflicts.capture.ports import BatchMismatch
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.database.articles import NodePublication, node_publication
from replication_conflicts.database.engine import DatabaseProblem
from replication_conflicts.database.faults import error_text
from replication_conflicts.dbt_build import DbtBuild, spark_message
from replication_conflicts.distribution.apply import AgentProblem
from replication_conflicts.environment.profile import ProfileError, target_schema
from replication_conflicts.environment.session import SessionError
from replication_conflicts.lakehouse.relations import LakehouseProblem
from replication_conflicts.publication.commands import UnknownCommand
from replication_conflicts.publication.configuration import (
    ConfigurationProblem,
    project_publications,
)
from replication_conflicts.publication.values import ValueProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# what goes wrong at a node and is said in one line
PROBLEMS = (
    AgentProblem,
    BatchMismatch,
    CaptureProblem,
    ConfigurationProblem,
    DatabaseProblem,
    LakehouseProblem,
    UnknownCommand,
    ValueProblem,
)
PublicationOption = Annotated[
    str | None, typer.Option(help="Default: the project's only publication.")
]
UrlOption = Annotated[
    str,
    typer.Option(
        envvar="NODE_URL",
        help="SQLAlchemy URL of the node's database: sqlite:///file.db, postgresql://...",
    ),
]
# dbt's own options have these names too, -t among them, and its variables count here as they do
# for dbt: what builds go to is what the other commands read
ProjectOption = Annotated[
    Path,
    typer.Option(
        "--project-dir",
        envvar=["DBT_ENGINE_PROJECT_DIR", "DBT_PROJECT_DIR"],
        help="Folder of dbt_project.yml.",
    ),
]
ProfilesOption = Annotated[
    Path | None,
    typer.Option(
        "--profiles-dir",
        envvar=["DBT_ENGINE_PROFILES_DIR", "DBT_PROFILES_DIR"],
        help="Folder of profiles.yml; default: the project's profiles.",
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        envvar=["DBT_ENGINE_TARGET", "DBT_TARGET"],
        help="Target of the profile; default: the one that it names.",
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")
]
FeedsOption = Annotated[str, typer.Option(help="Schema of what arrives.")]


def chosen_publication(project: Path, name: str | None) -> NodePublication:
    """A publication of a project; without a name the only one. Errors: ConfigurationProblem."""
    found = project_publications(project)
    if name is None and len(found) != 1:
        known = f"--publication must be one of: {', '.join(found)}"
        raise ConfigurationProblem(known if found else f"{project} has no publications")
    return node_publication(name or next(iter(found)), found)


def spark_of(project: Path, profiles: Path | None, target: str | None) -> SparkSession:
    """The session that the project's builds use."""
    try:
        return DbtBuild(project, profiles or project / "profiles", target).spark
    except (ProfileError, SessionError) as problem:
        raise LakehouseProblem(str(problem)) from problem


def schema_of_builds(project: Path, profiles: Path | None, target: str | None) -> str:
    """Where the project's builds write. Errors: LakehouseProblem."""
    try:
        return target_schema(project, profiles or project / "profiles", target)
    except ProfileError as problem:
        raise LakehouseProblem(str(problem)) from problem


def plain_console() -> Console:
    """What commands print to. Names, paths and messages have any characters: `[sku]` is no style,
    and `:key:` no picture.
    """
    return Console(highlight=False, markup=False, emoji=False)


@contextmanager
def problems_in_one_line(*others: type[Exception]) -> Iterator[None]:
    """What goes wrong at a node or in Spark ends the command, and the message says why.

    `others`: problems of this command alone.
    """
    expected: tuple[type[Exception], ...] = (*PROBLEMS, *others)
    try:
        yield
    except expected as problem:
        stop(str(problem))
    except DBAPIError as error:
        stop(error_text(error))
    except Exception as error:
        message = spark_message(error)
        if message is None:
            raise
        stop(message)


def stop(message: str) -> NoReturn:
    """End with one line."""
    typer.echo(message, err=True)
    raise typer.Exit(1)
