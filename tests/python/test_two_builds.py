"""Runs that meet others, or leave models out: nothing is decided twice, nothing is forgotten.

The embedded metastore lets one process in (test_environment.py), and on a cluster a run claims its
schema (test_claim.py). Whatever becomes of that, the commit of the decision log is the guard: here
a second run commits while the first one is deciding, just before it writes, and while it writes.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from dbt.adapters.spark.session import Cursor
from pyspark.sql import SparkSession

from tests.python.differential.builds import BuildFailed, Builds, Record, builds
from tests.python.differential.comparison import compare
from tests.python.differential.crafted import AB, case, row
from tests.python.strategies.cases import Delivery

# in a session of their own, beside the other tests with one: both processes end at the same time
pytestmark = pytest.mark.xdist_group("two builds")

Execute = Callable[[str], None]
DECIDED = "create or replace temporary view change_outcomes__news"
NEWS = "select * from change_outcomes__news"
# the statement has read the log, and waits before it writes; without the guard, which would stop it
SOURCE = re.compile(r"using \(.*?\) as news\b", re.DOTALL)
SLOW_SOURCE = f"using ({NEWS} where reflect('java.lang.Thread', 'sleep', 8000L) = 'null') as news"
SECONDS_BEFORE_THE_SECOND = 3.0
OVERTAKEN = r"(?s)change_outcomes: .*another run has decided changes while this one was deciding"


def while_deciding(schema: str, sql: str, execute: Execute) -> None:
    """The second run commits when the first one has all its decisions, but has not looked again."""
    execute(sql)
    if DECIDED in sql:
        SparkSession.active().sql(f"insert into {schema}.change_outcomes by name {NEWS}")


def before_the_commit(schema: str, sql: str, execute: Execute) -> None:
    """The second run commits when the first one has looked, and found nobody."""
    if NEWS in sql:
        SparkSession.active().sql(sql)
    execute(sql)


def during_the_commit(schema: str, sql: str, execute: Execute) -> None:
    """The second run commits while the first one writes."""
    if NEWS not in sql:
        execute(sql)
        return
    errors: list[Exception] = []

    def second_run() -> None:
        try:
            SparkSession.active().sql(sql)
        except Exception as error:
            errors.append(error)

    second = threading.Timer(SECONDS_BEFORE_THE_SECOND, second_run)
    second.start()
    try:
        execute(SOURCE.sub(SLOW_SOURCE, sql))
    finally:
        second.join()
        assert errors == []


# what the first run is told, by when the second one commits
MOMENTS = (
    (while_deciding, OVERTAKEN),
    (before_the_commit, OVERTAKEN),
    (during_the_commit, r"(?s)change_outcomes: .*ConcurrentAppend"),
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, scratch_state: Path) -> Iterator[Builds]:
    """A row that the publisher has changed, decided; every test goes on from where it finds it."""
    first = case("two builds", [[row(1, "HQ", "update", AB, "v0", "h1")]])
    folder = tmp_path_factory.mktemp("two_builds")
    with builds("two_builds", [first], folder, scratch_state, is_short=True) as found:
        yield found


@pytest.mark.spark
@pytest.mark.slow
def test_of_two_runs_one_fails_and_nothing_is_decided_twice(
    running: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    for moment, told in MOMENTS:
        last = deliver_a_loser(running)
        with monkeypatch.context() as patched:
            with_a_second_run(running, patched, moment)
            with pytest.raises(BuildFailed, match=told):
                running.build()
        decided = Counter(one["change_id"] for one in log(running))
        assert decided == {"HQ-1": 1, **{f"north-{at}": 1 for at in range(2, last + 1)}}
    running.build()
    assert problems(running) == []


@pytest.mark.spark
@pytest.mark.slow
def test_a_table_that_runs_leave_out_catches_up(running: Builds) -> None:
    """What the end of a run has noted of a table holds for that table alone."""
    before, last = noted(running), last_run(running)
    assert set(before.values()) == {last}
    deliver_a_loser(running)
    left_out = (f"conflict_{running.played[0].name}_item", "conflicts_info")
    # nobody waits for a reinitialization: this one has taken the run without being built
    assert "reinitializations" in before
    running.build("--exclude", *left_out, "reinitializations")
    assert noted(running) == {
        model: last if model in left_out else last_run(running) for model in before
    }
    assert problems(running) != []
    running.build()
    assert noted(running) == dict.fromkeys(before, last_run(running))
    assert last_run(running) > last
    assert problems(running) == []


@pytest.mark.spark
@pytest.mark.slow
def test_rounds_of_an_earlier_run_are_gone(running: Builds) -> None:
    """One that took more of them, or died, has left tables."""
    left = f"{running.project.schema}.queued_decisions__round_7"
    running.spark.sql(f"create table {left} using parquet as select 1 as one")
    deliver_a_loser(running)
    running.build()
    assert not running.spark.catalog.tableExists(left)
    assert problems(running) == []


@pytest.mark.spark
@pytest.mark.slow
def test_a_run_without_the_log_is_noted_nowhere(running: Builds) -> None:
    """Its number is that of the next run, whose decisions no table has taken."""
    before = noted(running)
    deliver_a_loser(running)
    running.build("--exclude", "change_outcomes")
    assert noted(running) == before
    running.build()
    assert noted(running) == dict.fromkeys(before, last_run(running)) != before
    assert problems(running) == []


@pytest.mark.spark
@pytest.mark.slow
def test_a_published_table_that_is_dropped_is_made_again(running: Builds) -> None:
    """Until then the log says what the publisher holds, whatever has been noted of the table."""
    table = f"{running.project.schema}.{running.played[0].name}__item__versions"
    running.spark.sql(f"drop table {table}")
    deliver_a_loser(running)
    running.build()
    assert problems(running) == []


@pytest.mark.spark
@pytest.mark.slow
def test_a_full_refresh_that_died_is_asked_for_again(running: Builds) -> None:
    """Tables that it has not come to hold what the log has given another number since."""
    deliver_a_loser(running)
    running.build()
    last = last_run(running)
    running.build("--full-refresh", "--exclude", "conflicts_info")
    deliver_a_loser(running)
    before = log(running)
    with pytest.raises(
        BuildFailed, match=rf"conflicts_info \(run {last}\).*dbt build --full-refresh again"
    ):
        running.build()
    assert log(running) == before
    running.build("--full-refresh")
    assert problems(running) == []


@pytest.mark.spark
@pytest.mark.slow
def test_a_log_that_is_begun_anew_counts_from_one(running: Builds) -> None:
    """What was noted of tables was about the log before."""
    deliver_a_loser(running)
    running.build()
    before = last_run(running)
    running.spark.sql(f"drop table {running.project.schema}.change_outcomes")
    running.build("--full-refresh")
    assert set(noted(running).values()) == {last_run(running)} != {before}
    deliver_a_loser(running)
    running.build()
    assert set(noted(running).values()) == {last_run(running)}
    assert problems(running) == []


@pytest.mark.spark
@pytest.mark.slow
def test_no_run_is_empty(running: Builds) -> None:
    """Views would be made anew, without rows."""
    with pytest.raises(BuildFailed, match="--empty would make the published rows"):
        running.build("--empty")
    assert problems(running) == []


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ("--full-refresh", "--select", "change_outcomes"),
        ("--full-refresh", "--select", "change_outcomes+"),
        ("--full-refresh", "--select", "waiting_changes"),
        ("--exclude", "queued_decisions"),
    ],
)
def test_the_models_of_a_run_belong_together(running: Builds, options: tuple[str, ...]) -> None:
    """Without what stands before it, the log would be emptied, or decide nothing."""
    before = log(running)
    with pytest.raises(BuildFailed, match="no part of this invocation"):
        running.build(*options)
    assert log(running) == before != []
    assert problems(running) == []


def deliver_a_loser(running: Builds) -> int:
    """Deliver one more change, which knows nothing of the publisher's; returns its number."""
    (played,) = running.played
    number = len(played.case.deliveries) + 1
    delivery = Delivery((row(number, "north", "update", AB, "v0", f"n{number}"),))
    played.case = replace(played.case, deliveries=(*played.case.deliveries, delivery))
    running.deliver(played, number - 1)
    return number


def problems(running: Builds) -> list[str]:
    """What is not as the sequential reader has it."""
    return compare(running, running.played[0], is_rebuilt=True)


def log(running: Builds) -> list[Record]:
    """The decision log."""
    return running.records("change_outcomes", running.played[0])


def last_run(running: Builds) -> int:
    """The newest run in the decision log."""
    return max(int(one["run_sequence"]) for one in log(running))


def noted(running: Builds) -> dict[str, int]:
    """The run that each table made from the decision log is said to have taken."""
    rows = running.spark.table(f"{running.project.schema}.finished_runs").collect()
    return {row["model"]: row["run_sequence"] for row in rows}


def with_a_second_run(
    running: Builds,
    patched: pytest.MonkeyPatch,
    moment: Callable[[str, str, Execute], None],
) -> None:
    """Let a second run commit at that moment of the first one."""
    execute = Cursor.execute

    def execute_at_the_moment(cursor: Cursor, sql: str, *parameters: object) -> None:
        def plainly(text: str) -> None:
            execute(cursor, text, *parameters)

        moment(running.project.schema, sql, plainly)

    patched.setattr(Cursor, "execute", execute_at_the_moment)
