"""What the agent expects of the project's relations, and what it says where they are otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone

import pytest

from replication_conflicts.capture.ports import BatchMismatch
from replication_conflicts.database.articles import node_publication
from replication_conflicts.distribution.ports import Reinitialized
from replication_conflicts.lakehouse.commands import LakehouseCommands
from replication_conflicts.lakehouse.feed import LakehouseFeed
from replication_conflicts.lakehouse.relations import LakehouseProblem, Relations, make_events_table
from replication_conflicts.lakehouse.reports import LakehouseReports
from replication_conflicts.lakehouse.snapshots import LakehouseSnapshots
from replication_conflicts.lakehouse.subscriptions import check_subscriptions
from replication_conflicts.publication.commands import AgentCommand, Place, SnapshotTable
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.rows import SnapshotRow
from tests.python.conftest import ScratchProject
from tests.python.nodes_loop.databases import publications
from tests.python.nodes_loop.people import ARTICLES

PROJECT = {"dbt_project.yml": "{name: relations, profile: replication_conflicts, version: '1'}\n"}
PUBLICATION = node_publication("shop", publications({"item": ARTICLES["item"]}))
NO_SCHEMAS = ("", "a b", "a.b.c", "a..b", "2a", "a-b", "`a`", "a;drop schema b", "a\n", "ä")
REFUSAL = {
    "subscriber": "north",
    "command_id": "c1",
    "article": "item",
    "key": {"id": "1"},
    "operation": "insert",
    "error_code": 547,
    "error_text": "no",
    "row": None,
}
EVENT = Reinitialized("north", 7, datetime(2026, 1, 1, tzinfo=timezone.utc))


@pytest.fixture(scope="module")
def project(scratch_project: Callable[[Mapping[str, str]], ScratchProject]) -> ScratchProject:
    """An empty project, with its two schemas."""
    made = scratch_project(PROJECT)
    for schema in (made.schema, f"{made.schema}_feeds"):
        made.build.spark.sql(f"create schema {schema}")
    return made


@pytest.fixture
def relations(project: ScratchProject) -> Relations:
    """The schemas of the project."""
    return Relations(published=project.schema, feeds=f"{project.schema}_feeds")


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("published", "published"),
        ("feeds", "lake.feeds_2"),
        ("initial", "_initial"),
        ("events", "feeds.subscription_events"),
        ("events", "lake.feeds.subscription_events"),
    ],
)
def test_schemas_are_those_that_are_named(option: str, name: str) -> None:
    assert getattr(Relations(**{option: name}), option) == name


@pytest.mark.parametrize(
    ("option", "name"),
    [
        *((option, name) for option in ("published", "feeds", "initial") for name in NO_SCHEMAS),
        *(("events", name) for name in ("events", "feeds.", "a.b.c.d", "feeds.a b", "feeds.e;")),
    ],
)
def test_a_name_that_is_no_name_in_sql_is_refused(option: str, name: str) -> None:
    with pytest.raises(LakehouseProblem) as refused:
        Relations(**{option: name})
    assert str(refused.value).startswith(f"--{option} is '{name}', must be of the form ")


@pytest.mark.spark
def test_commands_before_the_first_build(project: ScratchProject, relations: Relations) -> None:
    commands = LakehouseCommands(project.build.spark, relations, PUBLICATION, "north")
    assert not commands.are_written
    with pytest.raises(LakehouseProblem, match="run a build first"):
        commands.count(Place(0))


@pytest.mark.spark
def test_a_node_without_a_subscription(project: ScratchProject, relations: Relations) -> None:
    """A build would reject for good what it sends. Before the first build nobody knows."""
    spark = project.build.spark
    options = publications({"item": ARTICLES["item"]}, replication="merge")["shop"]
    publication = node_publication("known", {"known": options})
    feed = LakehouseFeed(spark, relations, publication)
    feed.deliver("early", 1, [_change("early", 1)])
    spark.sql(
        f"create table {relations.published}.subscriptions using delta as"
        " select * from values ('known', 'north'), ('other', 'south') as t(publication, subscriber)"
    )
    try:
        for node in ("north", publication.options.publisher):
            feed.deliver(node, 1, [_change(node, 1)])
        with pytest.raises(LakehouseProblem, match="south has no subscription to known"):
            feed.deliver("south", 1, [_change("south", 1)])
        # what is there already stays, whoever has sent it
        feed.deliver("early", 1, [_change("early", 1)])
        check_subscriptions(spark, relations, publication, {"north"}, "")
        with pytest.raises(LakehouseProblem, match=r"^south has .* to known in .*: build$"):
            check_subscriptions(spark, relations, publication, {"north", "south"}, "build")
    finally:
        spark.sql(f"drop table {relations.published}.subscriptions")
    nodes = spark.sql(f"select distinct node from {relations.feeds}.known__item").collect()
    assert {row["node"] for row in nodes} == {"early", "north", publication.options.publisher}


@pytest.mark.spark
@pytest.mark.parametrize("kind", ["table", "view"])
def test_a_feed_that_something_else_fills(
    kind: str, project: ScratchProject, relations: Relations
) -> None:
    """It is left as it is; what subscribers have refused is noted all the same."""
    spark = project.build.spark
    publication = node_publication(
        f"other_{kind}", {f"other_{kind}": publications({"item": ARTICLES["item"]})["shop"]}
    )
    name = f"{relations.feeds}.other_{kind}__item"
    spark.sql(f"create {kind} {name} {'using delta' if kind == 'table' else ''} as select 1 as id")
    feed = LakehouseFeed(spark, relations, publication)
    try:
        with pytest.raises(LakehouseProblem, match="something else fills it"):
            feed.deliver("north", 1, [])
        feed.append_refusals([REFUSAL])
        assert spark.table(name).columns == ["id"]
        (refused,) = spark.table(f"{relations.feeds}.other_{kind}__apply_errors").collect()
        assert refused["command_id"] == "c1"
    finally:
        spark.sql(f"drop {kind} {name}")


@pytest.mark.spark
def test_version_numbers_of_a_feed(project: ScratchProject, relations: Relations) -> None:
    """Of all that a node has sent, whatever its name; what starts anew has to count on behind."""
    spark = project.build.spark
    options = publications({"item": ARTICLES["item"]}, replication="merge")["shop"]
    publication = node_publication("counted", {"counted": options})
    snapshots = LakehouseSnapshots(spark, relations, publication, "north")
    assert snapshots.last_number("north's") == 0
    feed = LakehouseFeed(spark, relations, publication)
    numbers = {7: 5, 8: 6, 9: 4}
    for batch, number in numbers.items():
        feed.deliver("north's", batch, [_change("north's", number)])
    feed.deliver("south", 7, [_change("south", 90)])
    for node, last in (("north's", 6), ("south", 90), ("nobody", 0)):
        assert snapshots.last_number(node) == last
    with pytest.raises(BatchMismatch, match="counts the versions of north's anew"):
        feed.deliver("north's", 11, [_change("north's", 1), _change("north's", 7)])
    feed.deliver("north's", 11, [_change("north's", 7)])
    assert snapshots.last_number("north's") == 7


@pytest.mark.spark
def test_places_count_on_where_decided_changes_were_removed(
    project: ScratchProject, relations: Relations
) -> None:
    """A change behind a place that a run has taken already would be rejected as late, for good."""
    spark = project.build.spark
    publication = node_publication(
        "emptied", {"emptied": publications({"item": ARTICLES["item"]})["shop"]}
    )
    feed = LakehouseFeed(spark, relations, publication)
    log = f"{relations.published}.change_outcomes"

    def deliver(batch: int) -> int:
        feed.deliver("north", batch, [_change("north", batch)])
        rows = spark.table(f"{relations.feeds}.emptied__item").where(f"id = {batch}").collect()
        return int(rows[0]["queue_position"])

    assert not feed.has_batch("north", 1)
    assert [deliver(batch) for batch in (1, 2, 3)] == [1, 2, 3]
    assert [feed.has_batch("north", first) for first in (3, 4)] == [True, False]
    assert not feed.has_batch("south", 1)
    spark.sql(
        f"create table {log} using delta as select * from"
        " values ('emptied', 3L), ('other', 90L) as t(publication, transaction_position)"
    )
    try:
        assert deliver(4) == 4
        # all that is decided, and then all there is
        spark.sql(f"delete from {relations.feeds}.emptied_queue where queue_position <= 3")
        assert deliver(5) == 5
        spark.sql(f"insert into {log} values ('emptied', 5L)")
        spark.sql(f"delete from {relations.feeds}.emptied_queue")
        assert deliver(6) == 6
    finally:
        spark.sql(f"drop table {log}")


@pytest.mark.spark
def test_places_count_on_where_changes_are_removed_meanwhile(
    project: ScratchProject, relations: Relations, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decided and removed after the queue was looked at, before the merge has read it."""
    spark = project.build.spark
    publication = node_publication(
        "robbed", {"robbed": publications({"item": ARTICLES["item"]})["shop"]}
    )
    feed = LakehouseFeed(spark, relations, publication)
    log = f"{relations.published}.change_outcomes"
    feed.deliver("north", 1, [_change("north", 1), _change("north", 2)])
    spark.sql(
        f"create table {log} using delta as select * from"
        " values ('robbed', 2L) as t(publication, transaction_position)"
    )
    is_whole = feed.queue.is_whole

    def whole_until_now() -> bool:
        found = is_whole()
        spark.sql(f"delete from {relations.feeds}.robbed_queue")
        return found

    monkeypatch.setattr(feed.queue, "is_whole", whole_until_now)
    try:
        feed.deliver("north", 2, [_change("north", 3)])
        (row,) = spark.table(f"{relations.feeds}.robbed__item").collect()
        assert (row["id"], row["queue_position"]) == (3, 3)
        # what is there already stays as it is
        monkeypatch.undo()
        feed.deliver("north", 2, [_change("north", 3)])
        assert spark.table(f"{relations.feeds}.robbed__item").count() == 1
    finally:
        spark.sql(f"drop table {log}")


