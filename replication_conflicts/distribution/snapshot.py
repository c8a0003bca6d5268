"""Replacing a subscriber's tables by a snapshot, all of them in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database import agent_tables
from replication_conflicts.database.constraints import defer_constraints, may_be_written_anew
from replication_conflicts.database.faults import (
    FOREIGN_KEY_OR_CHECK,
    Fault,
    error_code,
    fault_of,
)
from replication_conflicts.database.images import quoted
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.distribution.apply import (
    AgentProblem,
    Node,
    naming,
    refused_for_now,
    said,
)
from replication_conflicts.distribution.in_place import replace_in_place
from replication_conflicts.publication.rows import SnapshotRow
from replication_conflicts.statements import NEW_VERSION

_ROWS_AT_ONCE = 1_000


def check_is_new(connection: Connection, node: Node) -> None:
    """Errors: AgentProblem where commands or a snapshot have come already."""
    if agent_tables.is_known(connection, node.publication.name, node.name):
        raise AgentProblem(
            f"{node.name} is initialized already; its tables stay as they are. To start anew:"
            " `capture remove` and `capture install`; where nothing is captured, delete its row of"
            " replication_position"
        )


def check_is_free(connection: Connection, node: Node, *, is_replacing: bool) -> None:
    """Errors: AgentProblem where the first snapshot would destroy what people have made.

    `is_replacing`: somebody has said that the rows go; their changes that wait never do.
    """
    pending = node.capture.pending(connection)
    if pending:
        raise AgentProblem(
            f"changes wait for their upload ({said(pending)}), and the first rows would replace"
            " them: `capture upload` first, or `capture remove --discard`"
        )
    if is_replacing or node.capture.awaits_snapshot(connection):
        return
    held = held_rows(connection, node)
    if held:
        raise AgentProblem(
            f"the tables have rows ({said(held)}), which the first rows would replace:"
            " --replace-rows, if that is meant"
        )


def check_no_snapshot_is_awaited(connection: Connection, node: Node) -> None:
    """Errors: AgentProblem where rows without a version are there, which no command would find."""
    if not node.capture.awaits_snapshot(connection):
        return
    held = held_rows(connection, node)
    if held:
        raise AgentProblem(
            f"the tables have rows ({said(held)}), and `install` was told that a snapshot replaces"
            " them: `distribute --initialize` first"
        )


def held_rows(connection: Connection, node: Node) -> dict[str, int]:
    """How many rows there are, by article that has any."""
    counted = {}
    for name in node.publication.articles:
        query = f"select count(*) from {quoted(name)}"
        counted[name] = int(run_plain(connection, query).scalar_one())
    return {name: count for name, count in counted.items() if count}


def replace_rows(connection: Connection, node: Node, rows: Iterable[SnapshotRow]) -> int:
    """Make the tables exactly these rows; the number of rows.

    The rows come article by article, parents first. Errors: AgentProblem, naming the row that the
    database refuses.
    """
    # rows may refer to later ones of their own table, and rows of other tables to what goes first
    defer_constraints(connection)
    node.capture.started_over(connection)
    if not _may_be_written_anew(connection, node):
        return replace_in_place(connection, node, in_chunks(rows))
    for article in reversed(list(node.publication.articles.values())):
        with naming(f"the rows of {article.name} cannot be replaced"):
            run_plain(connection, f"delete from {quoted(article.name)}")
    count = 0
    waiting: list[SnapshotRow] = []
    for chunk in in_chunks(rows):
        waiting = _insert(connection, node.tables, chunk, waiting)
        node.capture.took(connection, chunk)
        count += len(chunk)
    for row in waiting:
        _insert_one(connection, node.tables, row)
    return count


def _may_be_written_anew(connection: Connection, node: Node) -> bool:
    """Whether nothing is lost where all rows go and others come.

    Rows of one table may refer to those of another one, so that it is the same for all of them.
    """
    return all(
        may_be_written_anew(connection, article, node.capture.own_triggers(name))
        for name, article in node.publication.articles.items()
    )


def _insert(
    connection: Connection,
    tables: Tables,
    rows: Sequence[SnapshotRow],
    waiting: Sequence[SnapshotRow],
) -> list[SnapshotRow]:
    """All rows of an article at once, or one after the other to find the one that is refused.

    The answer is what waits, also of earlier rows, for others that it refers to: PostgreSQL checks
    at once what is not deferrable.
    """
    table = tables[rows[0].article]
    statement = table.statement("insert")
    values = [_values(tables, one) for one in rows]
    try:
        with connection.begin_nested():
            connection.execute(statement.clause, values)
        left: list[SnapshotRow] = []
    except DBAPIError as error:
        if fault_of(error) is not Fault.REFUSED:
            raise
        left = [row for row in rows if not _has_come(connection, tables, row)]
    left = [*waiting, *left]
    # the rows of a chain may stand in any order: looked at from both ends, few looks do
    before = None
    while left and len(left) != before:
        before = len(left)
        left = [row for row in reversed(left) if not _has_come(connection, tables, row)]
    return left


def _has_come(connection: Connection, tables: Tables, row: SnapshotRow) -> bool:
    """Insert a row; False where it refers to one that has not come yet."""
    try:
        with connection.begin_nested():
            _insert_one(connection, tables, row)
    except AgentProblem as problem:
        error = refused_for_now(problem)
        if error is None or error_code(error) != FOREIGN_KEY_OR_CHECK:
            raise
        return False
    return True


def _insert_one(connection: Connection, tables: Tables, row: SnapshotRow) -> None:
    table = tables[row.article]
    key = {name: row.row.get(name) for name in table.article.shape.primary_key}
    with naming(f"the snapshot's row {said(key)} of {row.article} is refused"):
        connection.execute(table.statement("insert").clause, [_values(tables, row)])


def _values(tables: Tables, row: SnapshotRow) -> dict[str, object]:
    table = tables[row.article]
    given = {**table.bound(row.row), NEW_VERSION: row.version}
    return table.statement("insert").values(given)


def in_chunks(rows: Iterable[SnapshotRow]) -> Iterator[list[SnapshotRow]]:
    """Rows of one article each."""
    remaining = iter(rows)
    held_over: list[SnapshotRow] = []
    while chunk := held_over + list(islice(remaining, _ROWS_AT_ONCE - len(held_over))):
        article = chunk[0].article
        same = next((i for i, one in enumerate(chunk) if one.article != article), len(chunk))
        yield chunk[:same]
        held_over = chunk[same:]
