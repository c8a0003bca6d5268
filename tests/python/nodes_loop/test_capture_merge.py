"""Capture of merge replication: a database and a simulated node do the same, step by step, and
must upload the same net changes and hold the same rows, versions and lineages.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Engine, inspect, text

from replication_conflicts.capture.install import CaptureProblem, ExistingRows, install, remove
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import upload
from replication_conflicts.distribution.agent import Agent, Ports
from replication_conflicts.distribution.apply import Node
from replication_conflicts.distribution.articles import NodeArticle, node_publication
from replication_conflicts.distribution.commands import AgentCommand
from replication_conflicts.distribution.database import dialect_of, open_database
from replication_conflicts.distribution.images import quoted
from replication_conflicts.distribution.metadata import LINEAGE, metadata_name
from replication_conflicts.distribution.ports import SnapshotRow
from replication_conflicts.distribution.statements import Tables, escaped, run_plain
from replication_conflicts.nodes import Change, Command, FeedRow, MergeNode, SnapshotTable
from tests.python.nodes_loop.databases import (
    VERSION,
    Databases,
    all_rows,
    create_tables,
    publications,
)
from tests.python.nodes_loop.standins import Lists

ARTICLES: dict[str, Any] = {
    "item": {
        "columns": {"id": "int", "name": "string", "count": "int"},
        "primary_key": ["id"],
    },
    'odd "line"; :x': {
        "columns": {"the item": "int", "n'o": "string", "price": "decimal(10,2)", "on": "boolean"},
        "primary_key": ["the item", "n'o"],
        "foreign_keys": [{"columns": ["the item"], "references": "item", "to": ["id"]}],
    },
}
PUBLICATION = node_publication("shop", publications(ARTICLES, replication="merge"))
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
# made by each side for itself
OWN = ("change_id", "transaction_id", "changed_at")


class Pair:
    """A captured database and the simulated node beside it."""

    def __init__(self, databases: Databases) -> None:
        self.engine: Engine = open_database(databases.make("north"))
        create_tables(self.engine, PUBLICATION, with_version=False)
        install(self.engine, PUBLICATION, "north", priority=Decimal("75.00"))
        self.node = MergeNode("north", PUBLICATION.options, priority=Decimal("75.00"))
        self.lists = Lists()
        rows = Tables(PUBLICATION, dialect_of(self.engine))
        node = Node(PUBLICATION, "north", rows, capture_state(self.engine, "north", rows))
        self.agent = Agent(self.engine, node, Ports(self.lists, self.lists, self.lists))
        self.agent.prepare()
        self.position = 0
        self.sent: list[tuple[str, str]] = []
        self.is_repeating = False
        self._rows: list[FeedRow] = []

    # --- what people do

    def work(self, *changes: Change) -> None:
        """A transaction at both."""
        self.node.transaction(changes, NOW)
        with self.engine.begin() as connection:
            for change in changes:
                connection.execute(*_statement(change))

    def rename(self, old: int, new: int) -> None:
        """Another key."""
        held = self.node.held("item", (old,))
        assert held is not None
        self.node.transaction(
            [
                Change("delete", "item", {"id": old}),
                Change("insert", "item", {**held.row, "id": new}),
            ],
            NOW,
        )
        with self.engine.begin() as connection:
            run_plain(connection, f"update item set id = {new} where id = {old}")

    # --- what the agent and the upload do

    def command(self, **options: Any) -> None:
        """A command about a row, for both."""
        self.position += 1
        article = PUBLICATION.article(options["article"])
        key: Mapping[str, Any] = options["key"]
        row = options.get("row")
        new, old = options.get("new_version"), options.get("old_version")
        kind = options.get("kind", "replicated")
        self.is_repeating |= kind == "not_applied"
        operation = "delete" if new is None else "insert" if old is None else "update"
        common: dict[str, Any] = {
            "command_id": f"c{self.position}",
            "kind": kind,
            "queue_position": self.position,
            "article": article.name,
            "operation": operation,
            "old_version": old,
            "new_version": new,
            "lineage": options.get("lineage", {}),
        }
        options_of = PUBLICATION.options.articles[article.name]
        self.node.apply(
            [
                Command(
                    **common,
                    subscriber="north",
                    key=options_of.key_of(dict(key)),
                    row=row,
                    cause=options.get("cause", (None, None))[0],
                )
            ]
        )
        self.lists.commands = [
            AgentCommand(
                **common,
                key=options_of.to_texts(dict(key)),
                row=None if row is None else options_of.to_texts(row),
                cause=options.get("cause", (None, None))[1],
            )
        ]
        self.agent.run()

    def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
        self._rows = list(rows)

    def upload(self) -> list[FeedRow]:
        """Both upload, and must say the same."""
        self._rows = []
        upload(self.engine, PUBLICATION, self)
        expected = self.node.upload()
        ours, theirs = ([_comparable(row) for row in rows] for rows in (self._rows, expected))
        if self.is_repeating:
            # what goes again has no order of its own
            ours, theirs = sorted(ours, key=repr), sorted(theirs, key=repr)
        assert ours == theirs
        self.is_repeating = False
        assert len({row.values["transaction_id"] for row in self._rows}) <= 1
        self.sent += [
            (str(one.values["change_id"]), str(other.values["change_id"]))
            for one, other in zip(_by_row(expected), _by_row(self._rows), strict=True)
        ]
        return self._rows

    def is_pending(self, article: str, key: tuple[Any, ...]) -> bool:
        """Whether the node has changed the row since its last upload."""
        return (article, key) in self.node._pending

    def check(self) -> None:
        """Rows, versions and lineages are the node's."""
        found = all_rows(self.engine, PUBLICATION)
        for name, article in PUBLICATION.options.articles.items():
            expected: dict[tuple[str | None, ...], dict[str, str | None]] = {}
            known: set[str] = set()
            for row in self.node.rows(name):
                held = self.node.held(name, article.key_of(row))
                assert held is not None
                texts = article.to_texts(row)
                key = tuple(texts[column] for column in article.primary_key)
                expected[key] = {**texts, VERSION: held.version}
                known.add(json.dumps(dict(held.lineage), sort_keys=True))
            assert found[name] == expected
            assert self._lineages(name) == known

    def _lineages(self, article: str) -> set[str]:
        table = quoted(metadata_name(article))
        query = f"select {LINEAGE} from {table} where replication_version <> ''"
        with self.engine.begin() as connection:
            found = run_plain(connection, query).scalars().all()
        return {json.dumps(json.loads(one), sort_keys=True) for one in found}


