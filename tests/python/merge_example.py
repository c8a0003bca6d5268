"""A publication of merge replication made by hand: one conflict of every sort, and a merged row."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from tests.python.sequential_reader import FeedRow
from tests.python.strategies.cases import Case, Delivery

BEGIN = datetime(2026, 3, 1, tzinfo=timezone.utc)
CONFIGURATION: dict[str, Any] = {
    "replication": "merge",
    "publisher": "HQ",
    "articles": {
        "item": {
            "columns": {"item_id": "int", "name": "string", "quantity": "int"},
            "primary_key": ["item_id"],
            "tracking": "column",
            "initial_snapshot": True,
        }
    },
}


def net_change(
    article: str, key: int, position: int, node: str, operation: str, **values: object
) -> FeedRow:
    """A net change of a node that has seen the initial version of a row and nothing else."""
    return article, {
        "change_id": f"{node}-{key}",
        "queue_position": position,
        "node": node,
        "transaction_id": f"{node}-s{position}",
        "transaction_change_count": 1,
        "operation": operation,
        "changed_at": BEGIN + timedelta(seconds=position),
        "lineage": {"HQ": key, node: key},
        f"{article}_id": key,
        **values,
    }


def change(
    position: int, node: str, operation: str, item: int, columns: list[str] | None, **values: object
) -> FeedRow:
    """A net change to an item."""
    row = {"changed_columns": columns, "name": "bolt", "quantity": 5, **values}
    return net_change("item", item, position, node, operation, **row)


def initial_versions_of_a_subscriber() -> Case:
    """Initial rows that north has made, and changes of south that do not know them: the publisher,
    whose rows they are, wins one and loses one.
    """

    def unknown(position: int, item: int, node: str) -> FeedRow:
        article, row = change(position, node, "update", item, ["name"], name=node)
        return article, {**row, "lineage": {node: item}}

    return Case(
        label="merge, initial versions of a subscriber",
        configuration=CONFIGURATION,
        subscribers=("north", "south"),
        initial={
            "item": [
                {"item_id": item, "name": "bolt", "quantity": 5, "row_version": f"north:{item}"}
                for item in (1, 2)
            ]
        },
        deliveries=(Delivery((unknown(1, 1, "south"), unknown(2, 2, "HQ"))),),
        steps=(),
        is_cut_free=True,
        subscriptions={"north": {"priority": 75}, "south": {"priority": 50}},
    )


BROKEN_KEYS = "merge, many broken keys"


def broken_keys(count: int = 12) -> Case:
    """Changes that break keys, all of them for reasons of their own: lines of items that the
    publisher has deleted just before, a session full of lines of an item that was never there,
    another that brings the box of such lines with them, and items with a code that is taken.
    """
    article = {"tracking": "row", "compensate_for_errors": True}
    item = {"columns": {"item_id": "int", "code": "string"}, "primary_key": ["item_id"]}
    box = {"columns": {"box_id": "int"}, "primary_key": ["box_id"]}
    line_columns = {"line_id": "int", "item_id": "int", "box_id": "int"}
    line = {"columns": line_columns, "primary_key": ["line_id"]}
    parents = [
        {"columns": [f"{name}_id"], "references": name, "to": [f"{name}_id"]}
        for name in ("item", "box")
    ]
    configuration: dict[str, Any] = {
        "replication": "merge",
        "publisher": "HQ",
        "articles": {
            "item": {**item, **article, "unique": [["code"]], "initial_snapshot": True},
            "box": {**box, **article},
            "line": {**line, **article, "foreign_keys": parents},
        },
    }

    def inserted(name: str, key: int, position: int, **values: object) -> FeedRow:
        found, row = net_change(name, key, position, "north", "insert", **values)
        return found, {**row, "change_id": f"{name}-{key}", "lineage": {"north": key}}

    def line_of(key: int, position: int, item: int, box: int | None = None) -> FeedRow:
        return inserted("line", key, position, item_id=item, box_id=box)

    def session(name: str, changes: list[FeedRow]) -> list[FeedRow]:
        whole = {"transaction_id": name, "transaction_change_count": len(changes)}
        return [(found, {**row, **whole}) for found, row in changes]

    rows: list[FeedRow] = []
    for number in range(1, count + 1):
        name, row = net_change("item", number, 10 * number, "HQ", "delete", code=None)
        rows.append((name, {**row, "lineage": {"HQ": number + 1}}))
        rows.append(line_of(number, 10 * number + 1, item=number))
        rows.append(inserted("item", 200 + number, 10 * number + 2, code=f"code {100 + number}"))
    numbers = range(1, count + 1)
    rows += session("lines", [line_of(300 + one, 1000 + one, item=999) for one in numbers])
    boxed = [line_of(500 + one, 2000 + one, item=999, box=1) for one in numbers]
    rows += session("box", [inserted("box", 1, 2000), *boxed])
    initial = [
        {"item_id": number, "code": f"code {number}", "row_version": f"HQ:{number}"}
        for number in (*range(1, count + 1), *range(101, 101 + count))
    ]
    return Case(
        label=BROKEN_KEYS,
        configuration=configuration,
        subscribers=("north",),
        initial={"item": initial, "box": [], "line": []},
        deliveries=(Delivery(tuple(rows)),),
        steps=(),
        is_cut_free=True,
        subscriptions={"north": {"priority": 75}},
    )


def keys_in_chains() -> Case:
    """Changes that would break a key if the one before them stood, which fails: they apply.

    Six pairs: a merge of columns of one row; the only child of a parent that is deleted; a unique
    key that is free again; one of two columns that merging has put together; the parent's column
    that stays as it was held; the only child of a parent that is inserted and deleted.
    """

    def key(column: str, parent: str) -> dict[str, Any]:
        return {"columns": [column], "references": "item", "to": [parent]}

    article = {"compensate_for_errors": True, "initial_snapshot": True}
    configuration: dict[str, Any] = {
        "replication": "merge",
        "publisher": "HQ",
        "articles": {
            "item": {
                "columns": {"item_id": "int", "code": "string"},
                "primary_key": ["item_id"],
                "unique": [["code"]],
                **article,
            },
            "line": {
                "columns": {
                    "line_id": "int",
                    "item_id": "int",
                    "item_code": "string",
                    "note": "string",
                },
                "primary_key": ["line_id"],
                "tracking": "column",
                "unique": [["note"]],
                "foreign_keys": [key("item_id", "item_id"), key("item_code", "code")],
                **article,
            },
            "bin": {
                "columns": {"bin_id": "int", "item_id": "int", "a": "string", "b": "string"},
                "primary_key": ["bin_id"],
                "tracking": "column",
                "unique": [["a", "b"]],
                "foreign_keys": [key("item_id", "item_id")],
                **article,
            },
        },
    }
    plain: dict[str, dict[str, object]] = {
        "item": {},
        "line": {"item_id": 1, "item_code": None, "note": None},
        "bin": {"item_id": 1, "a": "a0", "b": "b0"},
    }

    def inserted(position: int, node: str, article: str, key: int, **values: object) -> FeedRow:
        row = {**plain[article], **values}
        name, change = net_change(article, key, position, node, "insert", **row)
        return name, {**change, "lineage": {node: key}, "changed_columns": None}

    def updated(position: int, node: str, article: str, key: int, **values: object) -> FeedRow:
        row = {**plain[article], **values, "changed_columns": list(values)}
        return net_change(article, key, position, node, "update", **row)

    def changed_again(node: str, number: int, change: FeedRow) -> FeedRow:
        name, row = change
        again = {"change_id": f"{row['change_id']}-again", "lineage": {node: number + 1}}
        return name, {**row, **again}

    rows = (
        updated(1, "north", "line", 1, item_id=999),
        updated(2, "south", "line", 1, note="kept"),
        inserted(3, "south", "line", 21, item_id=2, note="taken"),
        net_change("item", 2, 4, "north", "delete", code=None),
        inserted(5, "south", "line", 31, item_id=999, note="free again"),
        inserted(6, "north", "line", 32, note="free again"),
        updated(7, "north", "bin", 40, a="a1"),
        updated(8, "south", "bin", 40, b="b1", item_id=999),
        inserted(9, "north", "bin", 41, a="a1", b="b1"),
        net_change("item", 3, 10, "south", "update", code="k4"),
        inserted(11, "north", "line", 51, item_code="k3"),
        inserted(12, "north", "item", 5, code="k5"),
        inserted(13, "south", "line", 61, item_id=5, note="taken"),
        changed_again("north", 5, net_change("item", 5, 14, "north", "delete", code=None)),
    )
    items = [
        {"item_id": number, "code": f"k{number}", "row_version": f"HQ:{number}"}
        for number in range(1, 5)
    ]
    lines = [
        {"line_id": line, **plain["line"], "note": note, "row_version": f"HQ:{line}"}
        for line, note in ((1, None), (20, "taken"))
    ]
    bins = [{"bin_id": 40, **plain["bin"], "row_version": "HQ:40"}]
    return Case(
        label="merge, keys in chains",
        configuration=configuration,
        subscribers=("north", "south"),
        initial={"item": items, "line": lines, "bin": bins},
        deliveries=(Delivery(rows),),
        steps=(),
        is_cut_free=True,
        subscriptions={"north": {"priority": 75}, "south": {"priority": 50}},
    )


def merge_example() -> Case:
    """Four items; north's changes come first, and north has the higher priority.

    1: both wrote the quantity; 2: deleted, then updated; 3: updated, then deleted; 4: one wrote the
    name, the other the quantity.
    """
    rows = (
        change(1, "north", "update", 1, ["quantity"], quantity=7),
        change(2, "south", "update", 1, ["name", "quantity"], name="nut", quantity=8),
        change(3, "north", "delete", 2, None),
        change(4, "south", "update", 2, ["quantity"], quantity=6),
        change(5, "north", "update", 3, ["name"], name="screw"),
        change(6, "south", "delete", 3, None),
        change(7, "north", "update", 4, ["name"], name="nail"),
        change(8, "south", "update", 4, ["quantity"], quantity=9),
    )
    initial = [
        {"item_id": item, "name": "bolt", "quantity": 5, "row_version": f"HQ:{item}"}
        for item in range(1, 6)
    ]
    return Case(
        label="merge, one conflict of every sort",
        configuration=CONFIGURATION,
        subscribers=("north", "south"),
        initial={"item": initial},
        deliveries=(Delivery(rows),),
        steps=(),
        is_cut_free=True,
        subscriptions={"north": {"priority": 75}, "south": {"priority": 50}},
    )
