"""The whole loop on real tables: SQLite databases, the feed in Delta, `dbt build`, the agent."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from replication_conflicts.capture.ports import BatchMismatch
from replication_conflicts.capture.upload import read, seal
from replication_conflicts.distribution.lakehouse import (
    LakehouseReports,
)
from replication_conflicts.distribution.ports import Refusal
from replication_conflicts.distribution.statements import run_plain
from tests.python.nodes_loop.databases import (
    all_rows,
    publications,
)
from tests.python.nodes_loop.lakehouse_loop import World, differences
from tests.python.nodes_loop.people import ARTICLES, ODD, TEXTS, Person
from tests.python.nodes_loop.test_record_loop import NODES as PRIORITIES
from tests.python.nodes_loop.test_record_loop import SUBSCRIPTIONS, configuration
from tests.python.nodes_loop.test_record_loop import Person as RecordPerson

if TYPE_CHECKING:
    pass

NODES = ("HQ", "north", "south")
# names in the lakehouse are letters, digits and _
LABEL = ("label", "text_of_it")
SIMPLE: dict[str, Any] = {
    "item": {**ARTICLES["item"]},
    LABEL[0]: {
        **ARTICLES[ODD[0]],
        "columns": {"item": "int", LABEL[1]: "string", "count": "bigint"},
        "primary_key": ["item", LABEL[1]],
    },
}
OPTIONS = publications(SIMPLE, policy="publisher_wins_reinitialize")


@pytest.mark.spark
@pytest.mark.soak
def test_databases_end_equal_to_the_published_rows(tmp_path: Path, scratch_state: Path) -> None:
    subscriptions = [{"subscriber": node, "type": "server"} for node in NODES[1:]]
    world = World(tmp_path, scratch_state, OPTIONS, subscriptions, dict.fromkeys(NODES))
    people = {
        node: Person(engine, number, LABEL)
        for number, (node, engine) in enumerate(world.engines.items())
    }
    for _ in range(40):
        people["HQ"].work()
    world.synchronize()
    assert len(all_rows(world.engines["north"], world.publication)["item"]) > 5
    for _ in range(25):
        for node in NODES:
            people[node].work()
    with world.engines["north"].begin() as connection:
        for number, awkward in enumerate(TEXTS):
            run_plain(
                connection,
                f"insert into label (item, text_of_it, count)"
                f" values (77, '{awkward.replace(chr(39), chr(39) * 2)}', {number})",
            )
    _die_between_feed_and_queue(world, "south")
    summaries = world.synchronize()
    assert summaries["north"].commands["reinitialize"] == 1
    assert summaries["north"].snapshot_rows > 0
    world.synchronize()
    published = world.published()
    assert len(published["item"]) > 5
    for node, engine in world.engines.items():
        assert differences(all_rows(engine, world.publication), published) == [], node
    _reports_arrive_once(world)


def _die_between_feed_and_queue(world: World, node: str) -> None:
    """The feed has the batch and the database does not know it; then a backup brings another."""
    engine = world.engines[node]
    batch = seal(engine, world.publication)
    assert batch is not None
    rows = read(engine, world.publication, batch)
    for _ in range(2):
        world.feed.deliver(node, batch.number, rows)
    feed = world.spark.table(f"{world.relations.feeds}.shop_queue").where(f"node = '{node}'")
    assert feed.count() == len(rows)
    assert feed.select("queue_position").distinct().count() == len(rows)
    with pytest.raises(BatchMismatch, match="set back"):
        world.feed.deliver(node, batch.number, rows[1:])


def _reports_arrive_once(world: World) -> None:
    reports = LakehouseReports(world.spark, world.relations, world.publication)
    refused = Refusal("north", "c1", "item", {"id": "1"}, "insert", 547, "it's refused", None)
    for _ in range(2):
        reports.refused([refused])
    queue = world.spark.table(f"{world.relations.feeds}.shop_queue")
    (entry,) = queue.where("entry = 'apply_error'").collect()
    (last,) = queue.selectExpr("max(queue_position)").collect()
    assert (entry["queue_position"], entry["error_text"]) == (last[0], "it's refused")
    assert (entry["key"], entry["row"]) == ({"id": "1"}, None)
    events = world.spark.table(world.relations.events)
    names = events.selectExpr("subscriber", "snapshot_position").collect()
    assert len(names) == len(set(names)) > 0


@pytest.mark.spark
@pytest.mark.soak
def test_logical_records_end_equal_to_the_published_rows(
    tmp_path: Path, scratch_state: Path
) -> None:
    """Merge replication: net changes and images of databases, decided by builds."""
    options = configuration("column", detection=True, resolution=True)
    for article in options["shop"]["articles"].values():
        # what fails is for the loop around the sequential reader
        del article["compensate_for_errors"]
        article.pop("foreign_keys", None)
    subscriptions = [{"subscriber": name, **one} for name, one in SUBSCRIPTIONS.items()]
    world = World(tmp_path, scratch_state, options, subscriptions, PRIORITIES)
    dice = random.Random(7)
    people = [RecordPerson(engine, dice) for engine in world.engines.values()]
    for rounds in (20, 8, 8, 0, 0):
        for _ in range(rounds):
            for person in people:
                person.work()
        world.synchronize()
    published = world.published()
    assert all(len(rows) > 2 for rows in published.values())
    for node, engine in world.engines.items():
        assert differences(all_rows(engine, world.publication), published) == [], node
    queue = world.spark.table(f"{world.relations.feeds}.shop_queue")
    assert queue.where("operation = 'image'").count() > 10
    outcomes = world.spark.table(f"{world.relations.published}.change_outcomes")
    assert outcomes.where("outcome = 'lost'").count() > 0
    assert world.spark.table(f"{world.relations.published}.rejected_changes").count() == 0