def _statement(change: Change) -> tuple[Any, dict[str, Any]]:
    article = PUBLICATION.article(change.article)
    names = list(change.values)
    values = {
        f"p{number}": str(value) if isinstance(value, Decimal) else value
        for number, value in enumerate(change.values.values())
    }
    set_to = {name: f"cast(:p{n} as {_cast(article, name)})" for n, name in enumerate(names)}
    table = escaped(quoted(change.article))
    key = " and ".join(
        f"{escaped(quoted(name))} = {set_to[name]}" for name in article.shape.primary_key
    )
    if change.operation == "insert":
        columns = ", ".join(escaped(quoted(name)) for name in names)
        return text(
            f"insert into {table} ({columns}) values ({', '.join(set_to.values())})"
        ), values
    if change.operation == "delete":
        return text(f"delete from {table} where {key}"), values
    assignments = ", ".join(
        f"{escaped(quoted(name))} = {set_to[name]}"
        for name in names
        if name not in article.shape.primary_key
    )
    return text(f"update {table} set {assignments} where {key}"), values


def _cast(article: NodeArticle, column: str) -> str:
    kind = article.kinds[column]
    return {"string": "text", "int": "integer"}.get(kind.name, str(kind.ddl))


def _comparable(row: FeedRow) -> tuple[str, dict[str, Any]]:
    return row.article, {name: row.values[name] for name in sorted(row.values) if name not in OWN}


