"""What people read of conflicts, and what would have been decided otherwise: one small build.

The feed of the demo, a publication of merge replication with one conflict of every sort, and one
with the resolver of its own that `docs/resolvers.md` shows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from replication_conflicts.cli import app
from replication_conflicts.dbt_build import DbtBuild
from replication_conflicts.environment.profile import write_with_schema
from replication_conflicts.workload import Settings
from tests.python.demo_loop import demo_case
from tests.python.differential.builds import Builds, Record, builds
from tests.python.merge_example import merge_example
from tests.python.own_resolver import own_resolver_case
from tests.python.strategies import cut_again

DEMO, MERGE, OWN = "p01", "p02", "p03"
SCHEMA = "what_if_answer"
REBUILT = "what_if_rebuilt"
# all kinds of conflict, and no key is broken under either policy: every broken key costs rounds
SHORT = Settings(transactions=60, deliveries=1, size=8, seed=15)
DECIDED = (
    "outcome",
    "conflict_kind",
    "conflict_type",
    "loser_node",
    "loser_change_id",
    "winner_node",
    "winner_change_id",
    "publisher_version",
)

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, scratch_state: Path) -> Iterator[Builds]:
    demo = cut_again(demo_case("publisher_wins", SHORT), Random(0), 1)
    folder = tmp_path_factory.mktemp("conflict_views")
    cases = [demo, merge_example(), own_resolver_case()]
    with builds("conflict_views", cases, folder, scratch_state) as found:
        yield found
        for schema in (SCHEMA, REBUILT):
            found.spark.sql(f"drop schema if exists {schema} cascade")


def rows(running: Builds, query: str) -> list[Record]:
    running.spark.sql(f"use {running.project.schema}")
    return [row.asDict(recursive=True) for row in running.spark.sql(query).collect()]


def of_merge(running: Builds, relation: str, columns: str, condition: str = "true") -> list[Any]:
    query = (
        f"select {columns} from {relation} where publication = '{MERGE}' and {condition}"
        " order by all"
    )
    return [tuple(row.values()) for row in rows(running, query)]


def files_outside(state: Path, *schemas: str) -> dict[str, int]:
    """Every file of the warehouse that is not in one of the schemas, with its time."""
    return {
        str(file): file.stat().st_mtime_ns
        for file in (state / "warehouse").rglob("*")
        if file.is_file() and not {f"{schema}.db" for schema in schemas} & set(file.parts)
    }


def ask(running: Builds, *options: str) -> Result:
    command = ["what-if", "--schema", SCHEMA, "--project-dir", str(running.project.folder)]
    return CliRunner().invoke(app, [*command, *options])


# --- views --------------------------------------------------------------------------------------


def test_conflicts_are_counted_by_article(running: Builds) -> None:
    counted = "conflict_table, key_columns, conflicts, lost_rows, lost_deletes, conflict_kinds"
    assert of_merge(running, "article_conflicts", f"source_object, {counted}") == [
        (
            f"{MERGE}__item",
            f"conflict_{MERGE}_item",
            ["item_id"],
            3,
            2,
            1,
            ["delete_update", "update_delete", "update_update"],
        )
    ]
    every = rows(running, "select sum(conflicts) as number from article_conflicts")
    assert every == rows(running, "select count(*) as number from conflicts_info")


def test_the_loser_stands_beside_the_winner(running: Builds) -> None:
    columns = "row_key, column_number, colname, is_key, lost_value, winning_value, is_different"
    assert of_merge(running, "conflict_rows", columns) == [
        ("1", 1, "item_id", True, "1", "1", False),
        ("1", 2, "name", False, "nut", "bolt", True),
        ("1", 3, "quantity", False, "8", "7", True),
        ("2", 1, "item_id", True, "2", None, True),
        ("2", 2, "name", False, "bolt", None, True),
        ("2", 3, "quantity", False, "6", None, True),
    ]
    facts = "distinct row_key, is_winner_deleted, origin_datasource, winner_node, conflict_type"
    assert of_merge(running, "conflict_rows", facts) == [
        ("1", False, "south", "north", 2),
        ("2", True, "south", "north", 3),
    ]


def test_every_losing_row_has_all_its_columns(running: Builds) -> None:
    """Under queued updating the winner's side is what the publisher published instead."""
    lost = "select count(*) as number from conflicts_info where has_lost_row"
    beside = "select count(distinct conflict_id) as number from conflict_rows"
    assert rows(running, lost) == rows(running, beside)
    settled = rows(
        running,
        "select conflict_id, colname, winning_value, is_winner_deleted, outcome,"
        " publisher_version is null as is_deleted"
        " from conflict_rows inner join change_outcomes using (publication, conflict_id)"
        f" where publication = '{DEMO}'",
    )
    assert {(row["is_winner_deleted"], row["is_deleted"]) for row in settled} == {
        (False, False),
        (True, True),
    }


