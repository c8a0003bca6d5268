"""What a node of merge replication sends as one session: the order, and rows beside the changed.

The simulated nodes and the capture at a database say the same with what stands here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from replication_conflicts.publication.feed import DELETE, IMAGE


def with_record(
    node: str, lineage: Mapping[str, int], members: Iterable[Mapping[str, int]]
) -> dict[str, int]:
    """A row's lineage as its record's: of every other node the highest number in any member.

    The own entry stays the row's own number: a node knows its own versions.
    """
    known = dict(lineage)
    for member in members:
        for name, number in member.items():
            if name != node:
                known[name] = max(known.get(name, 0), number)
    return known


def image_values(lineage: Mapping[str, int], priority: object) -> dict[str, object]:
    """The contract's columns of a row that is uploaded unchanged, to say what its record is."""
    return {
        "operation": IMAGE,
        "lineage": dict(lineage),
        "changed_columns": [],
        "previous_values": None,
        "priority": priority,
    }


def session_order(operation: str, depth: int) -> tuple[bool, int]:
    """In a session parents go before children, and deletes last, the other way."""
    is_delete = operation == DELETE
    return (is_delete, -depth if is_delete else depth)
