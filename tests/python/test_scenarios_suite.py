"""Reading suites: everything that the format does not allow is an error with file, case and key."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from replication_conflicts.scenarios.reading import SuiteProblem
from replication_conflicts.scenarios.steps import ChangeStep, RawStep, SetStep
from replication_conflicts.scenarios.suite import Suite, read_suite, read_suites

DOCUMENTED = Path(__file__).parents[1] / "scenarios" / "documented"

SUITE = """
suite: example
publication:
  name: stock
  replication: queued
  publisher: HQ
  subscriptions: {north: {}, south: {}}
  articles:
    item:
      columns: {item_id: int, name: string, price: "decimal(10,2)"}
      primary_key: [item_id]
cases:
  - case: ONE
    initial: {item: [{item_id: 1, name: bolt, price: 1.10}]}
    steps:
      - {at: north, id: n1, update: {item: {item_id: 1, price: 1.20}}}
      - {sync: north}
    expect:
      rows: {HQ: {item: [{item_id: 1, name: bolt, price: 1.2}]}, north: same}
      conflicts: []
      outcomes: {n1: applied}
"""


def read(tmp_path: Path, text: str) -> Suite:
    file = tmp_path / "example.yml"
    file.write_text(text, encoding="utf-8")
    return read_suite(file)


def test_all_documented_suites_can_be_read() -> None:
    suites, problems = read_suites(sorted(DOCUMENTED.glob("*.yml")))
    assert problems == []
    assert len(suites) == 31
    assert sum(len(suite.cases) for suite in suites) == 110
    own = {suite.name for suite in suites if suite.needs_own_project}
    assert own == {
        "configuration_error_detection",
        "configuration_error_priority",
        "configuration_error_record_resolver",
        "configuration_error_subscription_type",
        "queued_policy_change",
        "queued_policy_change_refused",
    }


def test_a_suite(tmp_path: Path) -> None:
    suite = read(tmp_path, SUITE)
    [case] = suite.cases
    assert case.converges
    assert case.initial == {"item": ({"item_id": 1, "name": "bolt", "price": Decimal("1.10")},)}
    step = case.steps[0]
    assert isinstance(step, ChangeStep)
    assert step.text == "{at: north, id: n1, update: {item: {item_id: 1, price: '1.20'}}}"
    assert step.transactions[0][0].values == {"item_id": 1, "price": Decimal("1.20")}
    assert case.expect.rows["north"] == "same"
    assert case.expect.conflicts == ()
    assert case.expect.rejected is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("suite: example", "suit: example", "suit: unknown key"),
        ("  publisher: HQ", "  publisher: HQ\n  owner: me", "publication.owner: unknown key"),
        ("primary_key: [item_id]", "primary_key: [id]", "primary_key[0]: 'id' must be one of"),
        ("item_id: int", "item_id: number", "item_id': column type 'number' is not known"),
        ("item_id: int", "scenario_case: int", "is taken by the runner"),
        ("case: ONE", "case: ONE\n    note: x", "case ONE, note: unknown key"),
        ("name: bolt, price: 1.10", "colour: red", "initial.item[0].colour: unknown key"),
        ("price: 1.10", "price: 1.105", "initial.item[0].price: Decimal('1.105') is no decimal"),
        ("at: north", "at: west", "steps[0].at: 'west' must be one of: HQ, north, south"),
        ("price: 1.20", "prize: 1.20", "steps[0].update.item.prize: unknown key 'prize'"),
        ("{item_id: 1, price: 1.20}", "{price: 1.20}", "update.item: 'item_id' is missing"),
        ("update: {item", "delete: {item", "a delete names the key columns only"),
        ("update: {item", "upsert: {item", "steps[0].upsert: unknown key"),
        ("sync: north", "sync: HQ", "steps[1].sync: 'HQ' must be one of: north, south"),
        ("sync: north", "synchronize: north", "steps[1].synchronize: unknown key"),
        ("- {at: north", "- {error: text}\n      - {at: north", "'error' must follow the step"),
        ("{sync: north}", "{sync: north}\n      - {error: []}", "steps[2].error: must be a text"),
        ("price: 1.10", "price: 2026-02-30", "line 14: '2026-02-30' is no day or time"),
        ("price: 1.10", "price: 1:30.5", "line 14: '1:30.5' is no number"),
        ("price: 1.10", "? [a, b]", "line 14: ['a', 'b'] cannot be a key"),
        ("n1: applied", "n2: applied", "expect.outcomes.n2: unknown key"),
        ("n1: applied", "n1: accepted", "expect.outcomes.n1: 'accepted' must be one of"),
        ("conflicts: []", "conflicts: [{looser: north}]", "conflicts[0].looser: unknown key"),
        ("conflicts: []", "conflicts: [{kind: update}]", "kind: 'update' must be one of: update_"),
        ("conflicts: []", "conflict: []", "expect.conflict: unknown key"),
        ("north: same", "west: same", "expect.rows.west: unknown key"),
        ("north: same", "north: equal", "expect.rows.north: must be a mapping"),
        ("HQ: {item", "HQ: {items", "expect.rows.HQ.items: unknown key"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in SUITE
    with pytest.raises(SuiteProblem) as problem:
        read(tmp_path, SUITE.replace(old, new))
    assert message in str(problem.value)
    assert "example.yml" in str(problem.value)


def test_a_key_that_stands_twice(tmp_path: Path) -> None:
    with pytest.raises(SuiteProblem, match="'suite' stands twice"):
        read(tmp_path, SUITE + "suite: again\n")


def test_a_suite_is_read_without_writing_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.delattr(yaml, "dump")
        step = read(tmp_path, SUITE).cases[0].steps[1]
    assert step.text == "{sync: north}"


def test_cases_of_one_name(tmp_path: Path) -> None:
    cases = yaml.safe_load(SUITE)
    cases["cases"] *= 2
    with pytest.raises(SuiteProblem, match="case 'ONE' stands twice"):
        read(tmp_path, yaml.safe_dump(cases))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("suite: [", encoding="utf-8")
    (tmp_path / "b.yml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "c.yml").write_text(SUITE, encoding="utf-8")
    paths = [tmp_path / name for name in ("a.yml", "b.yml", "c.yml", "d.yml")]
    suites, problems = read_suites(paths)
    assert [suite.name for suite in suites] == ["example", "example"]
    assert "is no YAML" in str(problems[0])
    assert "cannot be read" in str(problems[1])


def test_what_may_be_left_out_or_written_otherwise(tmp_path: Path) -> None:
    text = SUITE.replace("north: {}", "north: null").replace("case: ONE", "case: 1\n    title: 2")
    text = text.replace("initial: {item: [{item_id: 1, name: bolt, price: 1.10}]}", "initial:")
    text = text.replace("id: n1", "id: 7").replace("{n1: applied}", "{7: {item: {1: applied}}}")
    text = text.replace("name: stock", "name: 24_hours")
    [case] = read(tmp_path, text).cases
    assert (case.name, case.title, dict(case.initial)) == ("1", "2", {})
    assert case.expect.outcomes == {"7": {"item": {"1": "applied"}}}
    [nothing] = read(tmp_path, SUITE[: SUITE.index("    expect:")]).cases
    assert nothing.expect.conflicts is None


def test_merge_keys_of_yaml(tmp_path: Path) -> None:
    text = SUITE.replace("item: {item_id: 1, price: 1.20}", "item: {<<: *bolt, price: 1.20}")
    text = text.replace("[{item_id: 1, name: bolt", "[&bolt {item_id: 1, name: bolt", 1)
    step = read(tmp_path, text).cases[0].steps[0]
    assert isinstance(step, ChangeStep)
    expected = {"item_id": 1, "name": "bolt", "price": Decimal("1.20")}
    assert step.transactions[0][0].values == expected


def test_an_error_after_a_change_of_configuration(tmp_path: Path) -> None:
    content = yaml.safe_load(SUITE)
    case = content["cases"][0]
    case["steps"] = [{"set": {"policy": "subscriber_wins"}}, {"error": "policy"}]
    case["expect"] = {}
    assert read(tmp_path, yaml.safe_dump(content)).cases[0].expects_error


MERGE_ROW = "item: {item_id: 1, operation: update, "


@pytest.mark.parametrize(
    ("columns", "is_alone", "names_positions"),
    [
        ("queue_position: 7", True, True),
        ("known_position: 3", True, False),
        ("known_position: nothing", False, False),
        ("known_position: all", False, False),
    ],
)
def test_rows_that_name_places(
    columns: str, is_alone: bool, names_positions: bool, tmp_path: Path
) -> None:
    text = SUITE.replace("replication: queued", "replication: merge")
    text = text.replace("update: {item: {item_id: 1, ", f"raw: {{{MERGE_ROW}{columns}, ")
    [case] = read(tmp_path, text).cases
    assert (case.needs_own_queue, case.names_positions) == (is_alone, names_positions)


def test_values_before_a_raw_change_are_canonical(tmp_path: Path) -> None:
    text = SUITE.replace("replication: queued", "replication: merge")
    before = "previous_values: {price: 1.1, item_id: null, name: 1, other: x}, priority: 7"
    text = text.replace("update: {item: {item_id: 1, ", f"raw: {{{MERGE_ROW}{before}, ")
    step = read(tmp_path, text).cases[0].steps[0]
    assert isinstance(step, RawStep)
    assert step.values["previous_values"] == {
        "price": "1.10",
        "item_id": None,
        "name": "1",
        "other": "x",
    }
    written = read(tmp_path, text.replace("{price: 1.1,", "{price: '1,000',")).cases[0].steps[0]
    assert isinstance(written, RawStep)
    assert dict(written.values)["previous_values"]["price"] == "1,000"  # type: ignore[index]
    with pytest.raises(SuiteProblem, match="priority: 1000 is no decimal"):
        read(tmp_path, text.replace("priority: 7", "priority: 1000"))


def test_a_suite_with_set_has_one_case(tmp_path: Path) -> None:
    content = yaml.safe_load(SUITE)
    second = {**content["cases"][0], "case": "TWO"}
    second["steps"] = [{"set": {"policy": "subscriber_wins"}}, *second["steps"]]
    content["cases"].append(second)
    with pytest.raises(SuiteProblem, match="needs a suite of its own"):
        read(tmp_path, yaml.safe_dump(content))


def test_added_subscriptions_may_act(tmp_path: Path) -> None:
    content = yaml.safe_load(SUITE)
    case = content["cases"][0]
    case["steps"] += [{"set": {"add_subscription": {"west": {}}}}, {"sync": "west"}]
    case["expect"]["rows"]["west"] = "same"
    step = read(tmp_path, yaml.safe_dump(content)).cases[0].steps[2]
    assert isinstance(step, SetStep)
    assert step.added == {"west": {}}
    case["steps"].insert(0, {"sync": "west"})
    with pytest.raises(SuiteProblem, match="'west' must be one of"):
        read(tmp_path, yaml.safe_dump(content))


def test_raw_rows(tmp_path: Path) -> None:
    content = yaml.safe_load(SUITE)
    raw: dict[str, object] = {
        "change_id": "x",
        "changed_at": "2026-01-01T00:00:01Z",
        "queue_position": None,
        "item_id": None,
    }
    content["cases"][0]["steps"].append({"at": "north", "raw": {"item": raw}})
    step = read(tmp_path, yaml.safe_dump(content)).cases[0].steps[2]
    assert isinstance(step, RawStep)
    assert step.values["queue_position"] is None
    assert step.values["item_id"] is None
    assert "node" not in step.values
    raw["lineage"] = {"north": 1}
    with pytest.raises(SuiteProblem, match=r"steps\[2\].raw.item.lineage: unknown key"):
        read(tmp_path, yaml.safe_dump(content))


def test_names_are_those_that_the_project_takes(tmp_path: Path) -> None:
    text = SUITE.replace("north", "süd").replace("price", "größe_2")
    text = text.replace("item: {item_id", "1_Item: {item_id").replace("item: [", "1_Item: [")
    [case] = read(tmp_path, text.replace("    item:", "    1_Item:")).cases
    assert case.expect.rows["süd"] == "same"
    assert case.initial["1_Item"][0]["größe_2"] == Decimal("1.10")
    # tables are called by it
    with pytest.raises(SuiteProblem, match="'Größe' must be letters from a to z, digits and _"):
        read(tmp_path, SUITE.replace("    item:", "    Größe:"))
    with pytest.raises(SuiteProblem, match="'na me' must be letters, digits and _"):
        read(tmp_path, SUITE.replace("name: string", "na me: string"))


COMMANDS = "commands: {north: [{publication: stock, sequence: 1, transaction_id: 7, cause: n1}]}"


def test_what_is_behind_commands(tmp_path: Path) -> None:
    text = SUITE.replace("conflicts: []", COMMANDS)
    [case] = read(tmp_path, text).cases
    # commands of other publications are not looked at
    assert case.expect.commands["north"] == ({"sequence": 1, "transaction_id": "7", "cause": "n1"},)
    for old, new, message in (
        ("stock, ", "shop, ", "publication: 'shop' must be one of: stock"),
        ("sequence: 1", "sequence: one", "sequence: must be a whole number"),
        ("cause: n1", "cause: [n1]", "cause: must be a text"),
        ("cause: n1", "reason: n1", "reason: unknown key"),
        ("cause: n1", "kind: replicate", "kind: 'replicate' must be one of: replicated"),
        ("cause: n1", "operation: upsert", "operation: 'upsert' must be one of: insert"),
    ):
        with pytest.raises(SuiteProblem, match=message):
            read(tmp_path, SUITE.replace("conflicts: []", COMMANDS.replace(old, new)))
