"""What commands do to a subscriber's database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.captured import CaptureState, NoCapture
from replication_conflicts.database.catalog import column_names
from replication_conflicts.database.faults import (
    MISSING_OBJECT,
    Fault,
    error_code,
    error_text,
    fault_of,
    is_decided_by_other_rows,
)
from replication_conflicts.database.statements import Tables
from replication_conflicts.distribution import reports
from replication_conflicts.distribution.ports import Refusal
from replication_conflicts.publication.commands import LOG_CONFLICT, AgentCommand
from replication_conflicts.publication.values import Texts


class AgentProblem(Exception):
    """The agent cannot go on; the message says why in one line."""


@dataclass(frozen=True)
class Node:
    """Whose commands go where: a subscriber of a publication, and its database's tables."""

    publication: NodePublication
    name: str
    tables: Tables
    capture: CaptureState = field(default_factory=NoCapture)


def check_columns(connection: Connection, node: Node) -> None:
    """Errors: AgentProblem where commands would find no row, and nobody would be told.

    A name in double quotes that is no column's is a text to SQLite: where a column by which rows
    are found is gone, nothing is refused.
    """
    if connection.dialect.name != "sqlite":
        return
    for article in node.publication.articles.values():
        shape = article.shape
        _check_has(connection, article, (*shape.primary_key, shape.version_column))


def _check_has(connection: Connection, article: NodeArticle, columns: Iterable[str]) -> None:
    """Errors: AgentProblem where a table is there without these columns."""
    # SQLite takes small letters for large ones
    held = {name.lower() for name in column_names(connection, article.name)}
    missing = [name for name in columns if name.lower() not in held]
    if held and missing:
        raise AgentProblem(
            f"table {article.name!r} has no column {', '.join(missing)}: add it, or give it back"
            " its name"
        )


def apply(connection: Connection, node: Node, commands: Sequence[AgentCommand]) -> int:
    """Carry out commands in their order; the number of rows that changed."""
    changed = node.tables.carry_out(connection, (c for c in commands if c.changes_a_row))
    records = [command for command in commands if command.kind == LOG_CONFLICT]
    if records:
        reports.log_conflicts(connection, node.publication.name, records)
    node.capture.applied(connection, commands)
    return changed


def refusal(
    connection: Connection, node: Node, command: AgentCommand, error: DBAPIError
) -> Refusal:
    """The report about a refused command, with the row as the database holds it.

    Errors: AgentProblem where it holds one that cannot be read, and where it has not what any row
    needs: the publisher would undo there what is only not possible here.
    """
    assert command.article is not None
    assert command.key is not None
    if error_code(error) == MISSING_OBJECT:
        article = node.publication.article(command.article)
        if not column_names(connection, article.name):
            raise AgentProblem(f"there is no table {article.name!r}: make it") from error
        _check_has(connection, article, (*article.kinds, article.shape.version_column))
    try:
        with connection.begin_nested():
            held = node.tables[command.article].held_row(connection, command.key)
    except DBAPIError as problem:
        if fault_of(problem) is not Fault.REFUSED:
            raise
        # a row that is there must not be reported as none: it would be deleted at the publisher
        if _is_there(connection, node, command.article, command.key):
            raise AgentProblem(
                f"a command about the row {said(command.key)} of {command.article} is refused"
                f" ({error_text(error)}), and the row cannot be read: {error_text(problem)}"
            ) from problem
        held = None
    return Refusal(
        subscriber=node.name,
        command_id=command.command_id,
        article=command.article,
        key=dict(command.key),
        operation=command.operation or "",
        error_code=error_code(error),
        error_text=error_text(error),
        row=held,
    )


def _is_there(connection: Connection, node: Node, article: str, key: Texts) -> bool:
    """Whether there is a row; no row has a key that none could have."""
    try:
        with connection.begin_nested():
            return node.tables[article].is_held(connection, key)
    except DBAPIError as error:
        if fault_of(error) is not Fault.REFUSED:
            raise
        return False


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Errors: AgentProblem with these words, where the database refuses something."""
    try:
        yield
    except DBAPIError as error:
        if fault_of(error) is not Fault.REFUSED:
            raise
        raise AgentProblem(f"{what}: {error_text(error)}") from error


def refused_for_now(problem: AgentProblem) -> DBAPIError | None:
    """What the database has said, where the problem is other rows, which may yet come or go."""
    error = problem.__cause__
    return error if isinstance(error, DBAPIError) and is_decided_by_other_rows(error) else None


def said(values: Mapping[str, object]) -> str:
    """Names with their values, for a message."""
    return ", ".join(f"{name} {value}" for name, value in values.items())
