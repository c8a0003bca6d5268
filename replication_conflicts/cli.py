"""The console command ``replication-conflicts``: what the modules of ``console`` register."""

from __future__ import annotations

import inspect
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


def _wrap(commands: typer.Typer) -> None:
    """Paragraphs of help are as wide as the terminal: typer keeps the docstrings' own lines."""
    for command in commands.registered_commands:
        paragraphs = (inspect.getdoc(command.callback) or "").split("\n\n")
        command.help = "\n\n".join(" ".join(one.split()) for one in paragraphs)
    for group in commands.registered_groups:
        if group.typer_instance is not None:
            _wrap(group.typer_instance)


_wrap(app)
