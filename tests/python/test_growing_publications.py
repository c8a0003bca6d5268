"""Publications that get columns, wider types and articles while rows are published: nothing is
decided anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.python.differential.added_columns import (
    added_columns,
    configuration_before,
    without_values_before,
)
from tests.python.differential.builds import Builds, Played, Record
from tests.python.differential.comparison import compare
from tests.python.sequential_reader import Command, FeedRow
from tests.python.strategies import Case
from tests.python.strategies.cases import Delivery, case_from_seed
from tests.python.strategies.merge_cases import merge_case, reporting_case
from tests.python.strategies.workload import SMALL

# the run that dies when it has decided; columns and articles come before it is run again
LAST_RUN = 1
BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)


class GrowingBuilds(Builds):
    """Articles get columns: a command of before has none of them in its row, and no value."""

    def configure(self, configurations: Mapping[str, Mapping[str, Any]]) -> None:
        """What is read has the types that articles have."""
        super().configure(configurations)
        for played in self.played:
            options = configurations.get(played.name, played.options)
            for article, one in options["articles"].items():
                for schema in (self.project.feeds, self.project.initial):
                    self._retype(f"{schema}.{played.name}__{article}", one["columns"])

    def _retype(self, table: str, columns: Mapping[str, str]) -> None:
        if not self.spark.catalog.tableExists(table):
            return
        values = [
            f"cast(`{name}` as {columns.get(name, kind)}) as `{name}`"
            for name, kind in self.spark.table(table).dtypes
        ]
        self.spark.sql(
            f"create table {table}_typed using parquet as select {', '.join(values)} from {table}"
        )
        self.spark.sql(f"drop table {table}")
        self.spark.sql(f"alter table {table}_typed rename to {table}")

    def typed_command(self, played: Played, record: Record) -> Command:
        found = super().typed_command(played, record)
        if found.row is None:
            return found
        columns = played.publication.articles[str(found.article)].columns
        return replace(found, row={name: found.row.get(name) for name in columns})


def change(
    position: int,
    article: str,
    node: str,
    key: int,
    versions: tuple[str | None, str | None],
    color: str | None = None,
    weight: Decimal | None = None,
) -> FeedRow:
    """A transaction of one change; without an old version an insert, without a new one a delete."""
    old, new = versions
    operation = "insert" if old is None else "delete" if new is None else "update"
    row: dict[str, Any] = {"id": key, "name": None if new is None else f"{node} {position}"}
    return article, {
        "change_id": f"{node}-{position}",
        "queue_position": position,
        "node": node,
        "transaction_id": f"t{position}",
        "transaction_change_count": 1,
        "operation": operation,
        "changed_at": BEGIN + timedelta(seconds=position),
        "old_version": old,
        "new_version": new,
        **row,
        **({"color": color, "weight": weight} if article == "item" else {}),
    }


def later_article() -> Case:
    """The article `label` comes later, with initial rows, and the column `color` of `item`.

    The other columns of `item` get wider types.
    """
    label: dict[str, Any] = {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]}
    columns = {
        "color": "varchar(12)",
        "id": "bigint",
        "name": "varchar(40)",
        "weight": "decimal(9,2)",
    }
    item = {**label, "columns": columns}
    return Case(
        label="later article",
        configuration={
            "replication": "queued",
            "publisher": "HQ",
            "articles": {"item": item, "label": {**label, "initial_snapshot": True}},
        },
        subscribers=("north", "south"),
        initial={
            "label": [{"id": key, "name": "first", "row_version": f"v{key}"} for key in (1, 2, 3)]
        },
        deliveries=(
            Delivery((change(1, "item", "north", 1, (None, "i1"), weight=Decimal("1.50")),)),
            Delivery((change(2, "item", "south", 1, (None, "i2")),)),
            Delivery(
                (
                    # once more what is decided: it is known again
                    change(1, "item", "north", 1, (None, "i1"), weight=Decimal("1.50")),
                    change(3, "label", "north", 1, ("v1", "w1")),
                    change(4, "label", "south", 1, ("v1", "w2")),
                    change(5, "item", "south", 1, ("i1", "i3"), "red"),
                    change(6, "item", "north", 1, ("i1", "i4"), "blue"),
                    change(7, "label", "HQ", 9, (None, "w3")),
                    change(8, "label", "south", 2, ("v2", None)),
                    # more than the types of before could hold
                    change(9, "item", "north", 2**40, (None, "i5"), weight=Decimal("1234567.25")),
                )
            ),
        ),
        steps=(),
        is_cut_free=True,
    )


def before(case: Case) -> dict[str, Any]:
    """The publication without what comes later."""
    if case.label != later_article().label:
        return configuration_before(case, added_columns(case))
    item = case.configuration["articles"]["item"]
    columns = {"id": "int", "name": "varchar(8)", "weight": "decimal(3,2)"}
    return {**case.configuration, "articles": {"item": {**item, "columns": columns}}}


def play(cases: Sequence[Case], folder: Path, state: Path) -> None:
    """As if everything had been there from the start, also when rebuilt."""
    emptied = [without_values_before(one, LAST_RUN + 1, added_columns(one)) for one in cases]
    running = GrowingBuilds("growing", [*emptied, later_article()], folder, state)
    nothing: dict[str, list[str]] = {one.case.label: [] for one in running.played}

    def differences() -> dict[str, list[str]]:
        # nodes are simulated with the values that they had
        return {one.case.label: compare(running, one, is_rebuilt=True) for one in running.played}

    running.start()
    try:
        running.configure({one.name: before(one.case) for one in running.played})
        for number in range(LAST_RUN):
            running.take(number)
        for played in running.played:
            running.deliver(played, LAST_RUN)
        running.build("--select", "+change_outcomes")
        running.configure({})
        running.build()
        running.remember(LAST_RUN)
        for number in range(LAST_RUN + 1, running.runs):
            running.take(number)
        assert differences() == nothing
        assert type_of_color(running) == "string"
        assert running.changed_by_empty_run() == []
        assert running.data_test_errors() == ()
        running.build("--full-refresh")
        assert differences() == nothing
    finally:
        running.drop()


def type_of_color(running: GrowingBuilds) -> str:
    """What a column that came later is in the published rows: like those that were there at first,
    without a length that Delta would check at every later write.
    """
    (later,) = (one for one in running.played if one.case.label == later_article().label)
    described = running.spark.sql(f"describe {running.project.schema}.{later.name}__item__versions")
    (found,) = (row["data_type"] for row in described.collect() if row["col_name"] == "color")
    return str(found)


@pytest.mark.spark
@pytest.mark.slow
def test_what_comes_later(tmp_path: Path, scratch_state: Path) -> None:
    """Columns, types and an article under queued updating; merge replication by column."""
    play([merge_case(1)], tmp_path, scratch_state)


@pytest.mark.spark
@pytest.mark.soak
def test_what_comes_later_in_more_workloads(tmp_path: Path, scratch_state: Path) -> None:
    """Logical records, commands that are refused, people who decide."""
    queued = [case_from_seed(seed, SMALL) for seed in (1, 3, 7)]
    merge = [merge_case(seed) for seed in (2, 7)]
    play([*queued, *merge, reporting_case(48)], tmp_path, scratch_state)