def _reinitialize(table: str) -> AgentCommand:
    """The command that names a table's first version as the snapshot of `item`."""
    snapshot = (SnapshotTable("item", table, 0),)
    return AgentCommand("c1", "reinitialize", 8, snapshot=snapshot, snapshot_position=8)


def _change(node: str, number: int) -> FeedRow:
    values = {
        "change_id": f"{node}-{number}",
        "node": node,
        "transaction_id": f"{node}-{number}",
        "transaction_change_count": 1,
        "operation": "insert",
        "changed_at": datetime(2026, 1, 1, tzinfo=timezone.utc),
        "lineage": {"HQ": 900, node: number},
        "id": number,
    }
    return FeedRow("item", values)


@pytest.mark.spark
def test_an_event_is_written_once_where_builds_read_it(
    project: ScratchProject, relations: Relations
) -> None:
    spark = project.build.spark
    view = f"{relations.published}.subscription_events"
    make_events_table(spark, relations)
    spark.sql(f"create view {view} as select * from {relations.events_table}")
    reports = LakehouseReports(spark, relations, PUBLICATION)
    try:
        for _ in range(2):
            reports.reinitialized(EVENT)
        (row,) = spark.table(view).collect()
        assert (row["subscriber"], row["event"], row["snapshot_position"]) == (
            "north",
            "reinitialized",
            7,
        )
    finally:
        spark.sql(f"drop view {view}")