def test_lost_deletes_have_no_data(running: Builds) -> None:
    facts = "origin_datasource, winner_node, conflict_type"
    columns = f"source_object, row_key, to_json(winning_row), {facts}"
    assert of_merge(running, "delete_conflict_rows", columns) == [
        (
            f"{MERGE}__item",
            "3",
            '{"item_id":"3","name":"screw","quantity":"5"}',
            "south",
            "north",
            4,
        )
    ]


def test_who_made_what_of_a_merged_row(running: Builds) -> None:
    columns = "colname, node, version, current_state, comment"
    earlier = "made an earlier version, or one that this one knows"
    assert of_merge(running, "row_replica_info", columns, "row_key = '4'") == [
        (None, "HQ", "HQ:4", "n", earlier),
        (None, "HQ*", "HQ*:1", "y", "a run made this version"),
        (None, "north", "north:4", "n", earlier),
        (None, "south", "south:4", "n", earlier),
        ("item_id", "HQ", "HQ:4", "n", "as in the initial snapshot"),
        ("name", "north", "north:4", "n", "wrote the column last"),
        ("quantity", "south", "south:4", "n", "wrote the column last"),
    ]


def test_who_deleted_a_row_and_who_never_touched_it(running: Builds) -> None:
    columns = "row_key, colname, node, version, current_state, is_deleted, comment"
    current = "row_key in ('2', '5') and current_state = 'y' and colname is null"
    assert of_merge(running, "row_replica_info", columns, current) == [
        ("2", None, "north", "north:2", "y", True, "deleted the row"),
        ("5", None, "HQ", "HQ:5", "y", False, "the initial snapshot"),
    ]


def test_every_row_of_queued_updating_has_one_current_version(running: Builds) -> None:
    current = {
        (row["article"], row["row_key"]): row["version"]
        for row in rows(
            running,
            f"select * from row_replica_info where publication = '{DEMO}' and current_state = 'y'",
        )
    }
    for article in running.played[0].publication.articles:
        held = rows(running, f"select row_key, row_version from {DEMO}__{article}__versions")
        assert {row["row_key"]: row["row_version"] for row in held} == {
            key: version for (name, key), version in current.items() if name == article
        }


# --- a resolver of the project's own ------------------------------------------------------------


def test_the_resolver_of_the_readme_decides(running: Builds) -> None:
    """Whoever closed a ticket wins; what the resolver leaves open, north with its priority."""
    published = rows(running, f"select * from {OWN}__ticket order by ticket_id")
    assert [(row["ticket_id"], row["status"], row["note"]) for row in published] == [
        (1, "closed", "south is done"),
        (2, "closed", "south is done"),
        (3, "open", "north asks"),
        (4, "closed", "north is done"),
        (7, "closed", "south is done"),
        (8, "open", "not for south"),
    ]
    outcomes = rows(
        running,
        f"select change_id, outcome, rule, loser_node from change_outcomes"
        f" where publication = '{OWN}' and conflict_id is not null and rule <> 'constraint'",
    )
    assert {row["change_id"]: (row["outcome"], row["loser_node"]) for row in outcomes} == {
        "south-1": ("won", "north"),
        "north-2": ("lost", "north"),
        "north-3": ("won", "south"),
        "south-4": ("lost", "south"),
        "south-5": ("lost", "south"),
        "north-6": ("won", "south"),
        "south-7": ("won", "north"),
    }
    assert {row["rule"] for row in outcomes} == {"final_value_wins"}


def test_a_command_says_why_it_deletes(running: Builds) -> None:
    """By a user, because the row left the partition, or because its insert is undone."""
    deleted = rows(
        running,
        f"select subscriber, key, operation, tombstone_type from subscriber_commands"
        f" where publication = '{OWN}' and (operation = 'delete' or tombstone_type is not null)",
    )
    found = {(one["subscriber"], one["key"]["ticket_id"], one["tombstone_type"]) for one in deleted}
    assert found == {
        ("north", "5", 1),
        ("south", "5", 1),
        ("north", "6", 1),
        ("south", "6", 1),
        ("south", "8", 5),
        ("south", "9", 6),
    }
    assert {one["operation"] for one in deleted} == {"delete"}


