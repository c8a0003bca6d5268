"""Databases of nodes for tests: SQLite in a folder, PostgreSQL on a server of one's own."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text

from replication_conflicts.database.engine import open_database
from replication_conflicts.database.local_postgres import LocalPostgres
from replication_conflicts.demo.databases import NodeRows as Rows
from replication_conflicts.demo.databases import all_rows, column_type, create_tables

VERSION = "row_version"

__all__ = [
    "VERSION",
    "Databases",
    "Rows",
    "all_rows",
    "column_type",
    "create_tables",
    "postgres_databases",
    "publications",
    "sqlite_databases",
]


@dataclass(frozen=True)
class Databases:
    """Makes empty databases of one kind."""

    kind: str
    make_url: Callable[[str], str]
    server: LocalPostgres | None = None

    def make(self, name: str) -> str:
        """The URL of a new database."""
        return self.make_url(name)


def sqlite_databases(folder: Path) -> Databases:
    """Databases that are files of a folder."""

    def make(name: str) -> str:
        file = folder / f"{name}.db"
        file.touch()
        return f"sqlite:///{file}"

    return Databases("sqlite", make)


def postgres_databases(server: LocalPostgres) -> Databases:
    """Databases of a server; each has a name of its own there."""

    def make(name: str) -> str:
        unique = f"{name}_{secrets.token_hex(4)}".lower()
        engine = open_database(server.url())
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(f"create database {unique}"))
        engine.dispose()
        return server.url(unique)

    return Databases("postgres", make, server)


def publications(articles: Mapping[str, Any], **options: Any) -> dict[str, Any]:
    """vars: publications: with one publication, `shop`."""
    return {
        "shop": {"replication": "queued", "publisher": "HQ", "articles": dict(articles), **options}
    }
