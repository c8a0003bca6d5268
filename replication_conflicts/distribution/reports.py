"""Reports of a subscriber: written with the rows that they are about, sent until they arrive."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, Engine, bindparam, select

from replication_conflicts.database import agent_tables
from replication_conflicts.database.images import json_text
from replication_conflicts.distribution.ports import Refusal, Reinitialized, ReportSink
from replication_conflicts.publication.commands import AgentCommand

_AT_ONCE = 1_000


def log_conflicts(
    connection: Connection, publication: str, commands: Sequence[AgentCommand]
) -> None:
    """Keep the records of conflicts that this node lost; one that is there stays."""
    ids = [command.command_id for command in commands]
    known = agent_tables.conflicts.c.command_id
    there: set[str] = set()
    # a statement takes a limited number of parameters
    for start in range(0, len(ids), _AT_ONCE):
        some = known.in_(ids[start : start + _AT_ONCE])
        there.update(connection.execute(select(known).where(some)).scalars())
    now = agent_tables.now_text()
    rows = [
        {
            "command_id": command.command_id,
            "publication": publication,
            "conflict_id": command.cause,
            "article": command.article,
            "row_key": json_text(command.key or {}),
            "lost_row": json_text(command.row),
            "queue_position": command.queue_position,
            "logged_at": now,
        }
        for command in commands
        if command.command_id not in there
    ]
    if rows:
        connection.execute(agent_tables.conflicts.insert(), rows)


def keep_refusals(
    connection: Connection, publication: str, refusals: Sequence[Refusal], is_skipped: bool
) -> None:
    """Keep refused commands for the report: one that is refused again, with its last error.

    It is reported once.
    """
    for refusal in refusals:
        known = agent_tables.refusals.c.command_id == refusal.command_id
        last = {
            "error_code": refusal.error_code,
            "error_text": refusal.error_text,
            "held_row": json_text(refusal.row),
            "is_skipped": is_skipped,
        }
        again = agent_tables.refusals.update().where(known).values(last)
        if connection.execute(again).rowcount:
            continue
        connection.execute(
            agent_tables.refusals.insert(),
            {
                "command_id": refusal.command_id,
                "publication": publication,
                "article": refusal.article,
                "row_key": json_text(refusal.key),
                "operation": refusal.operation,
                **last,
                "is_reported": False,
            },
        )


def keep_event(connection: Connection, publication: str, event: Reinitialized) -> None:
    """Keep the report that a snapshot was taken; one that was taken before is reported again.

    The command to take it comes again where the position was deleted, to start anew.
    """
    events = agent_tables.events
    names = {
        "publication": publication,
        "subscriber": event.subscriber,
        "snapshot_position": event.snapshot_position,
    }
    is_same = [events.c[name] == value for name, value in names.items()]
    if not connection.execute(events.update().where(*is_same).values(is_reported=False)).rowcount:
        connection.execute(
            events.insert(), {**names, "at": event.at.isoformat(), "is_reported": False}
        )


def send(engine: Engine, publication: str, subscriber: str, sink: ReportSink) -> None:
    """Send what has not been reported yet.

    A report is noted as sent only afterwards: after a crash it is sent again, to a sink that
    knows it.
    """
    _send_events(engine, publication, subscriber, sink)
    _send_refusals(engine, publication, subscriber, sink)


def _send_events(engine: Engine, publication: str, subscriber: str, sink: ReportSink) -> None:
    event = agent_tables.events.c
    mine = (event.publication == publication) & (event.subscriber == subscriber)
    unsent = select(agent_tables.events).where(mine, event.is_reported.is_(False))
    with engine.begin() as connection:
        found = connection.execute(unsent.order_by(event.snapshot_position)).mappings().all()
    for row in found:
        position, at = int(row["snapshot_position"]), datetime.fromisoformat(row["at"])
        sink.reinitialized(Reinitialized(subscriber, position, at))
        change = agent_tables.events.update().where(mine, event.snapshot_position == position)
        with engine.begin() as connection:
            connection.execute(change.values(is_reported=True))


def _send_refusals(engine: Engine, publication: str, subscriber: str, sink: ReportSink) -> None:
    refusal = agent_tables.refusals.c
    unsent = (
        select(agent_tables.refusals)
        .where(refusal.publication == publication, refusal.is_reported.is_(False))
        .order_by(refusal.command_id)
        .limit(_AT_ONCE)
    )
    sent = agent_tables.refusals.update().where(refusal.command_id == bindparam("sent_id"))
    while True:
        with engine.begin() as connection:
            found = connection.execute(unsent).mappings().all()
        if not found:
            return
        sink.refused(
            [
                Refusal(
                    subscriber=subscriber,
                    command_id=row["command_id"],
                    article=row["article"],
                    key=json.loads(row["row_key"]),
                    operation=row["operation"],
                    error_code=row["error_code"],
                    error_text=row["error_text"],
                    row=None if row["held_row"] is None else json.loads(row["held_row"]),
                )
                for row in found
            ]
        )
        with engine.begin() as connection:
            connection.execute(
                sent.values(is_reported=True), [{"sent_id": row["command_id"]} for row in found]
            )
