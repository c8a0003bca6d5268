"""What the lakehouse asks of Spark, and says where it gets nothing: with a stand-in for Spark."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import AnalysisException

from replication_conflicts.database.articles import node_publication
from replication_conflicts.lakehouse import queue_table
from replication_conflicts.lakehouse.queue_table import CHANGE, QueueTable
from replication_conflicts.lakehouse.relations import LakehouseProblem, Relations
from replication_conflicts.lakehouse.snapshots import LakehouseSnapshots
from replication_conflicts.publication.commands import AgentCommand, SnapshotTable
from tests.python.nodes_loop.databases import publications

ITEM = {"columns": {"id": "int"}, "primary_key": ["id"]}
PUBLICATION = node_publication("shop", publications({"item": ITEM}))
AGAIN = (
    AnalysisException("[DELTA_CONCURRENT_APPEND] Files were added\n\nJVM stacktrace:\n\tat x"),
    Py4JError("An error occurred\n: io.delta.exceptions.ConcurrentWriteException: by another one"),
)


class Lake:
    """A session whose queue and log are tables of SQLite; a merge does as it is told."""

    def __init__(self, *merges: Callable[[], int]) -> None:
        self.catalog = self
        self.statements: list[str] = []
        self._merges = list(merges)
        self._tables = sqlite3.connect(":memory:")
        for schema in ("feeds", "published"):
            self._tables.execute(f"attach ':memory:' as {schema}")
        self.run("create table feeds.shop_queue (queue_position integer)")
        self.run("create table published.change_outcomes (publication, transaction_position)")

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        return self._tables.execute(statement).fetchall()

    def tableExists(self, name: str) -> bool:
        schema, _, table = name.partition(".")
        return bool(self.run(f"select 1 from {schema}.sqlite_master where name = '{table}'"))

    def table(self, name: str) -> Table:
        return Table(self, name)

    def sql(self, statement: str, **_: object) -> Result:
        self.statements.append(statement)
        return Result([{"num_inserted_rows": self._merges.pop(0)()}])

    def place(self) -> int | None:
        """What the last merge counts on from, as it reads it now."""
        query = self.statements[-1].partition(" cross join (")[2].partition(") as last")[0]
        found = self.run(query)
        return int(found[0][0]) if found else None


class Table:
    def __init__(self, lake: Lake, name: str) -> None:
        self._lake, self._name = lake, name

    def selectExpr(self, expression: str) -> Result:
        ((whole,),) = self._lake.run(f"select {expression} from {self._name}")
        return Result([{"whole": bool(whole)}])


class Result:
    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self._rows = rows

    def collect(self) -> Sequence[dict[str, Any]]:
        return self._rows


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr("time.sleep", found.append)
    monkeypatch.setattr(queue_table, "records_frame", lambda *_: None)
    return found


def append(lake: Lake) -> None:
    spark: Any = lake
    QueueTable(spark, Relations(), PUBLICATION).append(CHANGE, [{"ordinal": 0}])


def failing(error: Exception) -> Callable[[], int]:
    def merge() -> int:
        raise error

    return merge


def test_a_whole_queue_says_its_last_place(pauses: list[float]) -> None:
    lake = Lake(lambda: 1)
    lake.run("insert into feeds.shop_queue values (1), (2), (3)")
    append(lake)
    assert lake.place() == 3
    assert "change_outcomes" not in lake.statements[0]


@pytest.mark.parametrize("is_logged", [False, True])
@pytest.mark.parametrize(("held", "place"), [((), 3), ((3,), 3), ((2, 5), 5)])
def test_places_that_runs_have_taken_count(
    pauses: list[float], held: tuple[int, ...], place: int, is_logged: bool
) -> None:
    lake = Lake(lambda: 1)
    for one in held:
        lake.run(f"insert into feeds.shop_queue values ({one})")
    lake.run("insert into published.change_outcomes values ('shop', 3), ('other', 90)")
    if not is_logged:
        lake.run("drop table published.change_outcomes")
    append(lake)
    assert lake.place() == (place if is_logged else max(held, default=0))


@pytest.mark.parametrize("error", [None, *AGAIN])
def test_rows_that_are_removed_meanwhile_leave_their_places_taken(
    pauses: list[float], error: Exception | None
) -> None:
    """A run decides, and somebody removes what is decided: before the merge, or into it."""

    def removed() -> int:
        lake.run("insert into published.change_outcomes values ('shop', 3)")
        lake.run("delete from feeds.shop_queue")
        # the merge would find nothing to count on from
        assert lake.place() is None
        if error is not None:
            raise error
        return 0

    lake = Lake(removed, lambda: 1)
    lake.run("insert into feeds.shop_queue values (1), (2), (3)")
    append(lake)
    assert lake.place() == 3


def test_what_is_there_already_is_not_added_again(pauses: list[float]) -> None:
    lake = Lake(lambda: 0)
    lake.run("insert into feeds.shop_queue values (1)")
    append(lake)
    assert len(lake.statements) == 1


@pytest.mark.parametrize("error", AGAIN)
def test_others_that_write_all_the_time_are_named(pauses: list[float], error: Exception) -> None:
    lake = Lake(*[failing(error)] * 5)
    with pytest.raises(LakehouseProblem, match=r"others write to feeds\.shop_queue all the time"):
        append(lake)
    assert len(lake.statements) == 5
    assert [0 < one < 3 for one in pauses] == [False, True, True, True, True]
    assert pauses[0] == 0


def test_another_error_is_not_tried_again(pauses: list[float]) -> None:
    stack = "\n\tat java.base/java.util.concurrent.ConcurrentModificationException.x(A.java:1)"
    error = Py4JError(f"An error occurred\n: java.io.IOException: No space left{stack}")
    lake = Lake(failing(error))
    with pytest.raises(Py4JError, match="No space left"):
        append(lake)
    assert len(lake.statements) == 1


@pytest.mark.parametrize("is_filtered", [False, True])
def test_a_snapshot_that_is_gone_says_how_to_go_on(is_filtered: bool) -> None:
    class Emptied:
        def table(self, name: str) -> None:
            raise AnalysisException(f"[TABLE_OR_VIEW_NOT_FOUND] {name}\n\nJVM stacktrace:\n\tat x")

    item = {**ITEM, **({"row_filter": {"south": "id > 5"}} if is_filtered else {})}
    publication = node_publication("shop", publications({"item": item}))
    spark: Any = Emptied()
    snapshot = (SnapshotTable("item", "published.gone", 7),)
    command = AgentCommand("c9", "reinitialize", 8, snapshot=snapshot, snapshot_position=8)
    with pytest.raises(LakehouseProblem) as found:
        list(LakehouseSnapshots(spark, Relations(), publication, "north").rows(command))
    message = str(found.value)
    assert message.startswith("the snapshot of the command c9 cannot be read")
    assert message.endswith("Spark says: [TABLE_OR_VIEW_NOT_FOUND] published.gone")
    # without row filters a start leads to the same command again
    assert ("a subscription of another name" in message) is not is_filtered
    assert "`distribute --initialize`" in message
