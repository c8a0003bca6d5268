"""`capture install`, `renew`, `remove` and `ddl` as a person calls them; the others need Spark."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from replication_conflicts.cli import app
from replication_conflicts.console import capture
from replication_conflicts.environment.profile import write_profile

PROJECT = """
name: shop
profile: shop
vars:
  publications:
    shop:
      replication: queued
      publisher: HQ
      articles:
        item:
          columns: {id: int, name: string}
          primary_key: [id]
"""
LABEL = """
        label:
          columns: {code: int}
          primary_key: [code]
"""


class Shop:
    """A project and a database in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "north.db"
        (folder / "dbt_project.yml").write_text(PROJECT, encoding="utf-8")
        write_profile(folder / "profiles", folder / "state", name="shop")
        self.sql("create table item (id integer primary key, name text)")

    def sql(self, statement: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.file)) as connection, connection:
            return connection.execute(statement).fetchall()

    def call(self, *words: str, url: str | None = None) -> Result:
        environment = {"NODE_URL": url or f"sqlite:///{self.file}"}
        arguments = [*words, "--project-dir", str(self.folder)]
        return CliRunner().invoke(app, arguments, env=environment)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_install_and_remove(shop: Shop) -> None:
    installed = shop.call("capture", "install", "--node", "north")
    assert installed.output == "Captured as north: 1 table of shop.\n"
    shop.sql("insert into item (id, name) values (1, 'bolt')")
    assert shop.sql("select operation from replication_queue") == [("insert",)]
    again = shop.call("capture", "install", "--node", "north")
    assert (again.exit_code, "captured here already" in again.output) == (1, True)
    kept = shop.call("capture", "remove")
    assert (kept.exit_code, "not uploaded yet: 1 change." in kept.output) == (1, True)
    removed = shop.call("capture", "remove", "--discard")
    assert (removed.exit_code, "Dropped: 1 change that waited." in removed.output) == (0, True)
    assert shop.sql("select * from item") == [(1, "bolt")]


def test_rows_that_are_there_need_a_word(shop: Shop) -> None:
    shop.sql("insert into item (id, name) values (1, 'bolt')")
    refused = shop.call("capture", "install", "--node", "HQ")
    assert refused.exit_code == 1
    assert "1 row without a version" in refused.output
    taken = shop.call("capture", "install", "--node", "HQ", "--existing-rows", "insert")
    assert taken.output == "Captured as HQ: 1 table of shop, 1 row queued as inserts.\n"


def test_a_dry_run_says_what_would_be_done(shop: Shop) -> None:
    shop.sql("insert into item (id, name) values (1, 'bolt')")
    install = ["capture", "install", "--node", "HQ", "--existing-rows", "insert"]
    trial = shop.call(*install, "--dry-run")
    said = "Would be captured as HQ: 1 table of shop, 1 row queued as inserts.\n"
    assert trial.output == said
    assert len(shop.sql("select name from sqlite_master")) == 1
    shop.call(*install)
    assert shop.call("capture", "remove", "--dry-run").exit_code == 1
    trial = shop.call("capture", "remove", "--discard", "--dry-run")
    said = "The tables of shop would be as they were. Dropped: 1 change that waited.\n"
    assert trial.output == said
    assert shop.sql("select operation from replication_queue") == [("insert",)]


def test_renew_says_what_has_come(shop: Shop) -> None:
    shop.call("capture", "install", "--node", "HQ")
    more = PROJECT.replace("name: string}", "name: string, size: int}") + LABEL
    (shop.folder / "dbt_project.yml").write_text(more, encoding="utf-8")
    shop.sql("alter table item add column size integer")
    shop.sql("create table label (code integer primary key)")
    shop.sql("insert into label (code) values (7)")
    refused = shop.call("capture", "renew")
    assert (refused.exit_code, "--existing-rows insert" in refused.output) == (1, True)
    renew = ["capture", "renew", "--existing-rows", "insert"]
    trial = shop.call(*renew, "--dry-run")
    assert "New in item: size." in trial.output
    assert shop.call(*renew).output == (
        "The triggers of 2 tables of shop are made anew, 1 row queued as inserts.\n"
        "New in item: size.\n"
        "New in label: code.\n"
    )