@pytest.mark.spark
def test_an_event_that_the_next_build_would_throw_away(
    project: ScratchProject, relations: Relations
) -> None:
    """A seed is loaded anew in every build, before anything reads it."""
    spark = project.build.spark
    seed = f"{relations.published}.subscription_events"
    spark.sql(f"create table {seed} (publication string) using parquet")
    reports = LakehouseReports(spark, relations, PUBLICATION)
    try:
        with pytest.raises(LakehouseProblem, match="a build writes it anew"):
            reports.reinitialized(EVENT)
    finally:
        spark.sql(f"drop table {seed}")


@pytest.mark.spark
def test_a_process_with_the_configuration_of_before(
    project: ScratchProject, relations: Relations
) -> None:
    """An article has got a column and a wider type: nothing is left out of rows, nor the view."""
    spark = project.build.spark
    item = ARTICLES["item"]
    more = {**item, "columns": {**item["columns"], "id": "bigint", "origin": "string"}}
    new = node_publication("grown", {"grown": publications({"item": more})["shop"]})
    old = node_publication("grown", {"grown": publications({"item": item})["shop"]})
    view = f"{relations.feeds}.grown__item"
    for publication in (old, new, old):
        LakehouseFeed(spark, relations, publication).prepare()
    assert {("id", "bigint"), ("origin", "string")} <= set(spark.table(view).dtypes)
    columns = ", ".join(f"cast(null as {kind}) as {name}" for name, kind in more["columns"].items())
    spark.sql(
        f"create table {relations.published}.grown__item__versions using delta as"
        f" select {columns}, 'v1' as row_version, false as is_deleted"
    )
    spark.sql(
        f"create table {relations.published}.subscriber_commands using delta as select"
        " 'grown' as publication, 'north' as subscriber, 'c1' as command_id, 'replicated' as kind,"
        " 7L as queue_position, 1L as sequence, 'item' as article, 'insert' as operation,"
        " map('id', '1') as key, map('id', '1', 'origin', 'Ulm') as row, 'v1' as new_version"
    )
    snapshot = _reinitialize(f"{relations.published}.grown__item__versions")
    try:
        (command,) = LakehouseCommands(spark, relations, new, "north").after(Place())
        assert command.row == {"id": "1", "origin": "Ulm"}
        with pytest.raises(LakehouseProblem, match=r"article 'item' .* would lack: origin"):
            list(LakehouseCommands(spark, relations, old, "north").after(Place()))
        (row,) = LakehouseSnapshots(spark, relations, new, "north").rows(snapshot)
        assert row.row["origin"] is None
        with pytest.raises(LakehouseProblem, match=r"article 'item' .* would lack: origin"):
            list(LakehouseSnapshots(spark, relations, old, "north").rows(snapshot))
    finally:
        spark.sql(f"drop table {relations.published}.subscriber_commands")


