"""Replacing a subscriber's tables by a snapshot, all of them in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from sqlalchemy import Connection

from replication_conflicts.distribution.images import quoted
from replication_conflicts.distribution.ports import CaptureState, SnapshotRow
from replication_conflicts.distribution.statements import Tables
from replication_conflicts.statements import NEW_VERSION

_ROWS_AT_ONCE = 1_000


def replace_rows(
    connection: Connection,
    tables: Tables,
    capture: CaptureState,
    rows: Iterable[SnapshotRow],
    tell: Callable[[int], None] = lambda _: None,
) -> int:
    """Make the tables exactly these rows; the number of rows.

    The rows come article by article, parents first. `tell` is told of every thousand.
    """
    capture.started_over(connection)
    for article in reversed(list(tables.publication.articles.values())):
        connection.exec_driver_sql(f"delete from {quoted(article.name)}")
    count = 0
    for chunk in in_chunks(rows):
        table = tables[chunk[0].article]
        statement = table.statement("insert")
        values = [
            statement.values({**table.bound(one.row), NEW_VERSION: one.version}) for one in chunk
        ]
        connection.execute(statement.clause, values)
        capture.took(connection, chunk)
        count += len(chunk)
        tell(count)
    return count


def in_chunks(rows: Iterable[SnapshotRow]) -> Iterator[list[SnapshotRow]]:
    """Rows of one article each."""
    remaining = iter(rows)
    held_over: list[SnapshotRow] = []
    while chunk := held_over + list(islice(remaining, _ROWS_AT_ONCE - len(held_over))):
        article = chunk[0].article
        same = next((i for i, one in enumerate(chunk) if one.article != article), len(chunk))
        yield chunk[:same]
        held_over = chunk[same:]
