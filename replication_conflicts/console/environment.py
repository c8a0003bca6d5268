"""Console commands about the environment: doctor, jars, profile, build."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from replication_conflicts.console.options import (
    ProfilesOption,
    ProjectOption,
    TargetOption,
    stop,
)
from replication_conflicts.environment import check, class_archive, folders, jars, profile
from replication_conflicts.words import counted

_ABOUT_WARNINGS = "docs/running.md, 'What a build warns about'"


def register(app: typer.Typer) -> None:
    """Add this module's commands to the console command."""
    app.command()(doctor)
    app.command(name="jars")(fetch_jars)
    app.command(name="profile")(write_profile)
    app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(build)


def doctor() -> None:
    """Tell what is missing on this machine, one line each."""
    missing = [*check.problems(), *_jar_problems()]
    for line in missing:
        typer.echo(line)
    if missing:
        raise typer.Exit(1)
    typer.echo("Python, Java and the Delta jars are in order.")


def fetch_jars() -> None:
    """Fetch the Delta jars once, check them, and archive Spark's classes for quicker starts.

    Jars that are not what they should be are fetched again.
    """
    folder = folders.jars_folder()
    if jars.missing(folder) or jars.damaged(folder):
        typer.echo(f"Fetching the Delta jars into {folder}, once ...")
        try:
            # checks them before they are in place
            jars.fetch(folder)
        except jars.JarError as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(1) from error
    if not class_archive.is_current():
        typer.echo("Archiving Spark's classes for quicker starts, once (about a minute) ...")
        problem = class_archive.make()
        if problem is not None:
            typer.echo(f"{problem} Starts take some seconds longer.")


def write_profile(
    project_dir: ProjectOption = Path(),
    profiles_dir: ProfilesOption = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Also where there is a profiles.yml already.")
    ] = False,
) -> None:
    """Write the profile of a project that installs this one: profiles/profiles.yml.

    Its target `embedded` keeps warehouse, metastore and logs in the project's folder .local; its
    target `cluster` reads environment variables. It names paths of this machine: do not commit it.
    """
    try:
        file = profile.write_project_profile(
            project_dir, profiles_dir or project_dir / "profiles", replace=replace
        )
    except profile.ProfileError as problem:
        stop(str(problem))
    typer.echo(f"{file}: targets embedded (the default) and cluster")


def build(
    context: typer.Context,
    project_dir: ProjectOption = Path(),
    profiles_dir: ProfilesOption = None,
    target: TargetOption = None,
) -> None:
    """Run `dbt build` quietly: what failed or warns, and one line at the end.

    Other options go to dbt.
    """
    from replication_conflicts.dbt_build import WARNED, DbtBuild

    run = DbtBuild(project_dir, profiles_dir or project_dir / "profiles", target)
    result = run.run("build", *context.args)
    for message in result.warnings:
        typer.echo(f"warning: {message}", err=True)
    if any(node.status == WARNED for node in result.nodes):
        typer.echo(f"Where to look: {_ABOUT_WARNINGS}", err=True)
    for message in result.errors:
        typer.echo(message, err=True)
    if result.nodes or result.success:
        failed = f", {len(result.errors)} failed" if result.errors else ""
        typer.echo(f"{counted(len(result.nodes), 'node')}{failed}, {result.seconds:.0f} s")
    failure = 2 if result.is_call_wrong else 1
    raise typer.Exit(0 if result.success else failure)


def _jar_problems() -> tuple[str, ...]:
    folder = folders.jars_folder()
    found = {"are not fetched yet": jars.missing(folder), "are damaged": jars.damaged(folder)}
    return tuple(
        f"{len(names)} Delta jars {what}: run `replication-conflicts jars`."
        for what, names in found.items()
        if names
    )
