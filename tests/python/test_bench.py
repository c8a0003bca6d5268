"""The parts of the benchmark that need no Spark."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
import sqlglot
from rich.console import Console
from sqlglot import exp

from replication_conflicts.dbt_build import NodeResult
from tests.python.bench import machine, report, results, settings, workload
from tests.python.bench.bench import slowest
from tests.python.bench.peers.auto_cdc import reason
from tests.python.bench.results import Findings, Result
from tests.python.bench.sizes import Sizes
from tests.python.bench.workload import EMPTY, Batch


def result(ratio: float, limit: float | None = 1.5, *, is_speed: bool = False) -> Result:
    return Result("decisions", "30.0 s", "bare MERGE", "20.0 s", ratio, limit, is_speed)


@pytest.mark.parametrize(
    ("one", "target", "verdict"),
    [
        (result(1.5), "at most 1.5", "met"),
        (result(1.51), "at most 1.5", "**missed**"),
        (result(20, 20, is_speed=True), "at least 20", "met"),
        (result(19.9, 20, is_speed=True), "at least 20", "**missed**"),
        (result(3, None), "", ""),
    ],
)
def test_a_result_says_whether_its_target_is_met(one: Result, target: str, verdict: str) -> None:
    assert (one.target, one.verdict) == (target, verdict)


def test_results_of_other_cases_are_kept_for_the_next_report(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "results.json"
    assert results.load(file) == {}
    found = {
        "second": Findings("2026-03-02", "5 changes", [result(2, 20, is_speed=True)], []),
        "first": Findings("2026-03-01", "5 changes", [result(1.2)], ["a note"]),
        "gone": Findings("2026-03-01", "5 changes"),
    }
    results.save(file, found)
    assert results.load(file) == found
    assert list(results.in_order(found, ["first", "second", "third"])) == ["first", "second"]


def test_the_report_has_every_figure_beside_its_target() -> None:
    findings = {"queued": Findings("2026-03-01", "5 changes", [result(1.6)], ["3 GiB"])}
    text = report.markdown(findings, "2 cores", "Spark 4")
    row = "| queued | decisions | 30.0 s | bare MERGE | 20.0 s | 1.60 | at most 1.5 | **missed** |"
    assert row in text.splitlines()
    assert "- queued: 2026-03-01, 5 changes" in text.splitlines()
    assert "- queued: 3 GiB" in text.splitlines()
    assert "Machine: 2 cores. Versions: Spark 4." in text
    console = Console(width=160)
    with console.capture() as shown:
        console.print(report.console_table(findings))
    for cell in ("queued", "30.0 s", "1.60", "at most 1.5", "missed"):
        assert cell in shown.get()


def test_a_page_keeps_the_last_report_only() -> None:
    page = "# Page\n<!-- begin of the report -->\nold\n<!-- end of the report -->\nmore\n"
    once = report.inserted(page, "new\n")
    assert once == (
        "# Page\n<!-- begin of the report -->\n\nnew\n\n<!-- end of the report -->\nmore\n"
    )
    assert report.inserted(once, "new\n") == once
    with pytest.raises(ValueError, match="no lines"):
        report.inserted("# Page\n", "new")


@pytest.mark.parametrize("replication", ["queued", "merge"])
@pytest.mark.parametrize("is_spread", [True, False])
def test_the_workload_is_a_query(replication: str, is_spread: bool) -> None:
    batch = Batch(1000, 10_000, is_spread=is_spread)
    for query in (
        batch.feed(EMPTY.behind(batch), "published_rows", replication),
        workload.initial_rows(100, replication),
    ):
        parsed = sqlglot.parse_one(query, dialect="spark")
        assert isinstance(parsed, exp.Select)
        names = parsed.named_selects
        assert set(workload.COLUMNS) <= set(names)


def test_batches_follow_each_other_in_the_queue() -> None:
    first = EMPTY.behind(Batch(100, 10))
    second = first.behind(Batch(50, 10))
    assert (first.number, first.first_position, first.next_position) == (1, 1, 101)
    assert (second.number, second.first_position, second.next_position) == (2, 101, 151)
    assert second.condition == "queue_position >= 101 and queue_position < 151"


def test_all_sizes_follow_from_two() -> None:
    sizes = Sizes(1_000_000, 10_000_000)
    assert (sizes.hot, sizes.contended) == (50_000, 100_000)


def test_the_session_is_set_for_volume(tmp_path: Path) -> None:
    found = settings.settings(tmp_path, cores=3, memory="5g")
    assert found["spark.master"] == "local[3]"
    assert found["spark.driver.memory"] == "5g"
    assert "SerialGC" not in found["spark.driver.extraJavaOptions"]
    assert "-Xms2g" not in found["spark.driver.extraJavaOptions"]
    assert "-Duser.timezone=UTC" in found["spark.driver.extraJavaOptions"]
    assert found["spark.hadoop.parquet.enable.dictionary#change_id"] == "false"


def test_the_slowest_models_come_first() -> None:
    nodes = [NodeResult("a", "success", 1.0), NodeResult("b", "success", 2.5)]
    assert slowest(nodes) == "b 2.5, a 1.0"


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        (
            "x.SparkConnectGrpcException: <_MultiThreadedRendezvous\n"
            '\tdetails = "no interface"\n\tdebug = "..."\n>',
            'details = "no interface"',
        ),
        (
            "x.AnalysisException: [NO_MERGE] no\n\nJVM stacktrace:\n\tat x",
            "x.AnalysisException: [NO_MERGE] no",
        ),
        ("Killed\n", "Killed"),
        ("", "it said nothing"),
    ],
    ids=["details", "error", "other", "nothing"],
)
def test_what_stopped_a_pipeline_is_named(errors: str, said: str) -> None:
    assert reason(errors) == said


def test_the_machine_is_described_without_its_name() -> None:
    text = f"{machine.machine()} {machine.versions()}"
    assert "cores" in text
    assert "pyspark 4" in text
    assert platform.node() not in text.split()
