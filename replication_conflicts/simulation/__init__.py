"""Simulated nodes: publishers and subscribers that hold rows, change them and apply commands.

They stand in for the databases of a publication in scenarios, workloads and tests. A node knows
nothing of how conflicts are decided: it sends feed rows and obeys commands.

``node``         what all nodes have in common
``queued``       nodes of queued updating
``merge``        nodes of merge replication
``net_changes``  what several changes of a row come to, and what was uploaded of them
``records``      logical records at a node
``commands``     commands with typed values
``queue``        what has been uploaded, and the counters behind ids and versions
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from replication_conflicts.publication.publication import DEFAULT_PRIORITY, Publication
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.simulation.commands import Command, command_from_record
from replication_conflicts.simulation.merge import MergeNode
from replication_conflicts.simulation.node import (
    Change,
    ChangeReference,
    Held,
    ImpossibleChange,
    Node,
    Refusal,
)
from replication_conflicts.simulation.queue import Identity, Positions, Queue
from replication_conflicts.simulation.queued import QueuedNode


def publisher_node(
    publication: Publication, queue: Queue, identity: Identity | None = None
) -> Node:
    """The publisher: its changes enter the queue at the moment when they are made."""
    kind = MergeNode if publication.is_merge else QueuedNode
    return kind(publication.publisher, publication, outlet=queue, identity=identity)


def subscriber_node(
    publication: Publication, name: str, subscription: Mapping[str, object] | None = None
) -> Node:
    """A subscriber; `subscription` holds type and priority, which matter for merge only."""
    if not publication.is_merge:
        return QueuedNode(name, publication)
    return MergeNode(name, publication, priority=stamped_priority(subscription or {}))


def stamped_priority(subscription: Mapping[str, object]) -> Decimal | None:
    """The priority that a subscription's changes carry; None for a client, which has no own."""
    if subscription.get("type", "server") == "client":
        return None
    priority = Decimal(str(subscription.get("priority", DEFAULT_PRIORITY)))
    return priority.quantize(Decimal("0.01"))


def initial_rows(
    publication: Publication,
    rows: Mapping[str, list[Mapping[str, object]]],
    identity: Identity,
) -> list[StoredRow]:
    """Rows that every node holds at the start, each with a version of the publisher's.

    `identity` is the publisher's: its counters give the versions.
    """
    stored = []
    for name, entries in rows.items():
        article = publication.article(name)
        for entry in entries:
            row = article.row(entry)
            if publication.is_merge:
                number = identity.next_number()
                version = f"{publication.publisher}:{number}"
                stored.append(StoredRow(name, row, version, {publication.publisher: number}))
            else:
                stored.append(StoredRow(name, row, identity.next_guid()))
    return stored


__all__ = [
    "Change",
    "ChangeReference",
    "Command",
    "Held",
    "Identity",
    "ImpossibleChange",
    "MergeNode",
    "Node",
    "Positions",
    "Queue",
    "QueuedNode",
    "Refusal",
    "command_from_record",
    "initial_rows",
    "publisher_node",
    "stamped_priority",
    "subscriber_node",
]
