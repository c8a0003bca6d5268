"""Databases for these tests: SQLite always, PostgreSQL where TEST_POSTGRES is set."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from replication_conflicts.distribution.local_postgres import LocalPostgres
from tests.python.nodes_loop.databases import Databases, postgres_databases, sqlite_databases

KINDS = ["sqlite", "postgres"] if os.environ.get("TEST_POSTGRES") else ["sqlite"]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[LocalPostgres]:
    """A server of one's own."""
    with LocalPostgres() as server:
        yield server


@pytest.fixture(params=KINDS)
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Databases:
    """Makes databases of each kind."""
    if request.param == "sqlite":
        return sqlite_databases(tmp_path)
    return postgres_databases(request.getfixturevalue("postgres_server"))
