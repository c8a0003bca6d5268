"""Two runs at the same time: what one has decided, the other cannot decide again.

The embedded metastore lets one process in (test_environment.py). Where it does not, the commit of
the decision log is the guard: here a second run commits while the first one is writing.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from dbt.adapters.spark.session import Cursor
from pyspark.sql import SparkSession

from tests.python.differential.builds import BuildFailed, builds
from tests.python.differential.comparison import compare
from tests.python.differential.crafted import AB, case, row
from tests.python.strategies.cases import Delivery

NEWS = "using change_outcomes__news as news"
# the statement has read the log, and waits before it writes
SLOW_NEWS = (
    "using (select * from change_outcomes__news"
    " where reflect('java.lang.Thread', 'sleep', 8000L) = 'null') as news"
)
SECONDS_BEFORE_THE_SECOND = 3.0


@pytest.mark.spark
@pytest.mark.slow
def test_of_two_runs_one_fails_and_nothing_is_decided_twice(
    tmp_path: Path, scratch_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conflicting = case(
        "two runs at once",
        [
            [row(1, "HQ", "update", AB, "v0", "h1")],
        ],
    )
    with_second_delivery = replace(
        conflicting,
        deliveries=(
            *conflicting.deliveries,
            Delivery((row(2, "north", "update", AB, "v0", "n2"),)),
        ),
    )
    execute = Cursor.execute
    errors: list[Exception] = []

    def with_a_second_run(cursor: Cursor, sql: str, *parameters: object) -> None:
        if NEWS not in sql:
            execute(cursor, sql, *parameters)
            return

        def second_run() -> None:
            try:
                SparkSession.active().sql(sql)
            except Exception as error:
                errors.append(error)

        second = threading.Timer(SECONDS_BEFORE_THE_SECOND, second_run)
        second.start()
        try:
            execute(cursor, sql.replace(NEWS, SLOW_NEWS), *parameters)
        finally:
            second.join()

    with builds("two_builds", [conflicting], tmp_path, scratch_state) as running:
        (played,) = running.played
        played.case = with_second_delivery
        running.deliver(played, 1)
        with monkeypatch.context() as patched:
            patched.setattr(Cursor, "execute", with_a_second_run)
            with pytest.raises(BuildFailed, match=r"(?s)change_outcomes: .*ConcurrentAppend"):
                running.build()
        assert errors == []
        decided = Counter(one["change_id"] for one in running.records("change_outcomes", played))
        assert decided == {"HQ-1": 1, "north-2": 1}
        running.build()
        assert compare(running, played, is_rebuilt=True) == []
