"""The command `replication-conflicts what-if`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from replication_conflicts.console.options import (
    ProfilesOption,
    ProjectOption,
    PublicationOption,
    TargetOption,
    plain_console,
    problems_in_one_line,
)
from replication_conflicts.environment.profile import ProfileError
from replication_conflicts.environment.session import SessionError
from replication_conflicts.lakehouse.relations import check_name
from replication_conflicts.publication.configuration import project_publications
from replication_conflicts.publication.publication import POLICIES
from replication_conflicts.what_if.answer import Project, WhatIfFailed, answer
from replication_conflicts.what_if.question import read_question
from replication_conflicts.what_if.report import print_answer
from replication_conflicts.what_if.scratch import ScratchProblem


def register(app: typer.Typer) -> None:
    """Add this module's command to the console command."""
    app.command(name="what-if")(what_if)


def what_if(
    publication: PublicationOption = None,
    policy: Annotated[
        str | None, typer.Option(help=f"Queued updating: one of {', '.join(POLICIES)}.")
    ] = None,
    resolver: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ARTICLE=NAME[:COLUMN[:SEPARATOR]]",
            help="Merge replication: another resolver of an article; may come several times.",
        ),
    ] = None,
    priority: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SUBSCRIBER=NUMBER",
            help="Merge replication: another priority of a server subscription, also for changes "
            "that carry one; may come several times.",
        ),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(
            help="Where the answer is kept; dropped and made anew. Default: the target's schema "
            "with _what_if behind it."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="Print at most this many changes.")] = 20,
    project_dir: ProjectOption = Path(),
    profiles_dir: ProfilesOption = None,
    target: TargetOption = None,
) -> None:
    """Judge the stored changes again under another policy, resolver or priority.

    Nothing of the project changes: what would have been decided otherwise is printed, and kept in a
    schema of its own. Only changes that runs have decided are judged, as they were made: what
    people would have done afterwards is not foreseen.
    """
    console = plain_console()
    with problems_in_one_line(ProfileError, ScratchProblem, SessionError, WhatIfFailed):
        configured = project_publications(project_dir)
        question = read_question(configured, publication, policy, resolver or (), priority or ())
        project = Project(project_dir, profiles_dir or project_dir / "profiles", target)
        name = schema or f"{project.schema}_what_if"
        check_name("schema", name, "schema")
        with console.status("reading the project") as status:
            found = answer(project, configured, question, name, status.update)
        print_answer(console, found, limit)
