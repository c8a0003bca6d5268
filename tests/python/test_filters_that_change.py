"""Row filters that become other ones while their subscribers have rows."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from replication_conflicts.database.articles import NodePublication, node_publication
from replication_conflicts.lakehouse import tables
from replication_conflicts.lakehouse.commands import LakehouseCommands
from replication_conflicts.lakehouse.relations import LakehouseProblem, Relations
from replication_conflicts.lakehouse.snapshots import LakehouseSnapshots
from replication_conflicts.publication.commands import Place
from replication_conflicts.scenarios.project import INPUTS
from tests.python.differential.builds import BuildFailed, Builds
from tests.python.sequential_reader import FeedRow
from tests.python.strategies import Case
from tests.python.strategies.cases import Delivery

FILTERS = {"south": "area = 'south'", "north": "area <> 'west'"}


def insert(position: int, area: str) -> FeedRow:
    """A transaction of the publisher with one new row."""
    return "shop", {
        "change_id": f"HQ-{position}",
        "queue_position": position,
        "node": "HQ",
        "transaction_id": f"t{position}",
        "transaction_change_count": 1,
        "operation": "insert",
        "changed_at": datetime(2026, 1, 1, tzinfo=timezone.utc),
        "old_version": None,
        "new_version": f"v{position}",
        "shop_id": position,
        "area": area,
    }


def configuration(**filters: str) -> dict[str, Any]:
    """The publication with these row filters."""
    shop: dict[str, Any] = {
        "columns": {"shop_id": "int", "area": "string"},
        "primary_key": ["shop_id"],
    }
    if filters:
        shop["row_filter"] = filters
    return {"replication": "queued", "publisher": "HQ", "articles": {"shop": shop}}


@pytest.fixture
def running(tmp_path: Path, scratch_state: Path) -> Builds:
    """A publication that nothing has been decided of."""
    case = Case(
        label="filters",
        configuration=configuration(**FILTERS),
        subscribers=("south", "north", "west"),
        initial={},
        deliveries=(
            Delivery((insert(1, "south"), insert(2, "north"))),
            Delivery((insert(3, "south"),)),
        ),
        steps=(),
        is_cut_free=True,
    )
    return Builds("filters", [case], tmp_path, scratch_state)


def refusal(running: Builds, **filters: str) -> str:
    """What a run says of other filters. It has decided nothing."""
    (played,) = running.played
    before = running.records("change_outcomes", played)
    running.configure({played.name: configuration(**filters)})
    with pytest.raises(BuildFailed) as failed:
        running.build()
    assert running.records("change_outcomes", played) == before
    return str(failed.value)


def commands(running: Builds, node: str, **filters: str) -> LakehouseCommands:
    """A node's commands, as its agent finds them."""
    publication, relations = places(running, **filters)
    return LakehouseCommands(running.spark, relations, publication, node)


def places(running: Builds, **filters: str) -> tuple[NodePublication, Relations]:
    """What an agent knows: the publication with these row filters, and where all is."""
    (played,) = running.played
    project = running.project
    publication = node_publication(played.name, {played.name: configuration(**filters)})
    return publication, Relations(project.schema, project.feeds, initial=project.initial)


def start(running: Builds, node: str, **filters: str) -> tuple[list[str], list[str]]:
    """The keys of the rows that a node begins with, and the causes of the commands behind them."""
    publication, relations = places(running, **filters)
    first = LakehouseSnapshots(running.spark, relations, publication, node).first_rows()
    keys = sorted(str(one.row["shop_id"]) for one in first.rows)
    behind = commands(running, node, **filters).after(first.place)
    return keys, [str(one.cause) for one in behind]


@pytest.mark.spark
@pytest.mark.slow
def test_rows_that_were_sent_by_a_filter(running: Builds) -> None:
    """A filter acts on what is decided from then on: another one would leave rows behind."""
    running.start()
    try:
        (played,) = running.played
        option = f"publication '{played.name}', article 'shop', option 'row_filter': that of"
        wider = {**FILTERS, "south": "area <> 'north'", "west": "area = 'west'"}
        # nothing has been decided yet: any filter may come
        running.configure({played.name: configuration(**wider)})
        running.build()
        running.configure({})
        running.take(0)

        said = refusal(running, **wider)
        assert f"{option} 'south' was 'area = 'south'', is 'area <> 'north''" in said
        assert f"{option} 'west' was none (every row), is 'area = 'west''" in said
        assert f"{option} 'north'" not in said

        # a subscription of another name starts with it
        late = {**FILTERS, "late": "area = 'south'"}
        running.configure({played.name: configuration(**late)})
        subscription = {"publication": played.name, "subscriber": "late"}
        tables.append_rows(
            running.spark,
            f"{running.project.inputs}.subscriptions",
            INPUTS["subscriptions"],
            [subscription],
        )
        with pytest.raises(LakehouseProblem, match="no build knows the subscription of late"):
            start(running, "late", **late)
        running.take(1)
        assert start(running, "late", **late) == (["1", "3"], [])
        # commands about the article are of one subscriber each, also where it has no filter
        assert start(running, "west", **late) == (["1", "2", "3"], [])
        assert commands(running, "west", **late).are_whole
        assert not commands(running, "late", **late).are_whole
        assert commands(running, "HQ", **late).are_whole
        # three have been decided, and a node can be no further
        reached = [commands(running, "west", **late).reach(Place(one)) for one in (2, 3, 4)]
        assert reached == [True, True, False]
        # where nobody has one, all begin before the first command
        assert start(running, "west") == ([], ["HQ-1", "HQ-2", "HQ-3"])
        assert [one["cause"] for one in running.commands(played, "late")] == ["HQ-3"]
        assert "'late' was 'area = 'south'', is none (every row)" in refusal(running, **FILTERS)

        # a full refresh decides everything anew; without its end something may be missing
        running.build("--full-refresh", "--exclude", "distribution_commands")
        with pytest.raises(LakehouseProblem, match="distribution_commands has not taken all of it"):
            start(running, "late", **FILTERS)
        assert "'late' was none (every row)" in refusal(running, **late)
    finally:
        running.drop()
