"""The example of docs/behavior.md: simulated nodes and the sequential reader do what its table
says, and what it says would have come otherwise.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from replication_conflicts.publication.publication import publication_from_vars
from replication_conflicts.simulation import (
    Node,
    Queue,
    initial_rows,
    publisher_node,
    subscriber_node,
)
from tests.python.documented_cases import node_command, stored_row
from tests.python.repository import REPOSITORY
from tests.python.sequential_reader import SequentialReader

BEGIN = datetime(2026, 3, 1, tzinfo=timezone.utc)
SUBSCRIPTIONS: dict[str, dict[str, Any]] = {
    "B": {"type": "server", "priority": 75},
    "C": {"type": "server", "priority": 50},
    "D": {"type": "client"},
}
CONFIGURATION: dict[str, Any] = {
    "replication": "merge",
    "publisher": "A",
    "articles": {
        "region": {
            "columns": {"row_id": "int", "value": "string"},
            "primary_key": ["row_id"],
            "initial_snapshot": True,
        }
    },
}
EVERYBODY: list[tuple[str, str | None]] = [("B", None), ("C", None), ("D", None)]
# by step of the table: a node writes a value, or synchronizes (None)
STEPS: list[list[tuple[str, str | None]]] = [
    [],
    [("A", "Texas"), ("B", "New Jersey")],
    EVERYBODY,
    [("C", "North Carolina"), ("C", None), ("B", "Idaho")],
    EVERYBODY,
    [("D", "New Mexico"), ("D", None), ("B", "California")],
    EVERYBODY,
]


class Example:
    """The publisher, three subscribers and one row."""

    def __init__(self) -> None:
        publication = publication_from_vars("regions", CONFIGURATION)
        self.queue = Queue()
        publisher = publisher_node(publication, self.queue)
        first = initial_rows(
            publication, {"region": [{"row_id": 1, "value": "Nebraska"}]}, publisher.identity
        )
        self.nodes: dict[str, Node] = {"A": publisher}
        for name, options in SUBSCRIPTIONS.items():
            self.nodes[name] = subscriber_node(publication, name, options)
        for node in self.nodes.values():
            node.reset(first)
        initial = [{**row.row, "row_version": row.version} for row in first]
        self.reader = SequentialReader("regions", CONFIGURATION, SUBSCRIPTIONS, {"region": initial})
        self.clock = BEGIN

    def write(self, name: str, value: str) -> None:
        """Somebody changes the row."""
        self.clock += timedelta(minutes=1)
        self.nodes[name].update("region", {"row_id": 1, "value": value}, self.clock)

    def synchronize(self, name: str) -> None:
        """A node uploads, the publisher decides, the node downloads."""
        self.queue.put(self.nodes[name].upload())
        self.reader.run([(row.article, dict(row.values)) for row in self.queue.deliver()])
        self.nodes["A"].reset(
            stored_row("region", held) for held in self.reader.rows["region"].values()
        )
        commands = self.reader.subscriber_commands(name)
        self.nodes[name].apply(node_command(command) for command in commands)

    def values(self) -> list[str]:
        """What every node holds."""
        return [str(node.rows("region")[0]["value"]) for node in self.nodes.values()]

    def conflicts(self) -> list[str]:
        """Every conflict, in the words of the document."""
        return [
            f"{one.loser_node} lost `{(one.lost or {})['value']}` against {one.winner_node}"
            for one in self.reader.conflicts
        ]


def documented_rows() -> list[list[str]]:
    """The rows of the document's table, without the steps."""
    text = (REPOSITORY / "docs" / "behavior.md").read_text(encoding="utf-8")
    section = text.split("\n### An example\n")[1].split("\n### ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.split("|")[2:-1]] for line in lines]


def test_the_table_is_what_happens() -> None:
    example = Example()
    found: list[list[str]] = []
    known = 0
    for step in STEPS:
        for name, value in step:
            if value is None:
                example.synchronize(name)
            else:
                example.write(name, value)
        new = example.conflicts()[known:]
        known += len(new)
        found.append([*example.values(), "; ".join(new)])
    assert found == documented_rows()


@pytest.mark.parametrize(("writer", "order"), [("D", "BD"), ("C", "CB")])
def test_what_would_have_come_otherwise(writer: str, order: str) -> None:
    example = Example()
    example.write(writer, "New Mexico")
    example.write("B", "California")
    for name in (*order, "B", "C", "D"):
        example.synchronize(name)
    assert set(example.values()) == {"California"}
    assert example.conflicts() == [f"{writer} lost `New Mexico` against B"]
