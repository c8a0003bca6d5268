"""The command `replication-conflicts distribute`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from sqlalchemy import Engine, inspect

from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.state import capture_state
from replication_conflicts.console.options import (
    DryRunOption,
    FeedsOption,
    ProfilesOption,
    ProjectOption,
    PublicationOption,
    TargetOption,
    UrlOption,
    chosen_publication,
    plain_console,
    problems_in_one_line,
    schema_of_builds,
    spark_of,
)
from replication_conflicts.database import agent_tables
from replication_conflicts.database.articles import NodePublication
from replication_conflicts.database.engine import DatabaseProblem, dialect_of, open_database
from replication_conflicts.database.statements import Tables
from replication_conflicts.distribution.agent import Agent, Options, Ports
from replication_conflicts.distribution.apply import Node
from replication_conflicts.distribution.beginning import check_is_not_ahead
from replication_conflicts.distribution.report import PlannedStart, print_plan, print_summary
from replication_conflicts.distribution.snapshot import check_is_free, check_is_new, held_rows
from replication_conflicts.lakehouse.commands import LakehouseCommands
from replication_conflicts.lakehouse.relations import Relations
from replication_conflicts.lakehouse.reports import LakehouseReports
from replication_conflicts.lakehouse.snapshots import LakehouseSnapshots
from replication_conflicts.lakehouse.subscriptions import check_subscriptions
from replication_conflicts.publication.commands import Place
from replication_conflicts.publication.rows import SnapshotRow
from replication_conflicts.words import counted

REFUSED = 3
_NO_COMMANDS = (
    "there are no commands for it. Correct --subscriber, or add it to the project's"
    " `subscriptions` and build"
)


class OnError(Enum):
    """What a refused command means for those behind it."""

    STOP = "stop"
    SKIP = "skip"


def register(app: typer.Typer) -> None:
    """Add this module's command to the console command."""
    app.command()(distribute)


def distribute(
    subscriber: Annotated[str, typer.Option(help="The subscriber's name, or the publisher's.")],
    url: UrlOption,
    publication: PublicationOption = None,
    on_error: Annotated[
        OnError,
        typer.Option(
            help="A command that the database refuses: stop before its transaction, or skip it, so"
            " that its row stays as it is here."
        ),
    ] = OnError.STOP,
    batch: Annotated[
        int, typer.Option(min=1, help="How many transactions are committed together.")
    ] = Options.most_transactions,
    patience: Annotated[
        float, typer.Option(min=0, help="Seconds to wait for a database that is away, or locked.")
    ] = Options.patience_seconds,
    initialize: Annotated[
        bool,
        typer.Option(
            "--initialize",
            help="First fill the tables with the initial rows, or where there are row filters with"
            " the node's part of the published rows.",
        ),
    ] = False,
    replace_rows: Annotated[
        bool, typer.Option("--replace-rows", help="With --initialize: delete rows that are there.")
    ] = False,
    dry_run: DryRunOption = False,
    published: Annotated[
        str | None,
        typer.Option(help="Schema of what builds write; default: the target's schema."),
    ] = None,
    feeds: FeedsOption = "feeds",
    initial: Annotated[str, typer.Option(help="Schema of the initial rows.")] = "initial",
    events: Annotated[
        str | None,
        typer.Option(help="Table for events; default: subscription_events among the feeds."),
    ] = None,
    project_dir: ProjectOption = Path(),
    profiles_dir: ProfilesOption = None,
    target: TargetOption = None,
) -> None:
    """Carry a subscriber's commands to its database.

    Exit status 0: everything is applied; 3: the database refused a command; 2: an option or
    argument is unknown, or cannot be read; 1: anything else.
    """
    if replace_rows and not initialize:
        raise typer.BadParameter("it needs --initialize", param_hint="--replace-rows")
    console = plain_console()
    options = Options(batch, on_error is OnError.SKIP, patience, replace_rows)
    with problems_in_one_line():
        chosen = chosen_publication(project_dir, publication)
        if published is None:
            published = schema_of_builds(project_dir, profiles_dir, target)
        relations = Relations(published, feeds, initial, events)
        engine = open_database(url, patience)
        node = node_of(engine, chosen, subscriber)
        if initialize:
            # before Spark starts; a run looks again, when nobody else can write
            _check_may_begin(engine, node, options)
        spark = spark_of(project_dir, profiles_dir, target)
        check_subscriptions(spark, relations, chosen, {subscriber}, _NO_COMMANDS)
        commands = LakehouseCommands(spark, relations, chosen, subscriber)
        snapshots = LakehouseSnapshots(spark, relations, chosen, subscriber)
        if dry_run:
            if initialize:
                _plan_start(console, engine, node, commands, snapshots)
            else:
                _plan(console, engine, node, commands, snapshots)
            return
        ports = Ports(commands, snapshots, LakehouseReports(spark, relations, chosen))
        if initialize and not commands.are_written:
            # a node may start before there is anything to tell it
            _initialize(console, engine, node, ports, options)
            return
        _run(console, engine, node, ports, options, is_initializing=initialize)