@pytest.mark.spark
def test_a_snapshot_of_before_an_article_got_a_column(
    project: ScratchProject, relations: Relations
) -> None:
    spark = project.build.spark
    item = ARTICLES["item"]
    more = {**item, "columns": {**item["columns"], "origin": "string"}}
    publication = node_publication("later", {"later": publications({"item": more})["shop"]})
    table = f"{relations.published}.later__item__versions"
    columns = ", ".join(
        f"cast({1 if name == 'id' else 'null'} as {kind}) as {name}"
        for name, kind in item["columns"].items()
    )
    spark.sql(
        f"create table {table} using delta as"
        f" select {columns}, 'v1' as row_version, false as is_deleted"
    )
    spark.sql(f"alter table {table} add columns (origin string)")
    (row,) = LakehouseSnapshots(spark, relations, publication, "north").rows(_reinitialize(table))
    assert row.row["origin"] is None
    assert row.row["id"] == "1"


@pytest.mark.spark
def test_a_subscriber_starts_with_its_part_of_the_rows(project: ScratchProject) -> None:
    """Initial rows and snapshots are cut by its row filter, as its commands are."""
    spark = project.build.spark
    relations = Relations(
        published=project.schema, feeds=f"{project.schema}_feeds", initial=project.schema
    )
    shop = {
        "columns": {"id": "int", "area": "string", "is_open": "boolean"},
        "primary_key": ["id"],
        "row_filter": {"north": "area = 'north' and is_open", "south's": "area <> 'north'"},
        "initial_snapshot": True,
    }
    publication = node_publication("parted", {"parted": publications({"item": shop})["shop"]})
    rows = "(1, 'north', true), (2, 'south', true), (3, null, true), (4, 'north', false)"
    query = f"select *, concat('v', id) as row_version from values {rows} as t (id, area, is_open)"
    spark.sql(f"create table {project.schema}.parted__item using delta as {query}")
    table = f"{project.schema}.parted__item__versions"
    spark.sql(
        f"create table {table} using delta as"
        f" select *, false as is_deleted, 7L as run_sequence from ({query})"
    )

    def keys(found: Iterable[SnapshotRow]) -> list[str]:
        return sorted(str(one.row["id"]) for one in found)

    for node, expected in {
        "north": ["1"],
        "south's": ["2"],
        "west": ["1", "2", "3", "4"],
        "HQ": ["1", "2", "3", "4"],
    }.items():
        snapshots = LakehouseSnapshots(spark, relations, publication, node)
        assert keys(snapshots.initial_rows(["item"])) == expected
        assert keys(snapshots.initial_rows([])) == []
        assert keys(snapshots.rows(_reinitialize(table))) == expected
        # of before the article came
        earlier = replace(_reinitialize(table), snapshot=(SnapshotTable("other", table, 0),))
        assert keys(snapshots.rows(earlier)) == expected


@pytest.mark.spark
def test_initial_rows_that_are_not_there(project: ScratchProject) -> None:
    """A node must not begin empty because a table was not loaded yet; without a snapshot it does,
    whatever has the name.
    """
    relations = Relations(published=project.schema, feeds=project.schema, initial=project.schema)

    def keys(name: str, **options: bool) -> list[object]:
        articles = {"item": {**ARTICLES["item"], **options}}
        publication = node_publication(name, {name: publications(articles)["shop"]})
        snapshots = LakehouseSnapshots(project.build.spark, relations, publication, "north")
        return [row.row["id"] for row in snapshots.first_rows().rows]

    with pytest.raises(LakehouseProblem, match=r"unloaded__item, .* 'item' .*--initial"):
        keys("unloaded", initial_snapshot=True)
    table = f"{project.schema}.unread__item"
    project.build.spark.sql(
        f"create table {table} using delta as select 1 as id, 'v1' as row_version"
    )
    assert keys("unread") == []


@pytest.mark.spark
def test_a_start_where_builds_leave_commands_out(
    project: ScratchProject, relations: Relations
) -> None:
    """A node of a publication with row filters begins where a run has ended, commands and all."""
    spark = project.build.spark
    item = {**ARTICLES["item"], "row_filter": {"north": "id > 0"}}
    publication = node_publication("left", {"left": publications({"item": item})["shop"]})
    made = {"left__item__versions": "id int", "change_outcomes": "run_sequence bigint"}
    for name, columns in made.items():
        spark.sql(f"create table {relations.published}.{name} ({columns}) using delta")
    try:
        with pytest.raises(LakehouseProblem, match="distribution_commands: run a build first"):
            LakehouseSnapshots(spark, relations, publication, "north").first_rows()
    finally:
        for name in made:
            spark.sql(f"drop table {relations.published}.{name}")
