"""Replacing a subscriber's tables by a snapshot, all of them in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database import agent_tables
from replication_conflicts.database.constraints import defer_constraints
from replication_conflicts.database.faults import Fault, error_text, fault_of
from replication_conflicts.database.images import quoted
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.distribution.apply import AgentProblem, Node
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


def let_nobody_write(connection: Connection, node: Node) -> None:
    """SQLite has let nobody else write since the transaction began."""
    if connection.dialect.name == "postgresql":
        names = ", ".join(quoted(name) for name in node.publication.articles)
        run_plain(connection, f"lock table {names} in exclusive mode")


def check_is_free(connection: Connection, node: Node, *, is_replacing: bool) -> None:
    """Errors: AgentProblem where the first snapshot would destroy what people have made.

    `is_replacing`: somebody has said that the rows go; their changes that wait never do.
    """
    pending = node.capture.pending(connection)
    if pending:
        raise AgentProblem(
            f"changes wait for their upload ({_said(pending)}), and the first rows would replace"
            " them: `capture upload` first, or `capture remove --discard`"
        )
    if is_replacing or node.capture.awaits_snapshot(connection):
        return
    held = held_rows(connection, node)
    if held:
        raise AgentProblem(
            f"the tables have rows ({_said(held)}), which the first rows would replace:"
            " --replace-rows, if that is meant"
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
    for article in reversed(list(node.publication.articles.values())):
        with naming(f"the rows of {article.name} cannot be replaced"):
            run_plain(connection, f"delete from {quoted(article.name)}")
    count = 0
    for chunk in in_chunks(rows):
        _insert(connection, node.tables, chunk)
        node.capture.took(connection, chunk)
        count += len(chunk)
    return count


def _insert(connection: Connection, tables: Tables, rows: Sequence[SnapshotRow]) -> None:
    """All at once, or one after the other to find the one that is refused."""
    table = tables[rows[0].article]
    statement = table.statement("insert")
    values = [statement.values({**table.bound(one.row), NEW_VERSION: one.version}) for one in rows]
    try:
        with connection.begin_nested():
            connection.execute(statement.clause, values)
    except DBAPIError as error:
        if fault_of(error) is not Fault.REFUSED:
            raise
        for row, given in zip(rows, values, strict=True):
            key = {name: row.row.get(name) for name in table.article.shape.primary_key}
            with naming(f"the snapshot's row {_said(key)} of {row.article} is refused"):
                connection.execute(statement.clause, [given])


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Errors: AgentProblem with these words, where the database refuses something."""
    try:
        yield
    except DBAPIError as error:
        if fault_of(error) is not Fault.REFUSED:
            raise
        raise AgentProblem(f"{what}: {error_text(error)}") from error


def _said(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def in_chunks(rows: Iterable[SnapshotRow]) -> Iterator[list[SnapshotRow]]:
    """Rows of one article each."""
    remaining = iter(rows)
    held_over: list[SnapshotRow] = []
    while chunk := held_over + list(islice(remaining, _ROWS_AT_ONCE - len(held_over))):
        article = chunk[0].article
        same = next((i for i, one in enumerate(chunk) if one.article != article), len(chunk))
        yield chunk[:same]
        held_over = chunk[same:]
