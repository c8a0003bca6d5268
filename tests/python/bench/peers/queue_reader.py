"""Peer 4: the documented system's way, a queue reader that takes one change at a time.

On PostgreSQL: one transaction of the queue is one transaction of the database, every row's version
is checked by the statement that writes it, and what loses gets conflict rows.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol

import psycopg
from sqlalchemy.engine import make_url

from tests.python.bench.workload import COLUMNS

_TYPES = {
    "string": "text",
    "int": "integer",
    "bigint": "bigint",
    "decimal(12,2)": "decimal(12,2)",
    "timestamp": "timestamp",
}
_KEY = next(iter(COLUMNS))
_OWN = ", ".join(f"{name} {_TYPES[kind]}" for name, kind in COLUMNS.items())
QUEUE_COLUMNS = ("queue_position", "transaction_id", "operation", "old_version", "new_version")

_TABLES = f"""
    create table item ({_OWN}, row_version text not null, primary key ({_KEY}));
    create table queue (
        queue_position bigint primary key, transaction_id text, operation text, old_version text,
        new_version text, {_OWN}
    );
    create table conflict_item (
        conflict_id bigint generated always as identity, {_OWN}, queue_position bigint,
        conflict_kind text
    );
    create table outcome (
        queue_position bigint primary key, outcome text not null, held_version text
    );
    create table progress (queue_position bigint not null);
    insert into progress values (0);
"""

_SETTERS = ", ".join(f"{name} = %({name})s" for name in COLUMNS if name != _KEY)
_NAMES = ", ".join(COLUMNS)
_VALUES = ", ".join(f"%({name})s" for name in COLUMNS)

# each writes one row if its version is the one that the change was made on, and else none
_APPLY = {
    "update": f"update item set {_SETTERS}, row_version = %(new_version)s"
    f" where {_KEY} = %({_KEY})s and row_version = %(old_version)s",
    "insert": f"insert into item ({_NAMES}, row_version) values ({_VALUES}, %(new_version)s)"
    f" on conflict do nothing",
    "delete": f"delete from item where {_KEY} = %({_KEY})s and row_version = %(old_version)s",
}
_OUTCOME = (
    "insert into outcome (queue_position, outcome, held_version)"
    " values (%(queue_position)s, %(outcome)s, %(held_version)s)"
)
_CONFLICT = (
    f"insert into conflict_item ({_NAMES}, queue_position, conflict_kind)"
    f" values ({_VALUES}, %(queue_position)s, %(conflict_kind)s)"
)
_PROGRESS = "update progress set queue_position = %(queue_position)s"

Change = dict[str, Any]


class Exports(Protocol):
    """What the reader asks of the project whose rows and changes it takes over."""

    @property
    def versions(self) -> str:
        """The published rows, tombstones included."""

    def new_changes(self, most: int) -> str:
        """A query of the first changes of what arrived last."""

    def export(self, query: str, folder: Path) -> list[Path]:
        """What a query gives as CSV files without a header."""


class QueueReader:
    """A reader of its own database, which holds the published rows and the queue."""

    def __init__(self, url: str) -> None:
        parts = make_url(url).set(drivername="postgresql")
        self._address = parts.render_as_string(hide_password=False)
        with self._connection() as connection:
            connection.execute(_TABLES)

    def take(self, product: Exports, changes: int) -> None:
        """Take over the published rows, and the first changes of what has just arrived."""
        rows = ", ".join([*COLUMNS, "row_version"])
        query = f"select {rows} from {product.versions} where not is_deleted"
        self._load("item", rows, product, query)
        queue = ", ".join([*QUEUE_COLUMNS, *COLUMNS])
        query = f"select {queue} from ({product.new_changes(changes)})"
        self._load("queue", queue, product, query)

    def run(self) -> tuple[float, Counter[str]]:
        """Take everything in the queue; the seconds, and how many changes came out how."""
        counts: Counter[str] = Counter()
        with closing(self._connection()) as reading, closing(self._connection()) as writing:
            started = time.monotonic()
            for changes in _transactions(reading):
                counts[_decide(writing, changes)] += len(changes)
            seconds = time.monotonic() - started
        return seconds, counts

    def _load(self, table: str, columns: str, product: Exports, query: str) -> None:
        with tempfile.TemporaryDirectory() as folder, self._connection() as connection:
            for file in product.export(query, Path(folder) / table):
                _copy(connection, file, f"copy {table} ({columns}) from stdin with (format csv)")
        with self._connection() as connection:
            connection.autocommit = True
            connection.execute(f"vacuum analyze {table}")

    def _connection(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._address)


def _copy(connection: psycopg.Connection[Any], file: Path, statement: str) -> None:
    with connection.cursor().copy(statement) as copy, file.open("rb") as source:
        while block := source.read(1 << 20):
            copy.write(block)


def _transactions(connection: psycopg.Connection[Any]) -> Iterator[list[Change]]:
    """The queue's transactions, in order."""
    with connection.cursor(name="queue", row_factory=psycopg.rows.dict_row) as cursor:
        cursor.itersize = 10_000
        cursor.execute("select * from queue order by queue_position")
        for _, changes in groupby(cursor, itemgetter("transaction_id")):
            yield list(changes)


def _decide(connection: psycopg.Connection[Any], changes: list[Change]) -> str:
    """Apply a transaction of the queue, or record it as rejected; which of both."""
    try:
        with connection.transaction():
            for change in changes:
                if connection.execute(_APPLY[change["operation"]], change).rowcount == 0:
                    raise _Rejected(change)
            _record_outcomes(connection, changes, "applied")
    except _Rejected as rejection:
        with connection.transaction():
            _record_conflicts(connection, changes, rejection.change)
            _record_outcomes(connection, changes, "rejected")
        return "rejected"
    return "applied"


def _record_outcomes(
    connection: psycopg.Connection[Any], changes: list[Change], outcome: str
) -> None:
    for change in changes:
        held = change["old_version"] if outcome == "applied" else None
        connection.execute(_OUTCOME, {**change, "outcome": outcome, "held_version": held})
    connection.execute(_PROGRESS, changes[-1])


def _record_conflicts(
    connection: psycopg.Connection[Any], changes: list[Change], culprit: Change
) -> None:
    for change in changes:
        if change["operation"] != "delete":
            kind = "update_update" if change is culprit else "condemned"
            connection.execute(_CONFLICT, {**change, "conflict_kind": kind})


class _Rejected(Exception):
    """A change was not made on the row that is held."""

    def __init__(self, change: Change) -> None:
        super().__init__()
        self.change = change
