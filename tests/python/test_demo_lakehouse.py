"""What the demo does to a feed: batches of several nodes, rows beside them, all of it again.

On a Delta table, because the places in the queue are given there.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession

from replication_conflicts.capture.ports import BatchMismatch, FeedBatch
from replication_conflicts.database.articles import node_publication
from replication_conflicts.demo.commands import read_commands
from replication_conflicts.demo.faults import FaultyFeed
from replication_conflicts.demo.lakehouse import RELATIONS, Lakehouse, queue_table
from replication_conflicts.lakehouse.commands import LakehouseCommands
from replication_conflicts.lakehouse.feed import LakehouseFeed
from replication_conflicts.lakehouse.relations import Relations
from replication_conflicts.publication.commands import Place
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.workload import BrokenRow, Story
from tests.python.conftest import ScratchProject

NOW = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
ARTICLES = {
    "item": {
        "columns": {"id": "bigint", "name": "string", "price": "decimal(10,2)"},
        "primary_key": ["id"],
    }
}
PUBLICATION = node_publication(
    "demo_shop", {"demo_shop": {"replication": "queued", "publisher": "HQ", "articles": ARTICLES}}
)
QUEUE = queue_table(PUBLICATION.name)
COMMAND = (
    "command_id string, publication string, subscriber string, kind string, queue_position bigint,"
    " sequence bigint, article string, operation string, key map<string,string>,"
    " row map<string,string>, old_version string, new_version string,"
    " lineage map<string,bigint>, cause string,"
    " snapshot array<struct<article:string,relation:string,table_version:bigint>>,"
    " snapshot_position bigint"
)


def row(node: str, number: int, **values: Any) -> FeedRow:
    whole = {
        "change_id": f"{node}-{number}",
        "node": node,
        "transaction_id": f"{node}-{number}",
        "transaction_change_count": 1,
        "operation": "update",
        "changed_at": NOW,
        "old_version": "a",
        "new_version": "b",
        "id": number,
        "name": "it's",
        "price": Decimal("1.50"),
    }
    return FeedRow("item", {**whole, **values})


def batch(node: str, number: int, *changes: int) -> FeedBatch:
    return FeedBatch(node, number, [row(node, one) for one in changes])


def broken(delivery: int, node: str, now: datetime, known: FeedRow | None) -> list[BrokenRow]:
    found = [
        BrokenRow("unknown_operation", row(node, 901, operation="upsert", changed_at=now)),
        BrokenRow("missing_position", row(node, 902, queue_position=None)),
        BrokenRow("late_position", row(node, 903, queue_position=1)),
    ]
    if known is not None:
        other = FeedRow("item", {**known.values, "name": "another content"})
        found.append(BrokenRow("duplicate_change_id", other))
    return found


STORY = Story(
    publication="demo_shop",
    subscribers={"north": {}, "south": {}},
    publisher_share=0.5,
    at_publisher={},
    at_subscribers={},
    make_world=tuple,
    make_workplace=lambda *_: pytest.fail("nobody works here"),
    initial_rows=lambda *_: {},
    broken_rows=broken,
    known_article="item",
    size=8,
)


def changes(spark: SparkSession) -> list[tuple[int | None, str]]:
    """Place and change id of all that the feed holds, in the order of the places."""
    rows = spark.table(QUEUE).orderBy("queue_position", "change_id").collect()
    return [(one["queue_position"], one["change_id"]) for one in rows]


@pytest.mark.spark
def test_what_the_demo_does_to_a_feed(scratch_copy: Callable[[], ScratchProject]) -> None:
    spark = scratch_copy().build.spark
    feed = LakehouseFeed(spark, RELATIONS, PUBLICATION)
    feed.deliver_together([batch("north", 1, 1, 2), batch("HQ", 1, 1), batch("south", 1, 1)])
    first = [(1, "north-1"), (2, "north-2"), (3, "HQ-1"), (4, "south-1")]
    assert changes(spark) == first

    # as after a crash: what is there stays, what is not comes
    feed.deliver_together([batch("north", 1, 1, 2), batch("south", 2, 2)])
    assert changes(spark) == [*first, (5, "south-2")]
    with pytest.raises(BatchMismatch, match="another batch 1 of north"):
        feed.deliver_together([batch("south", 3, 3), batch("north", 1, 1, 3)])
    assert changes(spark) == [*first, (5, "south-2")]

    faulty = FaultyFeed(spark, PUBLICATION, STORY, random.Random(1))
    assert faulty.disturb(1, NOW) == 5 + 3
    found = changes(spark)
    assert Counter(found) == Counter(
        [*first, (5, "south-2")] * 2 + [(6, "north-901"), (None, "north-902"), (1, "north-903")]
    )
    feed.deliver("HQ", 2, [row("HQ", 2)])
    places = [place for place, change in changes(spark) if change == "HQ-2"]
    assert places[0] is not None
    assert places[0] > 6
    assert faulty.disturb(2, NOW) == 1 + 3 + 4
    other = spark.table(QUEUE).where("row['name'] = 'another content'").collect()
    assert [(one["queue_position"], one["change_id"]) for one in other] == [(1, "north-1")]

    lakehouse = Lakehouse(spark)
    before = Counter(changes(spark))
    version = lakehouse.feed_version(PUBLICATION.name)
    for times in (2, 3):
        rows = lakehouse.deliver_again(PUBLICATION.name, version)
        assert rows == before.total()
        assert Counter(changes(spark)) == Counter(
            {one: number * times for one, number in before.items()}
        )
    view = spark.table(f"{RELATIONS.feeds}.{PUBLICATION.name}__item").where("change_id = 'HQ-2'")
    assert {one["price"] for one in view.collect()} == {Decimal("1.50")}


@pytest.mark.spark
def test_commands_reach_those_they_are_for(scratch_copy: Callable[[], ScratchProject]) -> None:
    """The publisher gets what goes to all, and what is for its own database."""
    project = scratch_copy()
    spark = project.build.spark
    spark.sql(f"create schema {project.schema}")
    commands = f"{project.schema}.distribution_commands"
    spark.sql(f"create table {commands} ({COMMAND}) using delta")
    for position, subscriber in enumerate(("null", "'HQ'", "'north'", "'south'"), start=1):
        spark.sql(
            f"insert into {commands} (command_id, publication, kind, queue_position, sequence,"
            f" article, operation, key, old_version, subscriber) values ('c{position}',"
            f" 'demo_shop', 'replicated', {position}, 1, 'item', 'delete', map('id', '1'), 'a',"
            f" {subscriber})"
        )
    spark.sql(
        f"create table {project.schema}.subscriber_commands using delta as"
        " select commands.* except (subscriber), nodes.name as subscriber"
        f" from {commands} as commands inner join values ('north'), ('south') as nodes (name)"
        " on coalesce(commands.subscriber, nodes.name) = nodes.name"
    )
    relations = Relations(published=project.schema)
    places = {node: Place() for node in ("HQ", "north")}
    found = read_commands(spark, relations, PUBLICATION, places)
    wanted = {"HQ": ["c1", "c2"], "north": ["c1", "c3"]}
    for node, ids in wanted.items():
        assert [one.command_id for one in found[node].after(Place())] == ids
        alone = LakehouseCommands(spark, relations, PUBLICATION, node)
        assert [one.command_id for one in alone.after(Place())] == ids
    spark.sql(f"drop schema {project.schema} cascade")
