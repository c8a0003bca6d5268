"""The command `replication-conflicts query`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from replication_conflicts.console.options import (
    ProfilesOption,
    ProjectOption,
    TargetOption,
    plain_console,
    stop,
)
from replication_conflicts.console.printed_query import Form, print_query
from replication_conflicts.environment import folders
from replication_conflicts.environment.profile import ProfileError, target_schema
from replication_conflicts.environment.session import SessionError


def register(app: typer.Typer) -> None:
    """Add this module's command to the console command."""
    app.command()(query)


def query(
    sql: Annotated[
        list[str],
        typer.Argument(
            help="SQL statements, one after the other; the current schema is the published one."
        ),
    ],
    limit: Annotated[int, typer.Option(min=1, help="Print at most this many rows.")] = 50,
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            help="Rows as a table, column by column (records), or as csv; auto: as a table, or as"
            " records where that would be wider than the terminal.",
        ),
    ] = Form.AUTO,
    project_dir: ProjectOption = Path(),
    profiles_dir: ProfilesOption = None,
    target: TargetOption = None,
) -> None:
    """Run SQL over the project's tables, and print the results.

    In a folder that is no dbt project: over those of the demo, which are in this program's clone.
    """
    from replication_conflicts.dbt_build import DbtBuild, short_message

    console = plain_console()
    project, clone = project_dir, folders.project_folder()
    if project == Path() and not Path("dbt_project.yml").is_file() and clone is not None:
        # what the demo tells people to type works from any folder
        project = clone
        typer.echo(f"There is no dbt_project.yml here: in the project {project}", err=True)
    profiles = profiles_dir or project / "profiles"
    try:
        schema = target_schema(project, profiles, target)
        spark = DbtBuild(project, profiles, target).spark
    except (SessionError, ProfileError) as error:
        stop(str(error))
    try:
        for one in sql:
            print_query(console, spark, schema, one, limit, form)
    except Exception as error:  # whatever Spark makes of a person's query is shown, in short
        stop(short_message(str(error)))
    finally:
        spark.stop()