# --- what if ------------------------------------------------------------------------------------


def test_a_what_if_is_what_a_rebuild_decides(
    running: Builds, scratch_state: Path, tmp_path: Path
) -> None:
    """From publisher_wins to subscriber_wins, beside a rebuild under that policy; and nothing that
    is not the answer's own changes."""
    before = files_outside(scratch_state, SCHEMA)
    result = ask(running, "--publication", DEMO, "--policy", "subscriber_wins")
    assert result.exit_code == 0, result.output
    assert files_outside(scratch_state, SCHEMA) == before

    decided = decisions(running, running.project.schema)
    otherwise = {
        row["change_id"]: row for row in rows(running, f"select * from {SCHEMA}.what_if_changes")
    }
    rebuild(running, tmp_path, DEMO, {"policy": "subscriber_wins"})
    expected = decisions(running, REBUILT)
    assert set(otherwise) == {name for name in expected if expected[name] != decided[name]}
    outcomes = {name: row["what_if_outcome"] for name, row in otherwise.items()}
    assert outcomes == {name: expected[name][0] for name in otherwise}
    assert {"rejected", "won"} <= {
        *(row["decided_outcome"] for row in otherwise.values()),
        *outcomes.values(),
    }

    assert f"{len(otherwise):,} of {len(decided):,} changes" in result.output
    counts = Counter[tuple[str, ...]]()
    for row in rows(running, f"select * from {SCHEMA}.what_if_counts"):
        counts[row["article"], row["decided_outcome"], row["what_if_outcome"]] += row[
            "change_count"
        ]
    assert counts == Counter(
        (row["article"], row["decided_outcome"], row["what_if_outcome"])
        for row in otherwise.values()
    )


def test_a_what_if_with_another_priority(running: Builds) -> None:
    result = ask(running, "--publication", MERGE, "--priority", "south=90", "--limit", "2")
    assert result.exit_code == 0, result.output
    assert "3 of 8 changes" in result.output
    assert "1 more" in result.output
    found = rows(running, f"select * from {SCHEMA}.what_if_changes order by queue_position")
    assert [
        (row["change_id"], row["decided_outcome"], row["what_if_outcome"]) for row in found
    ] == [("south-1", "lost", "won"), ("south-2", "lost", "won"), ("south-3", "lost", "won")]
    assert found[0]["decided_row"] == {"item_id": "1", "name": "bolt", "quantity": "7"}
    assert found[0]["what_if_row"] == {"item_id": "1", "name": "nut", "quantity": "8"}


def test_a_what_if_that_changes_nothing(running: Builds) -> None:
    result = ask(running, "--publication", MERGE, "--resolver", "item=priority")
    assert result.exit_code == 0, result.output
    assert "All 8 changes would have been decided as they were." in result.output


def test_a_schema_of_somebody_else_is_left_alone(running: Builds) -> None:
    options = ("--publication", DEMO, "--policy", "subscriber_wins")
    result = ask(running, *options, "--schema", running.project.feeds)
    assert result.exit_code == 1
    assert "no what-if has made it" in result.output
    assert rows(running, f"select count(*) as number from {running.project.feeds}.{MERGE}__item")


def test_a_resolver_that_there_is_not_is_an_error_that_names_those_there_are(
    running: Builds,
) -> None:
    result = ask(running, "--publication", MERGE, "--resolver", "item=newest")
    assert result.exit_code == 1
    assert "option 'resolver': is 'newest', must be one of: priority" in result.output


def decisions(running: Builds, schema: str) -> dict[str, tuple[object, ...]]:
    columns = ", ".join(DECIDED)
    query = f"select change_id, {columns} from {schema}.change_outcomes"
    return {
        row["change_id"]: tuple(row[name] for name in DECIDED)
        for row in rows(running, f"{query} where publication = '{DEMO}'")
    }


def rebuild(running: Builds, folder: Path, publication: str, options: dict[str, Any]) -> None:
    """Decide the whole feed under another configuration, as if it had never been decided."""
    project = running.project
    configured = {one.name: one.options for one in running.played}
    configured[publication] = {**configured[publication], **options}
    write_with_schema(project.folder, project.profiles, "embedded", REBUILT, folder)
    result = DbtBuild(project.folder, folder).run(
        "run",
        "--full-refresh",
        *("--select", "+change_outcomes"),
        *("--vars", json.dumps({"publications": configured})),
        *("--target-path", str(folder / "target")),
    )
    assert result.success, result.errors
