"""The command `replication-conflicts cluster`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from replication_conflicts.cluster.compare import Compared, PlayFailed, play_on_both
from replication_conflicts.cluster.standalone import ClusterProblem
from replication_conflicts.console.options import plain_console
from replication_conflicts.environment import folders


def register(app: typer.Typer) -> None:
    """Add this module's command to the console command."""
    app.command()(cluster)


def cluster(
    transactions: Annotated[
        int, typer.Option(min=1, help="How many transactions people make in the demo.")
    ] = 1_000,
    folder: Annotated[
        Path | None, typer.Option(help="Folder of both warehouses; default: .local/cluster.")
    ] = None,
) -> None:
    """Play the demo, and its feeds on a Spark standalone cluster of this machine; compare both.

    A master and two workers are started on loopback, and stopped at the end.
    """
    console = plain_console()
    started = time.monotonic()

    def report(line: str) -> None:
        console.print(f"{time.monotonic() - started:5.0f} s  {line}", soft_wrap=True)

    place = folder or folders.local_folder() / "cluster"
    try:
        relations = play_on_both(place.resolve(), transactions, report)
    except (PlayFailed, ClusterProblem) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from error
    _print(console, relations)
    if not all(one.is_equal for one in relations):
        raise typer.Exit(1)


def _print(console: Console, relations: list[Compared]) -> None:
    table = Table(title="Local and cluster", title_justify="left", title_style="bold")
    table.add_column("relation")
    table.add_column("rows", justify="right")
    table.add_column("")
    for one in relations:
        table.add_row(one.name, f"{one.rows:,}", "equal" if one.is_equal else "differs")
    console.print(table)
    for one in relations:
        for side, lines in (("local", one.only_local), ("cluster", one.only_cluster)):
            for line in lines:
                console.print(f"{one.name}, only {side}: {line}", soft_wrap=True)
    equal = sum(one.is_equal for one in relations)
    console.print(f"{equal} of {len(relations)} relations equal")
