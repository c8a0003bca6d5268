"""Version numbers of merge replication at a database that starts with a snapshot."""

from __future__ import annotations

from typing import Any

from replication_conflicts.capture.install import install
from replication_conflicts.capture.state import capture_state
from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.engine import dialect_of, open_database
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.distribution.agent import Agent, Ports
from replication_conflicts.distribution.apply import Node
from replication_conflicts.publication.rows import SnapshotRow
from tests.python.nodes_loop.databases import Databases, create_tables, publications
from tests.python.nodes_loop.standins import Lists

ARTICLES: dict[str, Any] = {
    "item": {
        "columns": {"id": "int", "name": "string", "count": "int"},
        "primary_key": ["id"],
    }
}
PUBLICATION = node_publication("shop", publications(ARTICLES, replication="merge"))


def test_a_new_database_counts_on_behind_the_numbers_of_its_snapshot(databases: Databases) -> None:
    """Every node knows `north:57`, so that the row's next version is a later one."""
    engine = open_database(databases.make("north"))
    create_tables(engine, PUBLICATION, with_version=False)
    install(engine, PUBLICATION, "north")
    rows = Tables(PUBLICATION, dialect_of(engine))
    node = Node(PUBLICATION, "north", rows, capture_state(engine, "north", rows))
    known = {"1": {"north": 57}, "2": {"HQ": 90}, "3": {"north": 12}}
    lists = Lists(
        initial=[
            SnapshotRow("item", {"id": one, "name": "a", "count": None}, f"v{one}", lineage)
            for one, lineage in known.items()
        ]
    )
    agent = Agent(engine, node, Ports(lists, lists, lists))
    agent.prepare()
    agent.initialize()
    with engine.begin() as connection:
        run_plain(connection, "update item set name = 'b' where id = 1")
        found = run_plain(connection, "select row_version from item where id = 1").scalar()
    assert found == "north:58"