def _by_row(rows: Sequence[FeedRow]) -> list[FeedRow]:
    return sorted(rows, key=lambda row: repr(_comparable(row)))


@pytest.fixture
def pair(databases: Databases) -> Pair:
    return Pair(databases)


def item(key: int, name: str = "bolt", count: int = 0) -> dict[str, Any]:
    return {"id": key, "name": name, "count": count}


@pytest.mark.parametrize("seed", range(3))
def test_a_database_says_and_holds_what_a_node_does(pair: Pair, seed: int) -> None:
    dice = random.Random(seed)
    for number in range(100):
        _do_something(pair, dice, number)
        if number % 10 == 9:
            pair.check()
    pair.upload()
    pair.check()
    assert len(pair.sent) > 30


def _do_something(pair: Pair, dice: random.Random, number: int) -> None:
    article = dice.choice(list(ARTICLES))
    values = _row(article, dice, number)
    key = {name: values[name] for name in PUBLICATION.article(article).shape.primary_key}
    held = pair.node.held(article, tuple(key.values()))
    doing = dice.random()
    if doing < 0.15:
        pair.upload()
    elif doing < 0.2 and pair.sent:
        # one that is named once is not named again
        cause = pair.sent.pop(-dice.randint(1, min(5, len(pair.sent))))
        pair.command(article=article, key=key, kind="not_applied", cause=cause)
    elif doing < 0.4:
        # nobody knows a version that is not uploaded
        is_known = held is not None and not pair.is_pending(article, tuple(key.values()))
        version = held.version if held and is_known else dice.choice([None, "HQ:1"])
        is_gone = dice.random() < 0.3 and version is not None
        pair.command(
            article=article,
            key=key,
            row=None if is_gone else values,
            old_version=version,
            new_version=None if is_gone else f"HQ:{number + 10}",
            lineage={"HQ": number + 10, "south's": dice.randint(1, 9)},
        )
    elif held is None:
        pair.work(Change("insert", article, values))
    elif doing < 0.6:
        pair.work(Change("delete", article, key))
    elif doing < 0.7 and article == "item":
        free = next(k for k in range(100, 200) if pair.node.held("item", (k,)) is None)
        pair.rename(int(key["id"]), free)
    else:
        column = dice.choice(list(PUBLICATION.options.articles[article].other_columns))
        if held.row[column] != values[column]:
            pair.work(Change("update", article, {**key, column: values[column]}))


def _row(article: str, dice: random.Random, number: int) -> dict[str, Any]:
    if article == "item":
        return item(dice.randint(1, 6), f"it's {number}", number)
    return {
        "the item": dice.randint(1, 3),
        "n'o": dice.choice(["a'b", 'c"d', "; --"]),
        "price": Decimal(number).scaleb(-2),
        "on": number % 2 == 0,
    }


def test_a_change_that_was_not_applied_goes_again_unless_the_row_has_changed(pair: Pair) -> None:
    pair.work(Change("insert", "item", item(1)), Change("insert", "item", item(2)))
    first = pair.upload()
    for cause in pair.sent:
        pair.command(article="item", key={"id": 1}, kind="not_applied", cause=cause)
    pair.work(Change("update", "item", {"id": 2, "name": "nut"}))
    second = pair.upload()
    assert [row.values["id"] for row in second] == [1, 2]
    assert second[0].values["change_id"] != first[0].values["change_id"]
    assert second[0].values["lineage"] == first[0].values["lineage"]
    assert pair.upload() == []


