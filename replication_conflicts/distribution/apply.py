"""What commands do to a subscriber's database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.database.captured import CaptureState, NoCapture
from replication_conflicts.database.faults import Fault, error_code, error_text, fault_of
from replication_conflicts.database.statements import Tables
from replication_conflicts.distribution import reports
from replication_conflicts.distribution.ports import Refusal
from replication_conflicts.publication.commands import LOG_CONFLICT, AgentCommand


class AgentProblem(Exception):
    """The agent cannot go on; the message says why in one line."""


@dataclass(frozen=True)
class Node:
    """Whose commands go where: a subscriber of a publication, and its database's tables."""

    publication: NodePublication
    name: str
    tables: Tables
    capture: CaptureState = field(default_factory=NoCapture)


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
    """The report about a refused command, with the row as the database holds it."""
    assert command.article is not None
    assert command.key is not None
    try:
        with connection.begin_nested():
            held = node.tables[command.article].held_row(connection, command.key)
    except DBAPIError as missing:
        # where the table itself is missing there is no row to report
        if fault_of(missing) is not Fault.REFUSED:
            raise
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
