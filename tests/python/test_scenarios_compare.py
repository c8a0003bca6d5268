"""Matching what is expected with what came out, and putting cases side by side."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from rich.console import Console
from typer.testing import CliRunner

from replication_conflicts.cli import app
from replication_conflicts.scenarios.differences import Difference, identity, match
from replication_conflicts.scenarios.expected import ExpectedFailures, read_expected_failures
from replication_conflicts.scenarios.group import CaseResult
from replication_conflicts.scenarios.outputs import Outputs, Record
from replication_conflicts.scenarios.own_records import Named
from replication_conflicts.scenarios.report import print_failure
from replication_conflicts.scenarios.runner import RunResult, count, group_suites
from replication_conflicts.scenarios.side_by_side import (
    CaseNames,
    case_names,
    code_of,
    in_own_queues,
    shared_options,
    shared_publication,
)
from replication_conflicts.scenarios.suite import Suite, read_suite, read_suites

SCENARIOS = Path(__file__).parents[1] / "scenarios"
DOCUMENTED = SCENARIOS / "documented"
MERGE = ("merge_deletes", "merge_clients", "merge_priorities")


def has_all(expected: Mapping[str, object], actual: Mapping[str, object]) -> bool:
    return all(actual[name] == value for name, value in expected.items())


def test_an_early_choice_is_exchanged_for_a_better_one() -> None:
    # the loose entry fits both, the strict one only the first
    expected = [{"kind": "a"}, {"kind": "a", "loser": "north"}]
    actual = [{"kind": "a", "loser": "north"}, {"kind": "a", "loser": "south"}]
    assert match(expected, actual, has_all) == ([], [])


def test_what_is_left_over_is_told() -> None:
    expected = [{"kind": "a"}, {"kind": "b"}]
    actual = [{"kind": "a"}, {"kind": "a"}, {"kind": "c"}]
    left_expected, left_actual = match(expected, actual, has_all)
    assert left_expected == [1]
    assert len(left_actual) == 2


def test_names_of_a_case() -> None:
    names = CaseNames("c07", "HQ")
    assert names.to_shared("north") == "c07_north"
    assert names.to_shared("HQ") == "HQ"
    assert names.to_shared("HQ*") == "HQ*"
    assert names.to_own("c07_north") == "north"
    assert names.to_own("c08_north") == "c08_north"
    assert names.to_own(None) is None
    assert names.in_own_words("c07_north, c07_south and c08_west") == "north, south and c08_west"
    assert names.to_own_id(names.to_shared_id("a1")) == "a1"
    assert names.to_own_id("c08/a1") == "c08/a1"
    assert names.strip({"scenario_case": "c07", "a": 1}) == {"a": 1}


def test_what_has_several_names() -> None:
    change = Named(("n1", "a1"))
    assert change.has("n1")
    assert change.has("a1")
    assert not change.has("n2")
    assert not change.has(None)
    assert Named().has(None)
    assert not Named().has("n1")
    assert (str(change), str(Named())) == ("n1 or a1", "null")


class Commands(Outputs):
    """Written commands alone."""

    def __init__(self, *written: tuple[str, int, int, str | None, str | None]) -> None:
        self._written = written

    def records(self, relation: str) -> list[Record]:
        assert relation == "distribution_commands"
        names = ("command_id", "queue_position", "sequence", "subscriber", "key")
        return [
            {
                **dict(zip(names, one, strict=True)),
                "publication": "shop",
                "key": None if one[4] is None else {"scenario_case": one[4]},
            }
            for one in self._written
        ]


def test_commands_are_counted_without_those_of_other_cases() -> None:
    outputs = Commands(
        ("for all", 7, 1, None, "c01"),
        ("of another case's subscriber", 7, 2, "c02_north", "c01"),
        ("of its own", 7, 3, "c01_north", "c01"),
        ("of another case", 7, 4, None, "c02"),
        ("of the publisher", 7, 5, "HQ", "c01"),
        ("to start over", 7, 6, "c01_south", None),
        ("behind", 7, (1 << 32) + 3, None, "c01"),
        ("later", 8, 2, None, "c01"),
    )
    assert outputs.sequences("shop", "c01", "HQ") == {
        "for all": 1,
        "of its own": 2,
        "of the publisher": 3,
        "to start over": 4,
        "behind": (1 << 32) + 1,
        "later": 1,
    }
    assert outputs.sequences("other", "c01", "HQ") == {}


def test_cases_that_set_the_queue_are_apart() -> None:
    suite = read_suite(SCENARIOS / "corners" / "contract_violations_transactions.yml")
    parts = in_own_queues(suite)
    name = suite.publication.name
    assert [part.publication.name for part in parts] == [
        name,
        *(f"{name}_alone_{number}" for number in range(1, len(parts))),
    ]
    assert {case.name for part in parts[1:] for case in part.cases} == {"VT-01", "VT-06"}
    assert sorted(case.name for part in parts for case in part.cases) == sorted(
        case.name for case in suite.cases
    )
    assert in_own_queues(parts[1]) == [parts[1]]
    ordinary = read_suite(DOCUMENTED / "merge_deletes.yml")
    assert in_own_queues(ordinary) == [ordinary]


def test_the_case_of_an_output_row() -> None:
    assert code_of({"row_key": "c03|a\\|b"}) == "c03"
    assert code_of({"row_key": None, "change_row": {"scenario_case": "c04"}}) == "c04"
    assert code_of({"subscriber": "c05_north", "key": None}) == "c05"
    assert code_of({"node": "HQ"}) is None


def test_the_hidden_column_is_part_of_every_key() -> None:
    suite = read_suite(DOCUMENTED / "failed_changes_compensated.yml")
    options = shared_options(suite)
    articles = options["articles"]
    assert isinstance(articles, dict)
    customer, purchase = articles["customer"], articles["purchase"]
    assert next(iter(customer["columns"])) == "scenario_case"
    assert customer["primary_key"] == ["scenario_case", "customer_id"]
    assert customer["unique"] == [["scenario_case", "email"]]
    [foreign_key] = purchase["foreign_keys"]
    assert foreign_key["columns"] == foreign_key["to"] == ["scenario_case", "customer_id"]
    assert purchase["check"] == {"amount_positive": "amount > 0"}
    assert customer["initial_snapshot"] is True
    publication = shared_publication(suite)
    assert publication.depth("purchase") == 1
    assert "scenario_case" not in suite.publication.articles["customer"].columns


def test_filters_and_records_are_for_every_case() -> None:
    suite = read_suite(DOCUMENTED / "merge_partitions.yml")
    articles = shared_options(suite)["articles"]
    assert isinstance(articles, dict)
    assert articles["shop"]["row_filter"]["c02_south"] == "area = 'south'"
    assert len(articles["shop"]["row_filter"]) == 2 * len(case_names(suite))
    records = shared_options(read_suite(DOCUMENTED / "merge_logical_records_off.yml"))
    listed = records["logical_records"]
    assert isinstance(listed, list)
    [record] = listed
    assert record["members"]["order_item"]["columns"] == ["scenario_case", "order_id"]


def test_expected_failures_are_suites_and_cases_that_exist() -> None:
    suites, _ = read_suites(sorted(DOCUMENTED.glob("*.yml")))
    listed = read_expected_failures(SCENARIOS / "expected_failures.yml")
    assert listed.unknown(suites, are_all=True) == []


def test_an_expected_failure_that_names_nothing_is_told(tmp_path: Path) -> None:
    deletes, clients = (DOCUMENTED / f"merge_{name}.yml" for name in ("deletes", "clients"))
    case = read_suite(deletes).cases[0].name
    listed = tmp_path / "expected.yml"

    def told(text: str, *words: str) -> list[str]:
        listed.write_text(text, encoding="utf-8")
        files = [str(deletes), str(clients), "--expected-failures", str(listed), *words]
        lines = CliRunner().invoke(app, ["scenarios", *files]).output.splitlines()
        return [line.removeprefix(f"error {listed}, ") for line in lines if "error" in line]

    assert told(f"merge_deletes: {{{case}: x, ZZ-1: x}}") == [
        "case ZZ-1, merge_deletes: there is no such case"
    ]
    # a case alone may be one of another suite
    assert told(f"{case}: x", "--every") == [f"{case}: there is no such suite"]
    other = "merge_priorities: x\nmerge_clients: {ZZ-1: x}"
    assert told(other) == ["case ZZ-1, merge_clients: there is no such case"]
    assert told(other, "--every") == [
        "merge_priorities: there is no such suite",
        "case ZZ-1, merge_clients: there is no such case",
    ]


def test_a_listed_case_excuses_no_other_suite(tmp_path: Path) -> None:
    listed = tmp_path / "expected.yml"
    listed.write_text("merge_deletes: {SAME: one}\nmerge_clients: another", encoding="utf-8")
    expected = read_expected_failures(listed)
    suites = [read_suite(DOCUMENTED / f"{name}.yml") for name in MERGE]
    deletes, clients, priorities = (replace(one.cases[0], name="SAME") for one in suites)
    assert expected.of_case(suites[0], deletes) == "one"
    assert expected.of_case(suites[1], clients) == "another"
    assert expected.of_case(suites[2], priorities) is None
    assert [expected.of_suite(suite) for suite in suites] == [None, "another", None]


def test_suites_that_wait_or_stop_the_run_are_among_themselves() -> None:
    names = ("queued_default_policy", "queued_policy_change", "merge_clients", "merge_deletes")
    suites = [read_suite(DOCUMENTED / f"{name}.yml") for name in names]
    expected = ExpectedFailures(
        {("merge_clients", None): "Merge", ("merge_deletes", None): "Merge"}
    )
    groups = [[suite.name for suite in members] for members, _ in group_suites(suites, expected)]
    assert groups == [
        ["queued_default_policy"],
        ["queued_policy_change"],
        ["merge_clients", "merge_deletes"],
    ]


def test_many_suites_are_grouped_by_what_they_need() -> None:
    names = (
        "queued_default_policy",
        "merge_clients",
        "failed_changes_queued",
        "merge_logical_records_row",
        "merge_resolvers_values",
        "failed_changes_logged",
        "queued_reinitialize",
    )
    suites = [read_suite(DOCUMENTED / f"{name}.yml") for name in names]

    def groups(chosen: list[Suite]) -> list[list[str]]:
        found = group_suites(chosen, ExpectedFailures())
        assert all(may_split for _, may_split in found)
        return [[suite.name for suite in members] for members, _ in found]

    assert groups(suites) == [
        ["queued_default_policy", "queued_reinitialize"],
        ["merge_clients"],
        ["failed_changes_queued", "failed_changes_logged"],
        ["merge_logical_records_row"],
        ["merge_resolvers_values"],
    ]
    assert groups(suites[:3]) == [list(names[:3])]


def test_publications_of_one_name_are_apart() -> None:
    suite = read_suite(DOCUMENTED / "queued_default_policy.yml")
    name = suite.publication.name.upper()
    again = replace(suite, publication=replace(suite.publication, name=name))
    groups = group_suites([suite, again], ExpectedFailures())
    assert groups == [([suite], True), ([again], True)]


def test_numbers_are_compared_by_value_to_the_last_digit() -> None:
    one = Decimal("12345678901234567890123456789.0000000001")
    assert identity({"a": one}) != identity({"a": one + Decimal("0.0000000001")})
    assert identity({"a": Decimal("1.50")}) == identity({"a": Decimal("1.5")})
    assert identity({"a": 0.0}) == identity({"a": -0.0})
    assert identity({"a": float("nan")}) == identity({"a": float("nan")})


def test_counting() -> None:
    suite = read_suite(DOCUMENTED / "merge_deletes.yml")
    first, second, third, fourth = suite.cases[:4]
    expected = ExpectedFailures({(suite.name, one.name): "Merge" for one in (second, third)})
    result = RunResult()
    for case in (first, third):
        count(result, CaseResult(suite, case), expected)
    for case in (second, fourth):
        count(result, CaseResult(suite, case, problems=["no"]), expected)
    assert [one.case for one in result.passed] == [first]
    assert [one.case for one, _ in result.waiting] == [second]
    assert [one.case for one, _ in result.surprising] == [third]
    assert [one.case for one in result.failed] == [fourth]
    assert result.summary == "1 passed, 2 failed"
    result.problems.append("scenarios_1: a data test failed: places_are_unique")
    assert result.summary == "1 passed, 3 failed"


def test_a_failure_shows_steps_and_both_sides() -> None:
    suite = read_suite(DOCUMENTED / "queued_default_policy.yml")
    rows = ["{item_id: 1, name: bolt}"]
    difference = Difference("rows of item at HQ", rows, [*rows, "{item_id: 2, name: [x]}"])
    text = io.StringIO()
    console = Console(file=text, width=120, highlight=False)
    print_failure(console, CaseResult(suite, suite.cases[0], [difference], ["a problem"]))
    shown = text.getvalue()
    for part in ("case AC-46", "{sync: north}", "a problem", "rows of item at HQ", "name: [x]"):
        assert part in shown