def test_an_undone_insert_lets_the_commands_act_that_found_it(pair: Pair) -> None:
    pair.work(Change("insert", "item", item(1)))
    pair.command(
        article="item", key={"id": 1}, row=item(1, "theirs"), new_version="HQ:5", lineage={"HQ": 5}
    )
    pair.check()
    pair.work(Change("delete", "item", {"id": 1}))
    pair.agent.run()
    pair.check()
    assert pair.upload() == []


def test_a_snapshot_forgets_what_is_pending(pair: Pair) -> None:
    pair.work(Change("insert", "item", item(1)), Change("insert", "item", item(2)))
    pair.lists.commands = [
        AgentCommand(
            "r", "reinitialize", 1, snapshot=(SnapshotTable("item", "x", 1),), snapshot_position=9
        )
    ]
    texts = PUBLICATION.options.articles["item"].to_texts(item(3))
    pair.lists.snapshot = [SnapshotRow("item", texts, "HQ:7", {"HQ": 7})]
    pair.agent.run()
    upload(pair.engine, PUBLICATION, pair)
    assert pair._rows == []
    with pair.engine.begin() as connection:
        run_plain(connection, "update item set name = 'mine'")
    upload(pair.engine, PUBLICATION, pair)
    (row,) = pair._rows
    assert row.values["lineage"] == {"HQ": 7, "north": 3}
    assert row.values["previous_values"] == {"name": "bolt"}


def test_rows_that_are_there_are_inserts(databases: Databases) -> None:
    engine = open_database(databases.make("north"))
    create_tables(engine, PUBLICATION, with_version=False)
    before = inspect(engine).get_table_names()
    with engine.begin() as connection:
        run_plain(connection, "insert into item values (1, 'a', 1), (2, 'b', 2)")
    install(engine, PUBLICATION, "north", ExistingRows.INSERT)
    with engine.begin() as connection:
        run_plain(connection, "insert into item values (3, 'c', 3, null)")
    lists: list[FeedRow] = []

    class Sink:
        def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
            lists.extend(rows)

    with pytest.raises(CaptureProblem, match="3 changes wait"):
        remove(engine, PUBLICATION)
    upload(engine, PUBLICATION, Sink())
    assert [row.values["operation"] for row in lists] == ["insert"] * 3
    assert [row.values["lineage"] for row in lists] == [{"north": n} for n in (1, 2, 3)]
    remove(engine, PUBLICATION)
    agents = {
        "replication_agent", "replication_conflict", "replication_event", "replication_position",
        "replication_refusal",
    }  # fmt: skip
    assert set(inspect(engine).get_table_names()) - agents == set(before)


def test_a_logical_record_with_detection_is_refused(databases: Databases) -> None:
    record = {
        "top": "item",
        "members": {'odd "line"; :x': {"parent": "item", "columns": ["the item"]}},
        "detection": True,
    }
    options = publications(ARTICLES, replication="merge", logical_records=[record])
    engine = open_database(databases.make("north"))
    with pytest.raises(CaptureProblem, match="logical record of 'item'"):
        install(engine, node_publication("shop", options), "north")


def test_what_a_replace_deletes_is_a_delete(tmp_path: Any) -> None:
    from tests.python.nodes_loop.databases import sqlite_databases

    pair = Pair(sqlite_databases(tmp_path))
    remove(pair.engine, PUBLICATION)
    with pair.engine.begin() as connection:
        run_plain(connection, "create unique index item_count on item (count)")
        run_plain(connection, "insert into item values (1, 'a', 1), (2, 'b', 2)")
    install(pair.engine, PUBLICATION, "north", ExistingRows.INSERT)
    upload(pair.engine, PUBLICATION, pair)
    with pair.engine.begin() as connection:
        run_plain(connection, "insert or replace into item values (1, 'c', 2, null)")
    upload(pair.engine, PUBLICATION, pair)
    assert [(row.values["operation"], row.values["id"]) for row in pair._rows] == [
        ("update", 1),
        ("delete", 2),
    ]
    assert pair._rows[0].values["changed_columns"] is None
