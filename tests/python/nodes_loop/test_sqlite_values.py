"""Values that SQLite would keep in any column: which of them an article's table takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from replication_conflicts.capture.install import ExistingRows, install
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import upload
from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.engine import open_database
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.distribution.agent import Agent, Ports
from replication_conflicts.distribution.apply import Node
from replication_conflicts.publication.commands import AgentCommand
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.rows import SnapshotRow
from tests.python.nodes_loop.databases import (
    VERSION,
    create_tables,
    publications,
    sqlite_databases,
)
from tests.python.nodes_loop.standins import Lists

Sent = dict[str, Any]


class Readings:
    """A table `reading` with a key of one type and a value of another."""

    def __init__(
        self,
        folder: Path,
        replication: str,
        key: tuple[str, str] = ("int", "integer"),
        value: tuple[str, str] = ("string", "text"),
    ) -> None:
        columns = {"at": key[0], "value": value[0]}
        articles = {"reading": {"columns": columns, "primary_key": ["at"]}}
        self.publication = node_publication("shop", publications(articles, replication=replication))
        self.engine = open_database(sqlite_databases(folder).make("north"))
        self.run(f"create table reading (at {key[1]} primary key, value {value[1]})")
        self.lists = Lists()
        self.rows: list[FeedRow] = []

    def install(self, existing: ExistingRows = ExistingRows.REFUSE) -> None:
        install(self.engine, self.publication, "north", existing)

    def run(self, *statements: str) -> list[Any]:
        found: list[Any] = []
        with self.engine.begin() as connection:
            for statement in statements:
                result = run_plain(connection, statement)
                found = [tuple(row) for row in result] if result.returns_rows else []
        return found

    def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
        self.rows += rows

    def upload(self) -> Sent:
        """The last row of the feed that is no delete, as text."""
        upload(self.engine, self.publication, self)
        written = [row for row in self.rows if row.values["operation"] != "delete"]
        kinds = self.publication.article("reading").kinds
        return {name: kind.to_text(written[-1].values[name]) for name, kind in kinds.items()}  # type: ignore[arg-type]

    def agent(self) -> Agent:
        rows = Tables(self.publication, "sqlite")
        node = Node(self.publication, "north", rows, capture_state(self.engine, "north", rows))
        agent = Agent(self.engine, node, Ports(self.lists, self.lists, self.lists))
        agent.prepare()
        return agent


@pytest.fixture(params=["queued", "merge"])
def replication(request: pytest.FixtureRequest) -> str:
    return str(request.param)


MOMENT, DECIMAL = ("timestamp", "text"), ("decimal(10,2)", "text")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (MOMENT, "2024-01-01T10:00:00"),
        (MOMENT, "2024-01-01 10:00"),
        (MOMENT, "2024-01-01"),
        (MOMENT, "2024-01-01 10:00:00Z"),
        (MOMENT, "2024-01-01 10:00:00.120"),
        (MOMENT, "2024-01-01 10:00:00.1234567"),
        (MOMENT, "2024-01-01 10:00:00.5Z"),
        (("timestamp_ntz", "timestamp"), "2024-01-01T10:00:00"),
        (DECIMAL, "1.5"),
        (DECIMAL, "1"),
        (DECIMAL, "+1.50"),
        (DECIMAL, "01.50"),
        (DECIMAL, "00.50"),
        (DECIMAL, ".50"),
        (DECIMAL, "-.50"),
        (DECIMAL, "-0.00"),
        (("decimal(10,0)", "text"), "1.0"),
        (("decimal(10,0)", "text"), "-0"),
        (("decimal(10,2)", "numeric"), "1.239"),
        (("char(3)", "text"), "a "),
        (("char(3)", "text"), " "),
    ],
)
def test_a_key_has_one_form_or_is_refused(
    tmp_path: Path, replication: str, key: tuple[str, str], value: str
) -> None:
    north = Readings(tmp_path, replication, key)
    north.run(f"insert into reading (at) values ('{value}')")
    with pytest.raises(CaptureProblem, match=r"reading\.at holds .* as a key .* in 1 row"):
        north.install(ExistingRows.INSERT)
    north.run("delete from reading")
    north.install()
    with pytest.raises(DBAPIError, match=r"replication: reading\.at holds .* as a key"):
        north.run(f"insert into reading (at) values ('{value}')")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (MOMENT, "2024-01-01 10:00:00"),
        (MOMENT, "2024-01-01 10:00:00.000001"),
        (MOMENT, "2024-01-01 10:00:00.12"),
        (("timestamp_ntz", "timestamp"), "2024-01-01 10:00:00"),
        (("date", "date"), "2024-01-01"),
        (DECIMAL, "1.50"),
        (DECIMAL, "-0.05"),
        (DECIMAL, "0.00"),
        (DECIMAL, "-12345678.00"),
        (("decimal(10,0)", "text"), "-10"),
        (("decimal(10,0)", "text"), "0"),
        (("decimal(10,2)", "numeric"), "1.5"),
        (("double", "real"), "1"),
        (("char(3)", "text"), " a"),
        (("char(3)", "char(3)"), ""),
    ],
)
def test_a_command_meets_the_key_that_the_feed_has(
    tmp_path: Path, replication: str, key: tuple[str, str], value: str
) -> None:
    north = Readings(tmp_path, replication, key)
    north.run(f"insert into reading (at) values ('{value}')")
    north.install(ExistingRows.INSERT)
    sent = {"at": north.upload()["at"]}
    ((held, version),) = north.run(f"select at, {VERSION} from reading")
    north.lists.commands.append(
        AgentCommand(
            "1", "replicated", 1, article="reading", operation="update", key=sent,
            row={**sent, "value": "theirs"}, old_version=version, new_version="HQ:1",
        )
    )  # fmt: skip
    assert north.agent().run().changed_rows == 1
    assert north.run("select at, value from reading") == [(held, "theirs")]


@pytest.mark.parametrize("kind", ["float", "double"])
def test_a_row_with_no_number_can_be_changed(tmp_path: Path, replication: str, kind: str) -> None:
    north = Readings(tmp_path, replication, value=(kind, "real"))
    north.install()
    version = "4b8f3d0e-0c1f-4ecb-9f70-0d6c4f6a5a01"
    north.lists.initial = [SnapshotRow("reading", {"at": "1", "value": "NaN"}, version, {"HQ": 1})]
    north.agent().initialize()
    north.run("update reading set at = 2")
    assert north.upload() == {"at": "2", "value": "NaN"}
    north.run("update reading set value = 'NaN', at = 3")
    assert north.upload() == {"at": "3", "value": "NaN"}
    for other in ("nan", "Infinity", "much", ""):
        with pytest.raises(DBAPIError, match=r"replication: reading\.value"):
            north.run(f"update reading set value = '{other}'")


def test_only_a_value_that_changes_is_looked_at(tmp_path: Path, replication: str) -> None:
    north = Readings(tmp_path, replication, value=("varchar(3)", "text collate nocase"))
    north.install()
    with north.engine.begin() as connection:
        # what no trigger has seen
        run_plain(connection, "insert into replication_agent values (1)")
        run_plain(connection, "insert into reading values (1, 'long', 'v')")
        run_plain(connection, "delete from replication_agent")
    north.run("update reading set at = 2, value = value")
    with pytest.raises(DBAPIError, match=r"replication: reading\.value"):
        north.run("update reading set value = 'LONG'")


def test_rows_that_were_there_are_looked_at(tmp_path: Path, replication: str) -> None:
    north = Readings(tmp_path, replication, value=("int", "integer"))
    north.run("insert into reading values (1, 1), (2, 'two'), (3, 'three'), (4, null)")
    with pytest.raises(CaptureProblem, match=r"reading\.value holds int only.* in 2 rows"):
        north.install(ExistingRows.INSERT)
    north.install(ExistingRows.SNAPSHOT)


def test_a_text_column_may_have_braces_in_its_name(tmp_path: Path, replication: str) -> None:
    articles = {"item": {"columns": {"id": "int", "{at}": "string"}, "primary_key": ["id"]}}
    publication = node_publication("shop", publications(articles, replication=replication))
    engine = open_database(sqlite_databases(tmp_path).make("north"))
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    with engine.begin() as connection:
        run_plain(connection, "insert into item (id, \"{at}\") values (1, 'größe')")
    broken = "insert into item (id, \"{at}\") values (2, cast(x'ff' as text))"
    with engine.begin() as connection, pytest.raises(DBAPIError, match="string only"):
        run_plain(connection, broken)


def test_a_text_stays_whole_that_has_a_character_zero(tmp_path: Path, replication: str) -> None:
    """The agent brings it, from a publisher that has such texts; people change another column."""
    north = Readings(tmp_path, replication, ("string", "text"), ("int", "integer"))
    north.install()
    north.lists.commands = [
        AgentCommand(
            command_id="1",
            kind="replicated",
            queue_position=1,
            article="reading",
            operation="insert",
            key={"at": "a\0'é"},
            row={"at": "a\0'é", "value": "1"},
            new_version="HQ:1",
            lineage={"HQ": 1},
        )
    ]
    north.agent().run()
    north.run("update reading set value = 2")
    assert north.upload() == {"at": "a\0'é", "value": "2"}
