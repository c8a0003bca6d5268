"""Tables of very many columns: captured, uploaded and brought by the agent."""

from __future__ import annotations

import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.images import quoted
from replication_conflicts.database.statements import run_plain
from replication_conflicts.simulation import Change
from tests.python.nodes_loop.databases import Databases, publications
from tests.python.nodes_loop.loop import Loop
from tests.python.nodes_loop.pair import Pair

# what needs care in SQL, in JSON, or where a comma is cut off
ODD = ['say "so"', "it's", "back\\slash", "größe", "tab\there", "comma,", "{brace}", ":colon"]


def article(count: int) -> dict[str, Any]:
    names = [*ODD, *(f"c{number}" for number in range(count - len(ODD)))]
    return {"columns": {"id": "int", **dict.fromkeys(names, "int")}, "primary_key": ["id"]}


@pytest.mark.parametrize("count", [100, 500])
def test_merge_replication_says_which_columns_have_changed(
    databases: Databases, count: int
) -> None:
    wide = article(count)
    publication = node_publication("shop", publications({"wide": wide}, replication="merge"))
    pair, dice = Pair(databases, publication), random.Random(count)
    names = [name for name in wide["columns"] if name != "id"]
    pair.work(Change("insert", "wide", {"id": 1, **dict.fromkeys(names, 0)}))
    pair.upload()
    for changed in (ODD, names[-1:], dice.sample(names, 30), names):
        first, second = changed[: len(changed) // 2], changed[len(changed) // 2 :]
        # two updates of one net change
        for some in (first, second):
            values = {name: dice.randint(1, 999) for name in some}
            if values:
                pair.work(Change("update", "wide", {"id": 1, **values}))
        (row,) = pair.upload()
        assert row.values["changed_columns"] == sorted(changed)
    pair.check()


@pytest.mark.parametrize("replication", ["queued", "merge"])
def test_a_table_may_have_more_than_a_thousand_columns(
    databases: Databases, tmp_path: Path, replication: str
) -> None:
    wide = article(1_200)
    priority = Decimal("75.00") if replication == "merge" else None
    world = Loop(
        databases,
        tmp_path,
        publications({"wide": wide}, replication=replication),
        {"HQ": None, "north": priority},
        {"north": {} if priority is None else {"type": "server", "priority": priority}},
    )
    first, last = list(wide["columns"])[1], list(wide["columns"])[-1]
    for statement in (
        f"insert into wide (id, {quoted(first)}) values (1, 10), (2, 20), (3, 30)",
        f"update wide set {last} = 99 where id = 1",
        "update wide set id = 4 where id = 2",
        "delete from wide where id = 3",
    ):
        with world.engines["north"].begin() as connection:
            run_plain(connection, statement)
        world.synchronize("north")
    world.settle()
    world.check()
    rows = world.publisher.published()["wide"]
    assert {key: (row[first], row[last]) for key, row in rows.items()} == {
        ("1",): ("10", "99"),
        ("4",): ("20", None),
    }
