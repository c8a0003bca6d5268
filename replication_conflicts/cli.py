"""The console command ``replication-conflicts``: what the modules of ``console`` register."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import typer

from replication_conflicts.console import (
    capture,
    cluster,
    demo,
    distribute,
    environment,
    query,
    scenarios,
    what_if,
)

# who redirects the output of a long command sees its lines as they come
if isinstance(sys.stdout, TextIOWrapper):
    sys.stdout.reconfigure(line_buffering=True)

app = typer.Typer(
    help="Conflict detection and resolution for replication, on dbt and Spark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

for commands in (capture, cluster, demo, distribute, environment, query, scenarios, what_if):
    commands.register(app)