@pytest.mark.parametrize(
    ("words", "url", "message"),
    [
        (["--publication", "x"], None, "there is no publication 'x', only: shop"),
        ([], "sqlite:////nowhere.db", "there is no database /nowhere.db"),
        ([], "mysql://somewhere/x", "mysql is not supported; a node's database is one of: sqlite"),
    ],
)
def test_a_mistake_is_one_line(shop: Shop, words: list[str], url: str | None, message: str) -> None:
    result = shop.call("capture", "install", "--node", "north", *words, url=url)
    assert result.exit_code == 1
    assert message in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_an_upload_looks_at_the_database_before_spark_starts(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*_: object) -> None:
        raise AssertionError("Spark has started")

    monkeypatch.setattr(capture, "spark_of", start)
    result = shop.call("capture", "upload")
    assert result.exit_code == 1
    assert result.output == (
        "publication 'shop' is not captured here: `capture install` first, or correct the URL\n"
    )
    shop.call("capture", "install", "--node", "north")
    more = PROJECT.replace("name: string}", "name: string, size: int}")
    (shop.folder / "dbt_project.yml").write_text(more, encoding="utf-8")
    assert "`capture renew`" in shop.call("capture", "upload").output


def test_an_upload_is_one_line(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    class Feed:
        """In the place of the lakehouse's."""

        def __init__(self, *_: object) -> None:
            """Takes everything."""

        def deliver(self, *_: object) -> None:
            """It has come."""

        prepare = deliver

        def has_batch(self, *_: object) -> bool:
            return True

    monkeypatch.setattr(capture, "spark_of", lambda *_: None)
    monkeypatch.setattr(capture, "LakehouseFeed", Feed)
    shop.call("capture", "install", "--node", "north")
    shop.sql("insert into item (id, name) values (1, 'bolt')")
    assert shop.call("capture", "upload").output == "In the feed: 1 change in 1 batch.\n"
    # a feed that has more than the database has sent
    result = shop.call("capture", "upload")
    assert (result.exit_code, "the database was set back" in result.output) == (1, True)


@pytest.mark.parametrize("kind", ["array<string>", "map<string, int>", "STRUCT<a: int>"])
@pytest.mark.parametrize(
    "command", [("capture", "install", "--node"), ("distribute", "--subscriber")]
)
def test_a_database_has_no_nested_columns(shop: Shop, kind: str, command: tuple[str, ...]) -> None:
    project = PROJECT.replace("name: string", f"tags: '{kind}'")
    (shop.folder / "dbt_project.yml").write_text(project, encoding="utf-8")
    result = shop.call(*command, "north")
    assert result.exit_code == 1
    assert result.output == (
        "publication 'shop': article 'item', column 'tags': the lakehouse can have the column type"
        f" '{kind}', a node's database cannot\n"
    )


def test_the_agent_serves_no_other_node(shop: Shop) -> None:
    shop.call("capture", "install", "--node", "north")
    result = shop.call("distribute", "--subscriber", "south")
    assert (result.exit_code, "is the node 'north', not 'south'" in result.output) == (1, True)


def test_a_priority_that_nothing_would_carry_is_refused(shop: Shop) -> None:
    result = shop.call("capture", "install", "--node", "north", "--priority", "5")
    said = "--priority: only publications of merge replication have priorities\n"
    assert (result.exit_code, result.output) == (1, said)
    assert len(shop.sql("select name from sqlite_master")) == 1


@pytest.mark.parametrize("number", ["12.345", "-1", "100", "NaN", "high", ""])
def test_a_priority_is_taken_as_it_is_said(shop: Shop, number: str) -> None:
    project = PROJECT.replace("queued", "merge")
    (shop.folder / "dbt_project.yml").write_text(project, encoding="utf-8")
    result = shop.call("capture", "install", "--node", "north", "--priority", number)
    assert (result.exit_code, f"--priority: '{number}' must be" in result.output) == (1, True)
    shop.call("capture", "install", "--node", "north", "--priority", "12.5")
    assert shop.sql("select priority from replication_node") == [("12.50",)]


@pytest.mark.parametrize("node", ["", " ", " north", "north\t"])
@pytest.mark.parametrize("command", [["install"], ["ddl", "--dialect", "mysql"]])
def test_a_node_has_a_name(shop: Shop, node: str, command: list[str]) -> None:
    result = shop.call("capture", *command, "--node", node)
    assert (result.exit_code, "without blanks around it" in result.output) == (1, True)
    assert len(shop.sql("select name from sqlite_master")) == 1


@pytest.mark.parametrize("node", ["None", "HQ*"])
@pytest.mark.parametrize("command", [["install"], ["ddl", "--dialect", "mysql"]])
def test_a_node_has_a_name_that_a_subscription_may_have(
    shop: Shop, node: str, command: list[str]
) -> None:
    result = shop.call("capture", *command, "--node", node)
    assert (result.exit_code, "no subscription can have that name" in result.output) == (1, True)


@pytest.mark.parametrize("dialect", ["tsql", "mysql"])
def test_ddl_is_printed(shop: Shop, dialect: str) -> None:
    result = shop.call("capture", "ddl", "--node", "north", "--dialect", dialect)
    assert result.exit_code == 0
    assert "create trigger" in result.output
