"""Databases for these tests: SQLite always, PostgreSQL where TEST_POSTGRES is set."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from replication_conflicts.database.local_postgres import LocalPostgres
from tests.python.nodes_loop.databases import Databases, postgres_databases, sqlite_databases

KINDS = ["sqlite", "postgres"] if os.environ.get("TEST_POSTGRES") else ["sqlite"]


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """What a killed process has written stays: only a machine that fails needs more."""

    def connected(connection: Any, _: object) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("pragma synchronous = off")

    event.listen(Engine, "connect", connected)
    yield
    event.remove(Engine, "connect", connected)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[LocalPostgres]:
    """A server of one's own."""
    with LocalPostgres(is_durable=False) as server:
        yield server


@pytest.fixture(params=KINDS)
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Databases:
    """Makes databases of each kind."""
    if request.param == "sqlite":
        return sqlite_databases(tmp_path)
    return postgres_databases(request.getfixturevalue("postgres_server"))
