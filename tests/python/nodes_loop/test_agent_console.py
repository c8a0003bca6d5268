"""`distribute` as a person calls it, at a real database; lists stand in for the lakehouse."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import inspect
from typer.testing import CliRunner, Result

from replication_conflicts.capture.install import install
from replication_conflicts.cli import app
from replication_conflicts.console import distribute
from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.engine import open_database
from replication_conflicts.database.statements import run_plain
from replication_conflicts.environment.profile import write_profile
from replication_conflicts.lakehouse.relations import LakehouseProblem, Relations
from replication_conflicts.publication.commands import AgentCommand
from replication_conflicts.publication.rows import SnapshotRow
from tests.python.nodes_loop.databases import Databases, all_rows, create_tables, publications
from tests.python.nodes_loop.standins import Lists
from tests.python.repository import REPOSITORY

ARTICLES: dict[str, Any] = {
    "item": {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]}
}
PUBLICATION = node_publication("shop", publications(ARTICLES))


class Desk:
    """A project, a subscriber's database whose items have numbers below 100, and commands."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        self.lists = Lists()
        self.engine = open_database(url)
        create_tables(self.engine, PUBLICATION, with_version=True, constraints="check (id < 100)")
        settings = {"publications": publications(ARTICLES)}
        project = {"name": "shop", "profile": "shop", "vars": settings}
        (folder / "dbt_project.yml").write_text(yaml.safe_dump(project), encoding="utf-8")
        write_profile(folder / "profiles", folder / "state", name="shop", schema="shop_builds")
        # what each port was told to read
        self.relations: list[Relations] = []
        self.stranger = ""

    def port(self, spark: object, relations: Relations, *others: object) -> Lists:
        """In the place of any of the lakehouse's."""
        self.relations.append(relations)
        return self.lists

    def check_subscriptions(self, *given: object) -> None:
        """In the place of the lakehouse's."""
        if self.stranger:
            raise LakehouseProblem(f"{self.stranger} has no subscription: {given[-1]}")

    def give(self, *keys: int) -> None:
        """One insert a transaction."""
        for key in keys:
            place = len(self.lists.commands) + 1
            texts = {"id": str(key), "name": "it's"}
            self.lists.commands.append(
                AgentCommand(
                    f"c{place}",
                    "replicated",
                    place,
                    article="item",
                    operation="insert",
                    key={"id": str(key)},
                    row=texts,
                    new_version=f"v{place}",
                )
            )

    def call(self, *words: str, url: str | None = None) -> Result:
        arguments = ["distribute", "--subscriber", "north", "--url", url or self.url, *words]
        return CliRunner().invoke(app, [*arguments, "--project-dir", str(self.folder)])

    def keys(self) -> list[str]:
        return sorted(str(key) for (key,) in all_rows(self.engine, PUBLICATION)["item"])


