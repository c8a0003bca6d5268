"""Capture of merge replication: a database and a simulated node do the same, step by step, and
must upload the same net changes and hold the same rows, versions and lineages.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect

from replication_conflicts.capture.install import ExistingRows, install, remove
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.state import MergeCapture
from replication_conflicts.capture.upload import upload
from replication_conflicts.database import agent_tables
from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.engine import agent_transaction, dialect_of, open_database
from replication_conflicts.database.metadata import LINEAGE, metadata_name
from replication_conflicts.database.statements import Tables, run_plain
from replication_conflicts.publication.commands import AgentCommand, Place, SnapshotTable
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.rows import SnapshotRow
from replication_conflicts.simulation import Change
from tests.python.nodes_loop.databases import (
    Databases,
    create_tables,
    publications,
    sqlite_databases,
)
from tests.python.nodes_loop.pair import Pair
from tests.python.nodes_loop.subscriber import command

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


@pytest.fixture
def pair(databases: Databases) -> Pair:
    return Pair(databases, PUBLICATION)


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
        pair.rename(article, tuple(key.values()), free)
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


def test_letter_case_is_a_change_whatever_the_column_compares(tmp_path: Path) -> None:
    engine = open_database(sqlite_databases(tmp_path).make("north"))
    articles = {"item": ARTICLES["item"]}
    publication = node_publication("shop", publications(articles, replication="merge"))
    table = "create table item (id integer primary key, name text collate nocase, count integer)"
    with engine.begin() as connection:
        run_plain(connection, table)
    install(engine, publication, "north")
    feed = Batches()
    for statement in (
        "insert into item (id, name, count) values (1, 'bob', 1)",
        "update item set name = 'Bob'",
        "update item set name = 'Bob'",
    ):
        with engine.begin() as connection:
            run_plain(connection, statement)
        upload(engine, publication, feed)
    assert [(row.values["name"], row.values["changed_columns"]) for row in feed.rows] == [
        ("bob", None),
        ("Bob", ["name"]),
    ]


class Batches:
    """A feed that keeps everything."""

    def __init__(self) -> None:
        self.rows: list[FeedRow] = []

    def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
        self.rows.extend(rows)


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
    assert pair.rows == []
    with pair.engine.begin() as connection:
        run_plain(connection, "update item set name = 'mine'")
    upload(pair.engine, PUBLICATION, pair)
    (row,) = pair.rows
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

    with pytest.raises(CaptureProblem, match="not uploaded yet: 3 changes"):
        remove(engine, PUBLICATION)
    upload(engine, PUBLICATION, Sink())
    assert [row.values["operation"] for row in lists] == ["insert"] * 3
    assert [row.values["lineage"] for row in lists] == [{"north": n} for n in (1, 2, 3)]
    remove(engine, PUBLICATION)
    agents = set(agent_tables.metadata.tables)
    assert set(inspect(engine).get_table_names()) - agents == set(before)


def test_what_a_replace_deletes_is_a_delete(tmp_path: Any) -> None:
    pair = Pair(sqlite_databases(tmp_path), PUBLICATION)
    remove(pair.engine, PUBLICATION)
    with pair.engine.begin() as connection:
        run_plain(connection, "create unique index item_count on item (count)")
        run_plain(connection, "insert into item values (1, 'a', 1), (2, 'b', 2)")
    install(pair.engine, PUBLICATION, "north", ExistingRows.INSERT)
    upload(pair.engine, PUBLICATION, pair)
    with pair.engine.begin() as connection:
        run_plain(connection, "insert or replace into item values (1, 'c', 2, null)")
    upload(pair.engine, PUBLICATION, pair)
    assert [(row.values["operation"], row.values["id"]) for row in pair.rows] == [
        ("update", 1),
        ("delete", 2),
    ]
    assert pair.rows[0].values["changed_columns"] is None


def test_a_replace_deletes_no_other_row_of_the_same_version(tmp_path: Any) -> None:
    """A run numbers its versions row by row."""
    pair = Pair(sqlite_databases(tmp_path), PUBLICATION)
    for key in (1, 2):
        pair.command(
            article="item", key={"id": key}, row=item(key), new_version="HQ*:1", lineage={"HQ*": 1}
        )
    with pair.engine.begin() as connection:
        run_plain(connection, "insert or replace into item values (1, 'c', 2, null)")
    upload(pair.engine, PUBLICATION, pair)
    assert [(row.values["operation"], row.values["id"]) for row in pair.rows] == [("update", 1)]


def test_what_a_replace_deletes_may_have_come_before_capture(tmp_path: Any) -> None:
    engine = open_database(sqlite_databases(tmp_path).make("north"))
    create_tables(engine, PUBLICATION, with_version=True)
    agent_tables.create_tables(engine)
    with engine.begin() as connection:
        run_plain(connection, "create unique index item_count on item (count)")
        run_plain(connection, "insert into item values (1, 'a', 1, 'HQ:1'), (2, 'b', 2, 'HQ:2')")
        agent_tables.move_position(connection, "shop", "north", Place(2))
    install(engine, PUBLICATION, "north")
    with engine.begin() as connection:
        run_plain(connection, "insert or replace into item values (3, 'c', 2, null)")
    found: list[FeedRow] = []

    class Sink:
        def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
            found.extend(rows)

    upload(engine, PUBLICATION, Sink())
    operations = [(row.values["operation"], row.values["id"]) for row in found]
    assert operations == [("insert", 3), ("delete", 2)]


def test_a_row_that_has_gone_unseen_is_not_made_up(databases: Databases) -> None:
    """A restored table, or triggers that were disabled for a while."""
    pair = Pair(databases, PUBLICATION)
    pair.command(article="item", key={"id": 1}, row=item(1), new_version="HQ:1", lineage={"HQ": 1})
    pair.command(article="item", key={"id": 2}, row=item(2), new_version="HQ:2", lineage={"HQ": 2})
    with pair.engine.begin() as connection:
        run_plain(connection, "update item set name = 'nut'")
        run_plain(connection, "insert into item (id, name) values (3, 'cog')")
    with agent_transaction(pair.engine) as connection:
        run_plain(connection, "delete from item where id <> 2")
    upload(pair.engine, PUBLICATION, pair)
    assert [(row.values["operation"], row.values["id"]) for row in pair.rows] == [
        ("update", 2),
        ("delete", 1),
    ]


def test_a_lineage_has_every_name_once(databases: Databases) -> None:
    engine = open_database(databases.make("north"))
    create_tables(engine, PUBLICATION, with_version=False)
    install(engine, PUBLICATION, "Zürich")
    rows = Tables(PUBLICATION, dialect_of(engine))
    texts: dict[str, str | None] = {"id": "1", "name": "a", "count": "0"}
    known = SnapshotRow("item", texts, "Zürich:3", {"Zürich": 3})
    with agent_transaction(engine) as connection:
        brought = command(1, "insert", {"id": "1"}, texts, new="Zürich:3")
        rows.carry_out(connection, [brought])
        MergeCapture(PUBLICATION, "Zürich", rows).took(connection, [known])
    with engine.begin() as connection:
        run_plain(connection, "update item set name = 'b'")
        (held,) = run_plain(connection, f"select {LINEAGE} from {metadata_name('item')}").scalars()
    assert json.loads(held, object_pairs_hook=list) == [("Zürich", 4)]
