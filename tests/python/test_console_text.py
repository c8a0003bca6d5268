"""Names, paths and messages are printed as they are, also where they look like rich's markup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType
from typer.testing import CliRunner

from replication_conflicts.cli import app
from replication_conflicts.console import scenarios
from replication_conflicts.console.options import plain_console
from replication_conflicts.console.printed_query import Form, print_query
from replication_conflicts.demo.databases import Kind
from replication_conflicts.demo.report import print_next
from replication_conflicts.demo.state import Plan, State
from replication_conflicts.scenarios.runner import RunResult
from replication_conflicts.workload import Settings

from .repository import REPOSITORY

SUITE = REPOSITORY / "tests" / "scenarios" / "documented" / "merge_deletes.yml"
# a style, the end of one that was never begun, and what stands for a picture
HARD = "a[red] b[/b] :key:"


class Answered:
    """A session that knows one answer."""

    def __init__(self, names: list[str], rows: list[tuple[object, ...]]) -> None:
        self.schema = StructType(
            [StructField(name, LongType() if name == "n" else StringType()) for name in names]
        )
        self.columns = names
        self.asked: list[str] = []
        self._rows = rows

    @property
    def catalog(self) -> Answered:
        return self

    def databaseExists(self, name: str) -> bool:
        return name == "published"

    def sql(self, query: str) -> Answered:
        self.asked.append(query)
        return self

    def limit(self, most: int) -> Answered:
        return self

    def collect(self) -> list[tuple[object, ...]]:
        return self._rows


def test_columns_of_a_query_have_any_names() -> None:
    console = plain_console()
    spark: Any = Answered(["change_row[sku]", "[/b]", "n"], [("bolt", HARD, 1)])
    with console.capture() as printed:
        print_query(console, spark, "published", "select ...", 50)
    head, _, row = [line for line in printed.get().splitlines() if line.strip()][:3]
    assert head.split() == ["change_row[sku]", "[/b]", "n"]
    assert row.split() == ["bolt", *HARD.split(), "1"]


@pytest.mark.parametrize(
    ("form", "width", "lines"),
    [
        (Form.AUTO, 80, ["id name", "1 nut, M8", "2 NULL", "2 rows"]),
        (
            Form.AUTO,
            14,
            ["row 1 --", "id 1", "name nut, M8", "row 2 --", "id 2", "name NULL", "2 rows"],
        ),
        (Form.TABLE, 80, ["id name", "1 nut, M8", "2 NULL", "2 rows"]),
        (
            Form.RECORDS,
            80,
            ["row 1", "id 1", "name nut, M8", "row 2", "id 2", "name NULL", "2 rows"],
        ),
        (Form.CSV, 15, ["id,name", '1,"nut, M8"', "2,"]),
    ],
)
def test_rows_are_printed_in_the_form_that_is_asked_for(
    form: Form, width: int, lines: list[str]
) -> None:
    console = plain_console()
    console.width = width
    spark: Any = Answered(["id", "name"], [(1, "nut, M8"), (2, None)])
    with console.capture() as printed:
        print_query(console, spark, "published", "select ...", 50, form)
    found = [" ".join(line.replace("-", " ").split()) for line in printed.get().splitlines()]
    wanted = [" ".join(line.replace("-", " ").split()) for line in lines]
    assert [line for line in found if line.strip("─ ")] == wanted


def test_keys_of_a_map_are_in_the_order_of_their_names() -> None:
    rows: list[tuple[object, ...]] = [({"sku": "BX", "branch": None, "note": "a"},)]
    spark: Any = Answered(["winning_row"], rows)
    console = plain_console()
    console.width = 80
    with console.capture() as printed:
        print_query(console, spark, "published", "select ...", 50)
    assert "branch=NULL, note=a, sku=BX" in printed.get()


def test_a_csv_that_is_cut_says_so_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    spark: Any = Answered(["id"], [(1,), (2,)])
    print_query(plain_console(), spark, "published", "select ...", 1, Form.CSV)
    printed = capsys.readouterr()
    assert printed.out == "id\n1\n"
    assert "1 row; there are more: --limit 10" in printed.err


def test_a_query_needs_no_build_before() -> None:
    """Tables of the feeds can be made in a warehouse that has no schema of the target yet."""
    for schema, asked in (("published", ["use published", "select 1"]), ("other", ["select 1"])):
        session = Answered(["n"], [(1,)])
        spark: Any = session
        with plain_console().capture():
            print_query(plain_console(), spark, schema, "select 1", 50)
        assert session.asked == asked


def test_a_folder_has_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    console = plain_console()
    plan = Plan("publisher_wins", Settings(), Kind.SQLITE)
    with console.capture() as printed:
        print_next(console, State(tmp_path / HARD), plan, False)
    assert f"The databases stay in {HARD}/" in printed.get()


def test_what_goes_wrong_in_a_suite_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_suites(suites: object, is_hard: bool, report: Any, *others: object) -> RunResult:
        report(f"progress {HARD}")
        return RunResult(problems=[f"problem {HARD}"])

    monkeypatch.setattr(scenarios, "run_suites", run_suites)
    result = CliRunner().invoke(app, ["scenarios", str(SUITE)])
    assert f"progress {HARD}\n" in result.output
    assert f"problem {HARD}\n" in result.output
    missing = CliRunner().invoke(app, ["scenarios", f"{HARD}.yml"])
    assert f"{HARD}.yml" in missing.output