@pytest.fixture
def desk(databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    found = Desk(tmp_path, databases.make("north"))
    monkeypatch.setattr(distribute, "spark_of", lambda *_: None)
    for port in ("LakehouseCommands", "LakehouseSnapshots", "LakehouseReports"):
        monkeypatch.setattr(distribute, port, found.port)
    monkeypatch.setattr(distribute, "check_subscriptions", found.check_subscriptions)
    return found


def test_a_dry_run_says_what_would_be_done_and_leaves_the_database_alone(desk: Desk) -> None:
    desk.give(1, 2)
    before = inspect(desk.engine).get_table_names()
    result = desk.call("--dry-run")
    assert result.exit_code == 0
    assert "From the beginning: 2 transactions" in result.output
    assert "Nothing was changed." in result.output
    assert "initial rows" not in result.output
    assert "Before them no initial rows\n" in desk.call("--dry-run", "--initialize").output
    assert inspect(desk.engine).get_table_names() == before
    assert desk.keys() == []


@pytest.mark.parametrize(
    ("options", "schema"), [((), "shop_builds"), (("--published", "elsewhere"), "elsewhere")]
)
def test_commands_are_read_where_builds_write(
    desk: Desk, options: tuple[str, ...], schema: str
) -> None:
    assert desk.call(*options).exit_code == 0
    assert [one.published for one in desk.relations] == [schema] * 3
    assert {(one.feeds, one.initial) for one in desk.relations} == {("feeds", "initial")}


def test_a_profile_that_is_not_there_is_one_line(desk: Desk) -> None:
    (desk.folder / "profiles" / "profiles.yml").unlink()
    result = desk.call()
    assert result.exit_code == 1
    assert result.output == (
        f"there is no {desk.folder / 'profiles' / 'profiles.yml'}. `replication-conflicts profile`"
        " writes one; or name the folder of yours: --profiles-dir\n"
    )


def test_a_run_ends_with_a_summary_and_the_next_one_goes_on(desk: Desk) -> None:
    desk.give(1, 2)
    result = desk.call("--batch", "1")
    assert result.exit_code == 0
    assert "north: 2 commands in 2 transactions" in result.output
    assert "position 2" in result.output
    assert desk.keys() == ["1", "2"]
    desk.give(3)
    assert "After position 2: 1 transaction\n" in desk.call("--dry-run").output
    assert "north: 1 command in 1 transaction " in desk.call().output
    assert desk.keys() == ["1", "2", "3"]


@pytest.mark.parametrize(("choice", "keys"), [("stop", ["1"]), ("skip", ["1", "3"])])
def test_a_refused_command_stops_or_is_left_out(desk: Desk, choice: str, keys: list[str]) -> None:
    desk.give(1, 200, 3)
    result = desk.call("--on-error", choice)
    assert result.exit_code == distribute.REFUSED
    assert "refused: insert of item (id 200)" in result.output
    assert ("Stopped there." in result.output) is (choice == "stop")
    assert desk.keys() == keys
    assert [one.error_code for one in desk.lists.refusals.values()] == [547]


def test_what_cannot_be_done_is_one_line(desk: Desk) -> None:
    result = desk.call(url="mysql://somewhere/x")
    assert result.exit_code == 1
    assert len(result.output.strip().splitlines()) == 1
    desk.lists.initial = []
    assert desk.call("--initialize").exit_code == 0
    again = desk.call("--initialize")
    assert (again.exit_code, "initialized already" in again.output) == (1, True)


def test_a_wrong_call_ends_as_it_is_said(desk: Desk) -> None:
    assert desk.call("--unknown").exit_code == 2
    said = "2: an option or argument is unknown, or cannot be read"
    assert said in " ".join(desk.call("--help").output.split())
    page = (REPOSITORY / "docs" / "nodes.md").read_text(encoding="utf-8")
    assert said in " ".join(page.split())


def test_a_subscriber_that_has_no_subscription_is_told_before_anything_is_done(desk: Desk) -> None:
    desk.give(1)
    desk.stranger = "north"
    before = inspect(desk.engine).get_table_names()
    result = desk.call("--initialize")
    assert result.exit_code == 1
    assert "Correct --subscriber, or add it to the project's `subscriptions`" in result.output
    assert inspect(desk.engine).get_table_names() == before


def test_a_node_may_start_before_the_first_build(desk: Desk) -> None:
    desk.lists.are_written = False
    result = desk.call("--initialize")
    assert result.exit_code == 0
    assert result.output == "north: 0 initial rows. No build has written commands yet.\n"


def test_a_first_snapshot_says_what_it_would_replace(desk: Desk) -> None:
    desk.lists.are_written = False
    with desk.engine.begin() as connection:
        run_plain(connection, "insert into item (id, name) values (1, 'mine'), (2, 'mine')")
    planned = desk.call("--dry-run", "--initialize", "--replace-rows")
    assert planned.exit_code == 0
    assert "Before them 0 initial rows of item, in place of 2 rows\n" in planned.output
    _check_refused(desk, "the tables have rows (item 2)", "--initialize")
    assert desk.keys() == ["1", "2"]
    assert desk.call("--initialize", "--replace-rows").exit_code == 0
    assert desk.keys() == []
    _check_refused(desk, "initialized already", "--initialize", "--replace-rows")


def test_initial_rows_are_counted_before_and_after(desk: Desk) -> None:
    desk.give(3)
    desk.lists.initial = [
        SnapshotRow("item", {"id": str(key), "name": "bolt"}, f"i{key}", {}) for key in (1, 2)
    ]
    planned = desk.call("--dry-run", "--initialize")
    assert "Before them 2 initial rows of item\n" in planned.output
    done = desk.call("--initialize")
    assert "\n  2 initial rows\n" in done.output
    assert done.output.startswith("north: 1 command in 1 transaction ")
    assert desk.keys() == ["1", "2", "3"]


def test_what_a_first_snapshot_would_destroy_is_said_before_spark_starts(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with desk.engine.begin() as connection:
        run_plain(connection, "insert into item (id, name) values (1, 'mine')")

    def start(*_: object) -> None:
        raise AssertionError("Spark has started")

    monkeypatch.setattr(distribute, "spark_of", start)
    _check_refused(desk, "the tables have rows (item 1)", "--initialize")


def _check_refused(desk: Desk, words: str, *call: str) -> None:
    """A dry run says the same, and ends alike."""
    refused, planned = desk.call(*call), desk.call("--dry-run", *call)
    assert (refused.exit_code, words in refused.output) == (1, True)
    assert (planned.exit_code, planned.output.strip()) == (1, refused.output.strip())


def test_rows_are_replaced_at_the_start_alone(desk: Desk) -> None:
    for options in ((), ("--dry-run",)):
        refused = desk.call("--replace-rows", *options)
        assert (refused.exit_code, "it needs --initialize" in refused.output) == (2, True)


def test_changes_that_wait_are_never_replaced(desk: Desk) -> None:
    install(desk.engine, PUBLICATION, "north")
    with desk.engine.begin() as connection:
        run_plain(connection, "insert into item (id, name) values (1, 'mine')")
    words = "changes wait for their upload (item 1)"
    for options in ((), ("--replace-rows",)):
        _check_refused(desk, words, "--initialize", *options)
    assert desk.keys() == ["1"]


def test_a_held_row_that_cannot_be_read_is_one_line(tmp_path: Path, desk: Desk) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("create table item (id, name text, row_version text)")
        connection.execute("create unique index by_name on item (name)")
        connection.execute("insert into item values (1, x'ff', 'v'), (2, 'it''s', 'v')")
        connection.commit()
    desk.give(1)
    desk.lists.commands[0] = replace(
        desk.lists.commands[0], operation="update", old_version="v", new_version="v2"
    )
    result = desk.call(url=f"sqlite:///{file}")
    assert result.exit_code == 1
    assert "article 'item', column 'name'" in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_a_project_without_publications_says_so(desk: Desk) -> None:
    (desk.folder / "dbt_project.yml").write_text("name: shop\n", encoding="utf-8")
    result = desk.call()
    assert result.exit_code == 1
    assert "has no publications" in result.output
