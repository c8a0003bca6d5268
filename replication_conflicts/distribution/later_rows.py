"""The initial rows of articles that come while a subscriber has rows of others."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from replication_conflicts.distribution.apply import AgentProblem, Node, said
from replication_conflicts.distribution.snapshot import in_chunks
from replication_conflicts.distribution.trial import Trial
from replication_conflicts.publication.commands import BEFORE_QUEUE, REPLICATED, AgentCommand
from replication_conflicts.publication.rows import SnapshotRow


def add_rows(connection: Connection, node: Node, rows: Iterable[SnapshotRow]) -> int:
    """Insert rows as commands would, where there is none of their key; the number of rows.

    People may have written to the tables already, and what they wrote goes up. The rows come
    article by article, parents first. Errors: AgentProblem, naming a row that the database refuses.
    """
    trial = Trial(connection, node, ())
    for chunk in in_chunks(rows):
        trial.take([_as_command(node, row) for row in chunk])
    refused = [*trial.refusals, *trial.waiting]
    if refused:
        raise AgentProblem(
            f"the initial row {said(refused[0].key)} of {refused[0].article} is refused:"
            f" {refused[0].error_text}"
        )
    return trial.changed


def _as_command(node: Node, row: SnapshotRow) -> AgentCommand:
    key = {name: row.row[name] for name in node.tables[row.article].article.shape.primary_key}
    return AgentCommand(
        command_id=f"initial/{row.article}/{said(key)}",
        kind=REPLICATED,
        queue_position=BEFORE_QUEUE,
        article=row.article,
        operation="insert",
        key=key,
        row=row.row,
        new_version=row.version,
        lineage=row.lineage,
    )
