"""The commands `replication-conflicts capture`: `install`, `renew`, `upload`, `remove`, `ddl`."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from replication_conflicts.capture.checks.table import check_node
from replication_conflicts.capture.install import (
    ExistingRows,
    install,
    remove,
)
from replication_conflicts.capture.renew import renew
from replication_conflicts.capture.triggers.as_text import script
from replication_conflicts.capture.upload import (
    CHANGES_AT_ONCE,
    Uploaded,
    check_is_installed,
    check_is_not_set_back,
    upload,
)
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
    stop,
)
from replication_conflicts.database.engine import open_database
from replication_conflicts.lakehouse.feed import LakehouseFeed
from replication_conflicts.lakehouse.relations import Relations
from replication_conflicts.publication.publication import parse_priority
from replication_conflicts.publication.values import ValueProblem
from replication_conflicts.words import counted


def register(app: typer.Typer) -> None:
    """Add this module's commands to the console command."""
    capture = typer.Typer(
        help="Capture what people change in a node's database, and bring it to the feed.",
        no_args_is_help=True,
    )
    capture.command(name="install")(install_command)
    capture.command(name="renew")(renew_command)
    capture.command(name="upload")(upload_command)
    capture.command(name="remove")(remove_command)
    capture.command(name="ddl")(ddl_command)
    app.add_typer(capture, name="capture")


def install_command(
    node: Annotated[str, typer.Option(help="The subscriber's name, or the publisher's.")],
    url: UrlOption,
    publication: PublicationOption = None,
    existing_rows: Annotated[
        ExistingRows,
        typer.Option(
            help="Rows that have no version yet: refuse to install; insert: they are this node's"
            " inserts; snapshot: `distribute --initialize` replaces them."
        ),
    ] = ExistingRows.REFUSE,
    priority: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Merge replication: a server subscription's, stamped on changes; 0.00 to 99.99."
            " Not for the publisher.",
        ),
    ] = None,
    dry_run: DryRunOption = False,
    project_dir: ProjectOption = Path(),
) -> None:
    """Put version columns, a queue and triggers into a database, in one transaction."""
    with problems_in_one_line():
        chosen = chosen_publication(project_dir, publication)
        stamped = None if priority is None else _stamped(priority)
        done = install(open_database(url), chosen, node, existing_rows, stamped, is_trial=dry_run)
    rows = f", {counted(done.inserted_rows, 'row')} queued as inserts" if done.inserted_rows else ""
    captured = "Would be captured" if dry_run else "Captured"
    articles = counted(done.articles, "table")
    typer.echo(f"{captured} as {node}: {articles} of {chosen.name}{rows}.")


def _stamped(priority: str) -> Decimal:
    try:
        return parse_priority(priority)
    except ValueProblem as problem:
        raise ValueProblem(f"--priority: {problem}") from problem


def renew_command(
    url: UrlOption,
    publication: PublicationOption = None,
    existing_rows: Annotated[
        ExistingRows, typer.Option(help="Rows of new tables that are there: refuse or insert.")
    ] = ExistingRows.REFUSE,
    dry_run: DryRunOption = False,
    project_dir: ProjectOption = Path(),
) -> None:
    """Capture columns, types and tables that came since `install`: makes the triggers anew."""
    with problems_in_one_line():
        chosen = chosen_publication(project_dir, publication)
        done = renew(open_database(url), chosen, existing_rows, is_trial=dry_run)
    rows = f", {counted(done.inserted_rows, 'row')} queued as inserts" if done.inserted_rows else ""
    verb = "would be" if dry_run else "are"
    typer.echo(
        f"The triggers of {counted(len(chosen.articles), 'table')} of {chosen.name} {verb} made"
        f" anew{rows}."
    )
    for name, columns in done.added.items():
        typer.echo(f"New in {name}: {', '.join(columns)}.")
    for name, columns in done.widened.items():
        typer.echo(f"Of another type in {name}: {', '.join(columns)}.")


def upload_command(
    url: UrlOption,
    publication: PublicationOption = None,
    most: Annotated[
        int,
        typer.Option(min=1, help="Queued updating: about how many changes enter the feed at once."),
    ] = CHANGES_AT_ONCE,
    feeds: FeedsOption = "feeds",
    project_dir: ProjectOption = Path(),
    profiles_dir: ProfilesOption = None,
    target: TargetOption = None,
) -> None:
    """Move committed changes to the change feed, exactly once and in order."""
    console = plain_console()
    with problems_in_one_line():
        chosen = chosen_publication(project_dir, publication)
        published = schema_of_builds(project_dir, profiles_dir, target)
        relations = Relations(published, feeds)
        engine = open_database(url)
        check_is_installed(engine, chosen)
        feed = LakehouseFeed(spark_of(project_dir, profiles_dir, target), relations, chosen)
        with Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_interactive,
        ) as progress:
            task = progress.add_task(chosen.name, total=None)

            def tell(moved: Uploaded) -> None:
                progress.update(task, description=f"{chosen.name}: {_said(moved)}")

            done = upload(engine, chosen, feed, most, tell)
        if not done.batches:
            check_is_not_set_back(engine, chosen, feed)
        # also where nothing waited: an article may have got a column
        feed.prepare()
    typer.echo(f"In the feed: {_said(done)}.")


def _said(moved: Uploaded) -> str:
    return f"{counted(moved.changes, 'change')} in {counted(moved.batches, 'batch', 'batches')}"


def remove_command(
    url: UrlOption,
    publication: PublicationOption = None,
    discard: Annotated[
        bool, typer.Option("--discard", help="Also when changes wait for their upload.")
    ] = False,
    dry_run: DryRunOption = False,
    project_dir: ProjectOption = Path(),
) -> None:
    """Take away what `install` has put there: the tables are as they were."""
    with problems_in_one_line():
        chosen = chosen_publication(project_dir, publication)
        lost = remove(open_database(url), chosen, is_discarding=discard, is_trial=dry_run)
    verb = "would be" if dry_run else "are"
    waiting = f" Dropped: {counted(lost, 'change')} that waited." if lost else ""
    typer.echo(f"The tables of {chosen.name} {verb} as they were.{waiting}")


class TextDialect(Enum):
    """Databases for which there is text only."""

    TSQL = "tsql"
    MYSQL = "mysql"


def ddl_command(
    node: Annotated[str, typer.Option(help="The subscriber's name, or the publisher's.")],
    dialect: Annotated[TextDialect, typer.Option(help="SQL Server or MySQL.")],
    publication: PublicationOption = None,
    project_dir: ProjectOption = Path(),
) -> None:
    """Print capture for SQL Server or MySQL as text. Not tested on a server."""
    with problems_in_one_line():
        chosen = chosen_publication(project_dir, publication)
        check_node(node, chosen.options.publisher)
    if chosen.is_merge:
        stop(f"publication '{chosen.name}': capture of merge replication is not written as text")
    typer.echo(script(chosen, node, dialect.value).text())
