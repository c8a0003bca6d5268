"""Nodes of queued updating: versions, transactions, commands."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from replication_conflicts.publication.publication import Publication, publication_from_vars
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.publication.values import ValueProblem
from replication_conflicts.simulation import (
    Change,
    Command,
    ImpossibleChange,
    Node,
    Queue,
    command_from_record,
    initial_rows,
    publisher_node,
    subscriber_node,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
BOLT = {"item_id": 1, "name": "bolt", "price": "1.00"}


@pytest.fixture
def publication() -> Publication:
    columns = {"item_id": "int", "name": "string", "price": "decimal(10,2)"}
    return publication_from_vars(
        "stock",
        {
            "replication": "queued",
            "publisher": "HQ",
            "articles": {"item": {"columns": columns, "primary_key": ["item_id"]}},
        },
    )


@pytest.fixture
def queue() -> Queue:
    return Queue()


@pytest.fixture
def publisher(publication: Publication, queue: Queue) -> Node:
    node = publisher_node(publication, queue)
    node.reset(initial_rows(publication, {"item": [BOLT]}, node.identity))
    return node


@pytest.fixture
def north(publication: Publication, publisher: Node) -> Node:
    node = subscriber_node(publication, "north")
    held = publisher.held("item", (1,))
    assert held is not None
    node.reset([StoredRow("item", held.row, held.version)])
    return node


def command(publication: Publication, **values: Any) -> Command:
    """A command about item 1, from a record as the pipeline gives it."""
    record = {
        "command_id": f"c{id(values)}",
        "subscriber": "north",
        "kind": "replicated",
        "queue_position": 1,
        "sequence": 1,
        "article": "item",
        "key": {"item_id": "1"},
        "row": {"item_id": "1", "name": "nut", "price": "2.50"},
        **values,
    }
    return command_from_record(publication, record)


def version_of(node: Node) -> str:
    held = node.held("item", (1,))
    assert held is not None
    return held.version


def test_a_change_acts_at_once_and_carries_both_versions(north: Node) -> None:
    before = version_of(north)
    reference = north.update("item", {"item_id": 1, "price": 3}, NOON)
    [row] = north.upload()
    assert row.values["change_id"] == reference.change_id
    assert row.values["old_version"] == before
    assert row.values["new_version"] == version_of(north) != before
    assert row.values["name"] == "bolt"
    assert "queue_position" not in row.values
    assert not north.has_pending


def test_versions_are_the_same_in_every_run(publication: Publication) -> None:
    def versions() -> list[object]:
        node = subscriber_node(publication, "north")
        node.insert("item", {"item_id": 5}, NOON)
        node.delete("item", {"item_id": 5}, NOON)
        return [(row.values["new_version"], row.values["change_id"]) for row in node.upload()]

    assert versions() == versions()


def test_changes_of_a_transaction_build_on_each_other(north: Node) -> None:
    first = version_of(north)
    north.transaction(
        [
            Change("delete", "item", {"item_id": 1}),
            Change("insert", "item", BOLT),
            Change("update", "item", {"item_id": 1, "name": "long bolt"}),
        ],
        NOON,
    )
    rows = [row.values for row in north.upload()]
    assert [row["transaction_change_count"] for row in rows] == [3, 3, 3]
    assert len({row["transaction_id"] for row in rows}) == 1
    assert [row["old_version"] for row in rows] == [first, None, rows[1]["new_version"]]
    assert rows[0]["new_version"] is None
    assert "name" not in rows[0]


@pytest.mark.parametrize(
    ("operation", "values"),
    [
        ("insert", BOLT),
        ("update", {"item_id": 2, "name": "nut"}),
        ("delete", {"item_id": 2}),
        ("update", {"name": "no key"}),
    ],
)
def test_impossible_changes_leave_the_node_as_it_was(
    north: Node, operation: str, values: dict[str, object]
) -> None:
    before = north.rows("item")
    with pytest.raises(ImpossibleChange):
        north.transaction(
            [
                Change("update", "item", {"item_id": 1, "price": 9}),
                Change(operation, "item", values),
            ],
            NOON,
        )
    assert north.rows("item") == before
    assert not north.has_pending


def test_unknown_columns_and_values(north: Node) -> None:
    with pytest.raises(ValueProblem, match="no column 'colour'"):
        north.update("item", {"item_id": 1, "colour": "red"}, NOON)
    with pytest.raises(ValueProblem):
        north.update("item", {"item_id": 1, "price": "cheap"}, NOON)
    with pytest.raises(ValueProblem, match="no article 'items'"):
        north.update("items", {"item_id": 1}, NOON)


def test_the_publisher_needs_no_upload(publisher: Node, queue: Queue) -> None:
    publisher.update("item", {"item_id": 1, "name": "nut"}, NOON)
    publisher.delete("item", {"item_id": 1}, NOON)
    assert publisher.upload() == []
    assert [row.values["queue_position"] for row in queue.deliver()] == [1, 2]
    assert queue.is_empty


def test_a_row_may_bring_its_own_position(north: Node, queue: Queue) -> None:
    north.raw("item", {"change_id": "x", "queue_position": 7})
    north.raw("item", {"change_id": "y", "queue_position": None})
    north.raw("item", {"change_id": "z"})
    queue.put(north.upload())
    assert [row.values["queue_position"] for row in queue.deliver()] == [7, None, 8]


def test_a_command_acts_only_on_the_version_that_it_names(
    publication: Publication, north: Node
) -> None:
    held = version_of(north)
    stale = command(publication, old_version="another", new_version="v2")
    fitting = command(publication, command_id="f", old_version=held, new_version="v2")
    assert north.apply([stale]) == []
    assert north.apply([fitting]) == [fitting]
    assert version_of(north) == "v2"
    assert north.rows("item")[0]["name"] == "nut"


def test_a_command_is_taken_once(publication: Publication, north: Node) -> None:
    held = version_of(north)
    forth = command(publication, command_id="1", old_version=held, new_version="v2")
    back = command(publication, command_id="2", old_version="v2", new_version=held)
    assert north.apply([forth, back]) == [forth, back]
    assert north.apply([forth, back]) == []


def test_deletes_and_inserts(publication: Publication, north: Node) -> None:
    delete = command(
        publication, command_id="d", old_version=version_of(north), new_version=None, row=None
    )
    insert = command(publication, command_id="i", old_version=None, new_version="v2")
    assert north.apply([insert]) == []
    assert north.apply([delete]) == [delete]
    assert north.rows("item") == []
    again = command(publication, command_id="a", old_version=None, new_version="v3")
    assert north.apply([again]) == [again]
    assert version_of(north) == "v3"


def test_records_of_lost_changes_are_kept(publication: Publication, north: Node) -> None:
    lost = command(publication, kind="log_conflict", cause="conflict 1")
    before = north.rows("item")
    assert north.apply([lost]) == []
    assert north.rows("item") == before
    assert north.conflict_log == [lost]


def test_reinitialization(publication: Publication, north: Node) -> None:
    north.update("item", {"item_id": 1, "name": "lost"}, NOON)
    snapshot = [{"article": "item", "relation": "s.stock__item__versions", "table_version": 3}]
    order = command(
        publication,
        command_id="r",
        kind="reinitialize",
        key=None,
        row=None,
        article=None,
        queue_position=4,
        snapshot=snapshot,
        snapshot_position=6,
    )
    late = command(
        publication,
        command_id="l",
        old_version=None,
        new_version="old",
        key={"item_id": "2"},
        row={"item_id": "2", "name": "gone", "price": None},
    )
    north.apply([order])
    assert north.reinitialize_command == order
    assert order.snapshot[0].table_version == 3
    row = publication.article("item").row({**BOLT, "name": "fresh"})
    north.reinitialize([StoredRow("item", row, "v9")], snapshot_position=6)
    assert not north.has_pending
    assert [row["name"] for row in north.rows("item")] == ["fresh"]
    # what lies behind the snapshot is not applied on top of it
    assert north.apply([late]) == []


def test_several_refusals_of_a_row_come_one_after_the_other(
    publication: Publication, north: Node
) -> None:
    held = version_of(north)
    for error in (547, 2627):
        north.refuse("item", (1,), error)
    for number in ("1", "2", "3"):
        north.apply([command(publication, command_id=number, old_version=held, new_version="v2")])
    reports = north.take_refusals()
    assert [(one.command_id, one.error_code) for one in reports] == [("1", 547), ("2", 2627)]
    assert version_of(north) == "v2"


def test_a_refused_command_is_reported(publication: Publication, north: Node) -> None:
    held = version_of(north)
    north.refuse("item", (1,), 2627)
    refused = command(publication, command_id="1", old_version=held, new_version="v2")
    assert north.apply([refused]) == []
    [report] = north.take_refusals()
    assert (report.command_id, report.error_code, report.row) == ("1", 2627, north.rows("item")[0])
    assert north.take_refusals() == []
