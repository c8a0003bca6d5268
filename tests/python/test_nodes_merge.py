"""Nodes of merge replication: net changes, lineages, logical records."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from replication_conflicts.publication.publication import Publication, publication_from_vars
from replication_conflicts.simulation import (
    Command,
    MergeNode,
    Queue,
    command_from_record,
    initial_rows,
    publisher_node,
    stamped_priority,
    subscriber_node,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
LATER = NOON + timedelta(seconds=1)


def make_publication(detection: bool = False, resolution: bool = False) -> Publication:
    return publication_from_vars(
        "orders",
        {
            "replication": "merge",
            "publisher": "HQ",
            "articles": {
                "head": {
                    "columns": {"head_id": "int", "a": "string", "b": "int"},
                    "primary_key": ["head_id"],
                },
                "line": {
                    "columns": {"line_id": "int", "head_id": "int", "c": "string"},
                    "primary_key": ["line_id"],
                },
            },
            "logical_records": [
                {
                    "top": "head",
                    "members": {"line": {"parent": "head", "columns": ["head_id"]}},
                    "detection": detection,
                    "resolution": resolution,
                }
            ],
        },
    )


def make_nodes(
    publication: Publication, queue: Queue | None = None, subscription: dict[str, Any] | None = None
) -> tuple[MergeNode, MergeNode]:
    """The publisher and a subscriber, with a head that has two lines."""
    publisher = publisher_node(publication, queue or Queue())
    north = subscriber_node(publication, "north", subscription or {"priority": 50})
    rows = initial_rows(
        publication,
        {
            "head": [{"head_id": 1, "a": "x", "b": 5}],
            "line": [{"line_id": n, "head_id": 1, "c": "y"} for n in (10, 11)],
        },
        publisher.identity,
    )
    for node in (publisher, north):
        node.reset(rows)
    assert isinstance(publisher, MergeNode)
    assert isinstance(north, MergeNode)
    return publisher, north


def command(publication: Publication, **values: Any) -> Command:
    record = {
        "command_id": f"c{id(values)}",
        "subscriber": "north",
        "kind": "replicated",
        "queue_position": 1,
        "article": "head",
        "key": {"head_id": "1"},
        **values,
    }
    return command_from_record(publication, record)


def test_updates_fold_into_one() -> None:
    _, north = make_nodes(make_publication())
    first = north.update("head", {"head_id": 1, "a": "p"}, NOON)
    north.priority = Decimal("60.00")
    second = north.update("head", {"head_id": 1, "b": 7}, LATER)
    [row] = [one.values for one in north.upload()]
    assert row["operation"] == "update"
    assert row["changed_columns"] == ["a", "b"]
    assert row["previous_values"] == {"a": "x", "b": "5"}
    assert row["lineage"] == {"HQ": 1, "north": 1}
    assert (row["a"], row["b"]) == ("p", 7)
    assert row["changed_at"] == LATER
    # the priority of the first change
    assert row["priority"] == Decimal("50.00")
    assert first.change_id == second.change_id == row["change_id"]


@pytest.mark.parametrize(
    ("steps", "operation", "changed"),
    [
        (["insert", "update"], "insert", None),
        (["insert", "delete"], None, None),
        (["insert", "delete", "insert"], "insert", None),
    ],
)
def test_net_changes_of_a_new_row(
    steps: list[str], operation: str | None, changed: list[str] | None
) -> None:
    _, north = make_nodes(make_publication())
    values: dict[str, dict[str, object]] = {
        "insert": {"head_id": 2, "a": "n"},
        "update": {"head_id": 2, "a": "m"},
        "delete": {"head_id": 2},
    }
    for step in steps:
        getattr(north, step)("head", values[step], NOON)
    rows = [one.values for one in north.upload()]
    assert [row["operation"] for row in rows] == ([operation] if operation else [])
    assert all(row["changed_columns"] == changed for row in rows)
    # every first change of a net change takes a number
    if steps.count("insert") == 2:
        assert rows[0]["lineage"] == {"north": 2}


def test_delete_and_insert_are_an_update_of_all_columns() -> None:
    _, north = make_nodes(make_publication())
    north.delete("head", {"head_id": 1}, NOON)
    north.insert("head", {"head_id": 1, "a": "again", "b": None}, NOON)
    [row] = [one.values for one in north.upload()]
    assert row["operation"] == "update"
    assert row["changed_columns"] is None
    assert row["previous_values"] == {"a": "x", "b": "5"}
    assert row["lineage"] == {"HQ": 1, "north": 1}


def test_a_change_on_top_of_an_undecided_one_keeps_its_lineage() -> None:
    _, north = make_nodes(make_publication())
    north.update("head", {"head_id": 1, "a": "p"}, NOON)
    north.upload()
    north.update("head", {"head_id": 1, "a": "q"}, NOON)
    [row] = [one.values for one in north.upload()]
    assert row["lineage"] == {"HQ": 1, "north": 2}
    assert row["previous_values"] == {"a": "p"}


def test_skipped_commands_are_applied_when_an_insert_comes_to_nothing() -> None:
    publication = make_publication()
    _, north = make_nodes(publication)
    north.insert("head", {"head_id": 2, "a": "mine"}, NOON)
    theirs = command(
        publication,
        key={"head_id": "2"},
        row={"head_id": "2", "a": "theirs", "b": None},
        old_version=None,
        new_version="south:1",
        lineage={"south": 1},
    )
    assert north.apply([theirs]) == []
    north.delete("head", {"head_id": 2}, NOON)
    held = north.held("head", (2,))
    assert held is not None
    assert (held.row["a"], held.version, held.lineage) == ("theirs", "south:1", {"south": 1})
    assert north.upload() == []


def test_a_session_brings_parents_first_and_deletes_children_first() -> None:
    _, north = make_nodes(make_publication())
    north.delete("head", {"head_id": 1}, NOON)
    north.insert("line", {"line_id": 20, "head_id": 2}, NOON)
    north.delete("line", {"line_id": 10}, NOON)
    north.insert("head", {"head_id": 2}, NOON)
    rows = north.upload()
    assert [(row.values["operation"], row.article) for row in rows] == [
        ("insert", "head"),
        ("insert", "line"),
        ("delete", "line"),
        ("delete", "head"),
    ]
    assert {row.values["transaction_change_count"] for row in rows} == {4}
    assert len({row.values["transaction_id"] for row in rows}) == 1


def test_a_change_that_was_not_applied_is_uploaded_again() -> None:
    publication = make_publication()
    _, north = make_nodes(publication)
    reference = north.insert("head", {"head_id": 2, "a": "early"}, NOON)
    [first] = [row.values for row in north.upload()]
    north.apply([command(publication, kind="not_applied", cause=first["change_id"])])
    assert north.has_pending
    north.insert("line", {"line_id": 20, "head_id": 2}, NOON)
    again, new = (row.values for row in north.upload())
    assert again["change_id"] != first["change_id"]
    assert again["lineage"] == first["lineage"]
    assert again["transaction_change_count"] == new["transaction_change_count"] == 2
    assert reference.change_id == again["change_id"]
    assert not north.has_pending


def test_a_change_whose_row_has_changed_is_not_uploaded_again() -> None:
    publication = make_publication()
    _, north = make_nodes(publication)
    north.insert("head", {"head_id": 2, "a": "early"}, NOON)
    [first] = [row.values for row in north.upload()]
    north.apply([command(publication, kind="not_applied", cause=first["change_id"])])
    north.update("head", {"head_id": 2, "a": "later"}, NOON)
    [row] = [row.values for row in north.upload()]
    assert (row["operation"], row["a"]) == ("update", "later")


def test_a_command_brings_its_lineage_and_a_delete_leaves_it() -> None:
    publication = make_publication()
    _, north = make_nodes(publication)
    north.apply(
        [
            command(
                publication,
                row=None,
                old_version="HQ:1",
                new_version=None,
                lineage={"HQ": 1, "south": 4},
            )
        ]
    )
    assert north.held("head", (1,)) is None
    north.insert("head", {"head_id": 1, "a": "back"}, NOON)
    [row] = [row.values for row in north.upload()]
    assert row["lineage"] == {"HQ": 1, "south": 4, "north": 1}


def test_the_publisher_sends_every_change_with_a_version_of_its_own() -> None:
    queue = Queue()
    publisher, _ = make_nodes(make_publication(), queue)
    publisher.update("head", {"head_id": 1, "a": "p"}, NOON)
    publisher.update("head", {"head_id": 1, "b": 6}, NOON)
    rows = [row.values for row in queue.deliver()]
    assert [row["changed_columns"] for row in rows] == [["a"], ["b"]]
    assert [row["lineage"] for row in rows] == [{"HQ": 4}, {"HQ": 5}]
    assert [row["queue_position"] for row in rows] == [1, 2]


def test_resolution_sends_the_other_rows_of_the_record() -> None:
    publication = make_publication(resolution=True)
    _, north = make_nodes(publication)
    north.update("line", {"line_id": 10, "c": "z"}, NOON)
    rows = north.upload()
    assert [(row.values["operation"], row.article) for row in rows] == [
        ("update", "line"),
        ("image", "head"),
        ("image", "line"),
    ]
    assert rows[1].values["lineage"] == {"HQ": 1}
    assert rows[1].values["changed_columns"] == []
    assert {row.values["transaction_change_count"] for row in rows} == {3}


def test_a_deleted_row_is_missing_from_the_record() -> None:
    publication = make_publication(resolution=True)
    _, north = make_nodes(publication)
    north.delete("line", {"line_id": 10}, NOON)
    rows = north.upload()
    assert [(row.values["operation"], row.values.get("line_id")) for row in rows] == [
        ("delete", 10),
        ("image", None),
        ("image", 11),
    ]


def test_detection_gives_every_member_the_lineage_of_the_record() -> None:
    publication = make_publication(detection=True, resolution=True)
    _, north = make_nodes(publication)
    north.update("line", {"line_id": 10, "c": "z"}, NOON)
    change, *images = (row.values for row in north.upload())
    # of every other node the highest number in any member, the own entry stays the row's
    assert change["lineage"] == {"HQ": 3, "north": 1}
    assert [image["lineage"] for image in images] == [{"HQ": 3}, {"HQ": 3}]
    north.delete("line", {"line_id": 11}, NOON)
    north.upload()
    north.update("head", {"head_id": 1, "a": "q"}, NOON)
    head = north.upload()[0].values
    assert head["lineage"] == {"HQ": 3, "north": 3}


def test_priorities() -> None:
    assert stamped_priority({}) == Decimal("75.00")
    assert stamped_priority({"type": "server", "priority": 0}) == Decimal("0.00")
    assert stamped_priority({"type": "client", "priority": 10}) is None


def test_raw_rows_stay_as_they_are_and_where_they_were_made() -> None:
    _, north = make_nodes(make_publication())
    north.raw("head", {"change_id": "r1", "transaction_id": "own", "known_position": 0})
    north.update("head", {"head_id": 1, "a": "p"}, NOON)
    north.raw("head", {"change_id": "r2"})
    before, change, behind = (row.values for row in north.upload())
    assert before == {"change_id": "r1", "transaction_id": "own", "known_position": 0}
    assert change["transaction_change_count"] == 1
    assert behind == {"change_id": "r2"}
    assert north.upload() == []