def _run(
    console: Console,
    engine: Engine,
    node: Node,
    ports: Ports,
    options: Options,
    *,
    is_initializing: bool,
) -> None:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    disable = not console.is_interactive
    with Progress(*columns, console=console, transient=True, disable=disable) as progress:
        task = progress.add_task(node.name, total=None)

        def tell(commands: int, position: int) -> None:
            progress.update(task, advance=commands, description=f"{node.name} at {position:,}")

        agent = Agent(engine, node, ports, options, tell)
        agent.prepare()
        if is_initializing:
            agent.initialize()
        progress.update(task, total=ports.commands.count(agent.place()))
        summary = agent.run()
    print_summary(console, node.name, summary)
    if summary.refused:
        raise typer.Exit(REFUSED)


def _initialize(
    console: Console, engine: Engine, node: Node, ports: Ports, options: Options
) -> None:
    agent = Agent(engine, node, ports, options)
    agent.prepare()
    rows = agent.initialize()
    console.print(
        f"{node.name}: {counted(rows, 'initial row')}. No build has written commands yet.",
        soft_wrap=True,
    )


def node_of(engine: Engine, publication: NodePublication, name: str) -> Node:
    """The node that a database is. Errors: DatabaseProblem where it is another one."""
    try:
        rows = Tables(publication, dialect_of(engine))
        state = capture_state(engine, name, rows)
    except CaptureProblem as problem:
        raise DatabaseProblem(str(problem)) from problem
    return Node(publication, name, rows, state)


def _check_may_begin(engine: Engine, node: Node, options: Options) -> None:
    """Errors: AgentProblem where the tables are not to be filled."""
    with engine.begin() as connection:
        if inspect(connection).has_table(agent_tables.starts.name):
            check_is_new(connection, node)
        check_is_free(connection, node, is_replacing=options.is_replacing_rows)


def _plan_start(
    console: Console,
    engine: Engine,
    node: Node,
    commands: LakehouseCommands,
    snapshots: LakehouseSnapshots,
) -> None:
    """Say what a node would begin with, and what comes then."""
    with engine.begin() as connection:
        held = held_rows(connection, node)
    first = snapshots.first_rows()
    found = commands.after(first.place) if commands.are_written else ()
    print_plan(console, found, first.place, PlannedStart(_counts(first.rows), held))


def _plan(
    console: Console,
    engine: Engine,
    node: Node,
    commands: LakehouseCommands,
    snapshots: LakehouseSnapshots,
) -> None:
    """Say what would be done, without making the agent's tables."""
    place, later = Place(), list[str]()
    with engine.begin() as connection:
        if inspect(connection).has_table(agent_tables.starts.name):
            names = (node.publication.name, node.name)
            place = agent_tables.read_position(connection, *names)
            later = agent_tables.later_articles(connection, *names, node.publication.articles)
    check_is_not_ahead(node, commands, place)
    start = PlannedStart(_counts(snapshots.initial_rows(later))) if later else None
    print_plan(console, commands.after(place), place, start)


def _counts(rows: Iterable[SnapshotRow]) -> Counter[str]:
    return Counter(row.article for row in rows)
