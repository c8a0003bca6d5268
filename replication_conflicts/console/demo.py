"""The command `replication-conflicts demo`."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from replication_conflicts.console.options import (
    DryRunOption,
    plain_console,
    problems_in_one_line,
    stop,
)
from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.local_postgres import PostgresProblem, programs
from replication_conflicts.demo import report
from replication_conflicts.demo.databases import Kind
from replication_conflicts.demo.play import Delivery, Demo
from replication_conflicts.demo.publications import (
    STORIES,
    default_policy,
    publication_options,
)
from replication_conflicts.demo.site import Site
from replication_conflicts.demo.state import DemoError, Plan, State
from replication_conflicts.environment import check, folders
from replication_conflicts.environment.profile import ProfileError
from replication_conflicts.environment.session import SessionError
from replication_conflicts.publication.configuration import ConfigurationProblem
from replication_conflicts.publication.publication import POLICIES
from replication_conflicts.workload import Settings

_DEFAULTS = Settings()


def register(app: typer.Typer) -> None:
    """Add this module's command to the console command."""
    app.command()(demo)


def demo(
    policy: Annotated[
        str | None,
        typer.Option(help=f"One of {', '.join(POLICIES)}; default: the project's own."),
    ] = None,
    transactions: Annotated[
        int, typer.Option(min=1, help="How many transactions people make.")
    ] = _DEFAULTS.transactions,
    deliveries: Annotated[
        int, typer.Option(min=1, help="In how many deliveries they come.")
    ] = _DEFAULTS.deliveries,
    seed: Annotated[int, typer.Option(help="Another seed is another story.")] = _DEFAULTS.seed,
    databases: Annotated[
        Kind, typer.Option(help="What the nodes are; PostgreSQL: a server of the demo's own.")
    ] = Kind.SQLITE,
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Drop the schemas feeds, initial and published, start over."),
    ] = False,
    tests: Annotated[
        bool, typer.Option("--tests", help="Run the project's data tests with the last build.")
    ] = False,
    dry_run: DryRunOption = False,
) -> None:
    """Headquarters and branches at work in databases: conflicts, decisions, commands.

    A second demo delivers the same feeds again, and nothing is new.
    """
    console = plain_console()
    project = _project()
    policy = policy or default_policy(project)
    if policy not in POLICIES:
        stop(f"--policy is {policy}, must be one of: {', '.join(POLICIES)}")
    plan = Plan(policy, Settings(transactions, deliveries, seed), databases)
    state = State(folders.local_folder() / "demo")
    if dry_run:
        _print_plan(console, project, plan, _is_repetition(state, plan, fresh))
        return
    others = (DemoError, SessionError, ProfileError, PostgresProblem)
    with problems_in_one_line(*others), state.alone():
        # a demo that ran until now may be the one to repeat
        is_repetition = _is_repetition(state, plan, fresh)
        _stop_at_problems(databases, is_repetition)
        if not is_repetition and not fresh:
            _say_why_over(console, state, plan)
        _run(console, project, state, plan, is_repetition, fresh, tests)


def _stop_at_problems(databases: Kind, is_repetition: bool) -> None:
    problems = [*check.problems()]
    if databases is Kind.POSTGRES and not is_repetition and programs() is None:
        problems.append("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    if problems:
        stop("\n".join(problems))


def _run(
    console: Console,
    project: Path,
    state: State,
    plan: Plan,
    is_repetition: bool,
    fresh: bool,
    tests: bool,
) -> None:
    started = time.monotonic()
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_interactive,
    ) as progress:
        steps = 1 if is_repetition else plan.settings.deliveries
        task = progress.add_task("starting", total=steps)

        def say(text: str) -> None:
            progress.update(task, description=text)

        one = Demo(project, state, plan, say, tests)

        build_seconds = 0.0

        def tell(told: Delivery) -> None:
            nonlocal build_seconds
            build_seconds += told.seconds
            progress.advance(task)
            for line in report.delivery_lines(told, plan.settings.deliveries):
                progress.print(line)

        if is_repetition:
            repetition = one.repeat()
            build_seconds = repetition.seconds
        else:
            # what an earlier demo left is its own to drop
            ending = one.play(tell, is_dropping=fresh or state.is_there)
        progress.update(task, description="reading the results")
        console.print()
        is_whole = report.print_results(console, one.lakehouse, one.sites)
    if is_repetition:
        report.print_repetition(console, repetition)
        is_good = not repetition.taken and not repetition.changed_tables
    else:
        report.print_ending(console, ending, plan.databases.title)
        is_good = not ending.unequal
    report.print_next(console, state, plan, is_repetition)
    seconds = time.monotonic() - started
    console.print(f"\n{seconds:.0f} s, {build_seconds:.0f} s of them dbt build", style="dim")
    one.lakehouse.spark.stop()
    if not is_good or not is_whole:
        raise typer.Exit(1)


def _is_repetition(state: State, plan: Plan, fresh: bool) -> bool:
    """Whether the same feeds are to be delivered again; a demo that was cut short starts over."""
    if fresh or state.plan is None or not state.is_finished:
        return False
    if replace(state.plan, databases=plan.databases) != plan:
        stop(f"the last demo was made with {state.plan}.\nTo start over with {plan}: add --fresh.")
    return state.plan == plan


def _say_why_over(console: Console, state: State, plan: Plan) -> None:
    last = state.plan
    if state.is_there and (last is None or not state.is_finished):
        console.print("The last demo did not come to its end: starting over.")
    elif last is not None:
        console.print(
            f"The last demo was on {last.databases.title}: starting over on {plan.databases.title}."
        )


def _print_plan(console: Console, project: Path, plan: Plan, is_repetition: bool) -> None:
    if is_repetition:
        console.print("The feeds of the last demo would be delivered again: one dbt build.")
        return
    options = publication_options(project, plan.policy)
    console.print(f"{plan}, on {plan.databases.title}", soft_wrap=True)
    for story in STORIES:
        site = Site(story, node_publication(story.publication, options), plan.settings)
        console.print(f"Publication {story.publication}: {', '.join(site.nodes)}")
        console.print(f"  rows in every database at the start: {len(site.initial):,}")
    console.print(
        f"dbt builds: {plan.settings.deliveries}, and more while something is left to upload"
    )
    console.print("Schemas dropped and made: feeds, initial, published")


def _project() -> Path:
    project = folders.project_folder()
    if project is None:
        stop("the demo runs in a clone of the repository, where dbt_project.yml is")
    try:
        options = publication_options(project)
        for story in STORIES:
            node_publication(story.publication, options)
    except ConfigurationProblem as problem:
        stop(str(problem))
    return project
