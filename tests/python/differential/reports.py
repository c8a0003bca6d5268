"""What subscribers refuse and people decide in a case, with the names that the builds have for it.

A generated case names commands and conflicts as the sequential reader does.  A reader that is as
far as the builds knows which ones are meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from replication_conflicts.publication.publication import Publication
from replication_conflicts.simulation import Refusal
from tests.python.sequential_reader import (
    ApplyError,
    Conflict,
    ConflictDecision,
    SequentialReader,
)

Record = Mapping[str, Any]


def refusal(
    reader: SequentialReader, told: Iterable[Record], error: ApplyError
) -> tuple[Refusal, int]:
    """A refused command and the place of its report; `told`: what the builds told the subscriber.

    Raises LookupError where the builds have told it something else than the reader.
    """
    commands = [one.command_id for one in reader.subscriber_commands(error.subscriber)]
    found = Refusal(
        subscriber=error.subscriber,
        command_id=list(told)[commands.index(error.command_id)]["command_id"],
        article=error.article,
        key=error.key,
        operation=error.operation,
        error_code=error.error_code,
        error_text=f"refused with {error.error_code}",
        row=error.row,
    )
    return found, error.position


def decision(
    reader: SequentialReader,
    publication: Publication,
    recorded: Iterable[Record],
    wanted: ConflictDecision,
) -> dict[str, object] | None:
    """A row of `conflict_decisions`; None where the conflict is settled already.

    `recorded`: the builds' `conflicts_info`. Raises LookupError where the conflict is not there.
    """
    conflict = reader.journal.latest_conflict(wanted.article, wanted.key, wanted.loser)
    if conflict is None:
        return None
    columns = publication.articles[wanted.article].columns
    edited = {name: columns[name].to_text(value) for name, value in (wanted.edited or {}).items()}
    return {
        "conflict_id": _conflict_id(publication, recorded, conflict),
        "decision": wanted.decision,
        "edited": edited or None,
        "author": "somebody",
        "reason": "generated",
        "queue_position": wanted.position,
    }


def _conflict_id(publication: Publication, recorded: Iterable[Record], conflict: Conflict) -> str:
    key = publication.articles[conflict.article].key_text(conflict.key)
    identity = (conflict.article, key, conflict.kind, conflict.transaction_id)
    parties = (conflict.loser_change_id, conflict.winner_change_id)
    names = ("article", "row_key", "conflict_kind", "transaction_id")
    parts = ("loser_change_id", "winner_change_id")
    found = [
        str(record["conflict_id"])
        for record in recorded
        if tuple(record[name] for name in names) == identity
        and tuple(record[name] for name in parts) == parties
    ]
    if not found:
        raise LookupError(f"the builds have no conflict {identity} {parties}")
    return found[-1]
