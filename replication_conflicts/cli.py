"""The console command ``replication-conflicts``.

Every sub package with a module ``console`` adds its commands: ``register(app)`` in that module.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil

import typer

import replication_conflicts

app = typer.Typer(
    help="Conflict detection and resolution for replication, on dbt and Spark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _register_commands() -> None:
    for package in pkgutil.iter_modules(replication_conflicts.__path__):
        name = f"{replication_conflicts.__name__}.{package.name}.console"
        if package.ispkg and importlib.util.find_spec(name) is not None:
            importlib.import_module(name).register(app)


_register_commands()
