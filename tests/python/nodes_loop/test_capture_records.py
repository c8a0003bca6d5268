"""Capture of logical records: what a database uploads about them is what a simulated node does."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect

from replication_conflicts.capture.install import ExistingRows, install, remove
from replication_conflicts.capture.upload import upload
from replication_conflicts.database.articles import NodePublication, node_publication
from replication_conflicts.database.statements import run_plain
from replication_conflicts.publication.commands import AgentCommand, SnapshotTable
from replication_conflicts.publication.rows import SnapshotRow
from replication_conflicts.simulation import Change
from replication_conflicts.simulation.node import RowName
from tests.python.nodes_loop.databases import Databases, publications, sqlite_databases
from tests.python.nodes_loop.pair import Pair

# rows move between records, and what is in the middle moves with what is below it
MOVING: dict[str, Any] = {
    "head": {"columns": {"id": "int", "note": "string"}, "primary_key": ["id"]},
    "line": {
        "columns": {"id": "int", "head": "int", "note": "string"},
        "primary_key": ["id"],
    },
    "detail": {
        "columns": {"id": "int", "line": "int", "note": "string"},
        "primary_key": ["id"],
    },
}
MOVING_MEMBERS = {
    "line": {"parent": "head", "columns": ["head"]},
    "detail": {"parent": "line", "columns": ["line"]},
}
# a key of several columns names the parent, and names are what they may be
ODD: dict[str, Any] = {
    'he"ad; :x': {
        "columns": {"the id": "int", "n'o": "bigint", "note": "string"},
        "primary_key": ["the id", "n'o"],
    },
    "line": {
        "columns": {"no": "int", "of": "int", ":nr": "bigint", "note": "string"},
        "primary_key": ["of", ":nr", "no"],
    },
    "größe": {
        "columns": {"id": "int", "h": "int", "n": "bigint", "l": "int", "note": "string"},
        "primary_key": ["id"],
    },
}
ODD_MEMBERS = {
    "line": {"parent": 'he"ad; :x', "columns": ["of", ":nr"]},
    "größe": {"parent": "line", "columns": ["h", "n", "l"]},
}
MODES = [(True, False), (False, True), (True, True)]


def publication(
    articles: dict[str, Any], members: dict[str, Any], detection: bool, resolution: bool
) -> NodePublication:
    record = {
        "top": next(iter(articles)),
        "members": members,
        "detection": detection,
        "resolution": resolution,
    }
    options = publications(articles, replication="merge", logical_records=[record])
    return node_publication("shop", options)


def moving(databases: Databases, detection: bool = True, resolution: bool = True) -> Pair:
    return Pair(databases, publication(MOVING, MOVING_MEMBERS, detection, resolution))


@pytest.mark.parametrize(("detection", "resolution"), MODES)
@pytest.mark.parametrize(("articles", "members"), [(MOVING, MOVING_MEMBERS), (ODD, ODD_MEMBERS)])
@pytest.mark.parametrize("seed", range(2))
def test_a_database_uploads_what_a_node_does(
    databases: Databases,
    articles: dict[str, Any],
    members: dict[str, Any],
    detection: bool,
    resolution: bool,
    seed: int,
) -> None:
    pair = Pair(databases, publication(articles, members, detection, resolution))
    player = Player(pair, random.Random(seed))
    for number in range(160):
        player.do_something(number)
        if number % 10 == 9:
            pair.check()
    player.upload()
    pair.check()
    operations = {row for _, row in player.seen}
    assert {"insert", "update", "delete"} <= operations
    assert ("image" in operations) is resolution
    # what one member knew came to others
    assert player.is_lineage_shared is detection


# names that statements of capture give to what they select from
NAMES = [
    "record", "touched", "member", "held", "gone", "net", "sent", "entry", "entries", "highest",
    "fresh", "one", "step", "up_1",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("top", [True, False])
def test_articles_may_have_names_that_statements_use(
    databases: Databases, name: str, top: bool
) -> None:
    head, line = (name, "line") if top else ("head", name)
    articles = {
        head: MOVING["head"],
        line: {"columns": {"id": "int", "of": "int", "note": "string"}, "primary_key": ["id"]},
    }
    members = {line: {"parent": head, "columns": ["of"]}}
    pair = Pair(databases, publication(articles, members, detection=True, resolution=True))
    rows = [{"id": number, "of": 1, "note": "a"} for number in (1, 2)]
    pair.work(
        Change("insert", head, {"id": 1, "note": "a"}),
        *(Change("insert", line, row) for row in rows),
    )
    pair.upload()
    pair.work(Change("update", line, {"id": 1, "note": "b"}))
    operations = sorted(str(row.values["operation"]) for row in pair.upload())
    assert operations == ["image", "image", "update"]
    pair.work(Change("delete", line, {"id": 2}))
    pair.upload()
    pair.check()


class Player:
    """Random doings at both sides of a pair."""

    def __init__(self, pair: Pair, dice: random.Random) -> None:
        self.pair = pair
        self.dice = dice
        self.seen: list[tuple[str, str]] = []
        self.is_lineage_shared = False
        self._told: dict[RowName, set[str]] = {}

    def do_something(self, number: int) -> None:
        pair, dice = self.pair, self.dice
        article = dice.choice(list(pair.publication.articles))
        options = pair.publication.options.articles[article]
        values = self._row(article, number)
        key = options.key_of(values)
        key_values = options.key_row(key)
        held = pair.node.held(article, key)
        doing = dice.random()
        if doing < 0.12:
            self.upload()
        elif doing < 0.16 and pair.sent:
            cause = pair.sent.pop(-dice.randint(1, min(5, len(pair.sent))))
            pair.command(article=article, key=key_values, kind="not_applied", cause=cause)
        elif doing < 0.4:
            self._command(article, key, values, number)
        elif held is None:
            pair.work(Change("insert", article, values))
        elif doing < 0.55:
            pair.work(Change("delete", article, key_values))
        elif doing < 0.62:
            free = next(n for n in range(100, 300) if self._is_free(article, (n, *key[1:])))
            pair.rename(article, key, free)
        else:
            column = dice.choice(list(options.other_columns))
            if held.row[column] != values[column]:
                pair.work(Change("update", article, {**key_values, column: values[column]}))

    def upload(self) -> None:
        """Both, which is where they are compared."""
        for row in self.pair.upload():
            options = self.pair.publication.options.articles[row.article]
            name = (row.article, options.key_of({c: row.values[c] for c in options.primary_key}))  # type: ignore[misc]
            self.seen.append((row.article, str(row.values["operation"])))
            lineage = row.values["lineage"]
            assert isinstance(lineage, dict)
            told = self._told.get(name, set())
            self.is_lineage_shared |= bool(set(lineage) - told - {"north"})

    def _command(self, article: str, key: Any, values: dict[str, Any], number: int) -> None:
        pair, dice = self.pair, self.dice
        held = pair.node.held(article, key)
        is_known = held is not None and not pair.is_pending(article, key)
        version = held.version if held and is_known else dice.choice([None, "HQ:1"])
        if (article, key) in pair.last_sent and dice.random() < 0.5:
            version = pair.last_sent[(article, key)]
        is_gone = dice.random() < 0.3 and version is not None
        # each article has a node of its own: a lineage that has others' is a record's
        writer = f"HQ's {article}"
        self._told.setdefault((article, key), set()).add(writer)
        pair.command(
            article=article,
            key=pair.publication.options.articles[article].key_row(key),
            row=None if is_gone else values,
            old_version=version,
            new_version=None if is_gone else f"HQ:{number + 10}",
            lineage={writer: number + 10},
        )

    def _is_free(self, article: str, key: Any) -> bool:
        return self.pair.node.held(article, key) is None

    def _row(self, article: str, number: int) -> dict[str, Any]:
        """Few keys; a row that names no parent, or one that is not there, is possible."""
        options = self.pair.publication.options.articles[article]
        row: dict[str, Any] = {}
        for name, kind in options.columns.items():
            if kind.name == "string":
                row[name] = f"it's {number}; --"
            elif name not in options.primary_key and self.dice.random() < 0.1:
                row[name] = None
            else:
                row[name] = self.dice.randint(1, 3)
        return row


def note(key: int, text: str = "a", **parent: Any) -> dict[str, Any]:
    return {"id": key, **parent, "note": text}


def test_a_change_knows_what_is_known_of_every_row_of_its_record(databases: Databases) -> None:
    pair = moving(databases)
    arrive(pair, "head", note(1), {"HQ": 1})
    arrive(pair, "line", note(10, head=1), {"south": 7})
    arrive(pair, "detail", note(100, line=10), {"west": 4})
    arrive(pair, "detail", note(101, line=11), {"else": 9})
    pair.command(article="line", key={"id": 10}, row=None, old_version="HQ:2", lineage={"south": 8})
    pair.work(Change("update", "detail", {"id": 100, "note": "b"}))
    change, *images = pair.upload()
    assert change.values["lineage"] == {"HQ": 1, "south": 8, "west": 4, "north": 1}
    # the deleted row leads to the record, and is no row of it
    assert [(one.article, one.values["id"]) for one in images] == [("head", 1)]
    assert images[0].values["lineage"] == {"HQ": 1, "south": 8, "west": 4}


def test_what_comes_later_was_not_known(databases: Databases) -> None:
    pair = moving(databases)
    arrive(pair, "head", note(1), {"HQ": 1})
    pair.work(Change("insert", "line", note(10, head=1)))
    pair.command(
        article="head",
        key={"id": 1},
        row=note(1, "theirs"),
        old_version="HQ:1",
        new_version="south:5",
        lineage={"HQ": 1, "south": 5},
    )
    change, image = pair.upload()
    assert change.values["lineage"] == {"HQ": 1, "north": 1}
    assert image.values["lineage"] == {"HQ": 1, "south": 5}
    assert image.values["note"] == "theirs"


def learned(pair: Pair, number: int) -> None:
    """Somebody else's change of the row beside arrives."""
    pair.command(
        article="line",
        key={"id": 10},
        row=note(10, f"theirs {number}", head=1),
        old_version=f"south:{number - 1}",
        new_version=f"south:{number}",
        lineage={"south": number},
    )


def begun(databases: Databases) -> Pair:
    """A change is uploaded, and then the node learns what it did not know."""
    pair = moving(databases)
    arrive(pair, "head", note(1), {"HQ": 1})
    arrive(pair, "line", note(10, head=1), {"south": 7}, version="south:7")
    pair.work(Change("update", "head", {"id": 1, "note": "b"}))
    assert pair.upload()[0].values["lineage"] == {"HQ": 1, "south": 7, "north": 1}
    learned(pair, 8)
    return pair


def test_a_change_on_top_of_an_undecided_one_knows_what_that_one_knew(databases: Databases) -> None:
    pair = begun(databases)
    for number in (2, 3):
        pair.work(Change("update", "head", {"id": 1, "note": f"c{number}"}))
        change = pair.upload()[0]
        assert change.values["lineage"] == {"HQ": 1, "south": 7, "north": number}
    # a row of its record that the node has not changed is another matter
    pair.work(Change("update", "line", {"id": 10, "note": "mine"}))
    assert pair.upload()[0].values["lineage"] == {"HQ": 1, "south": 8, "north": 4}


@pytest.mark.parametrize("decision", ["applied", "lost", "lost_under_another"])
def test_once_it_is_decided_a_change_knows_all(databases: Databases, decision: str) -> None:
    pair = begun(databases)
    if decision == "lost_under_another":
        pair.work(Change("update", "head", {"id": 1, "note": "c"}))
    version = pair.last_sent[("head", (1,))]
    old, new = ("HQ:1", version) if decision == "applied" else (version, "HQ:9")
    lineage = {"HQ": 1, "north": 1} if decision == "applied" else {"HQ": 9}
    row = note(1, "theirs")
    pair.command(
        article="head",
        key={"id": 1},
        row=row,
        old_version=old,
        new_version=new,
        lineage=lineage,
    )
    if decision == "lost_under_another":
        # made before, and uploaded now: it is what the next one is on top of
        assert pair.upload()[0].values["lineage"] == {"HQ": 1, "south": 7, "north": 2}
        pair.work(Change("update", "head", {"id": 1, "note": "d"}))
        assert pair.upload()[0].values["lineage"] == {"HQ": 1, "south": 7, "north": 3}
        return
    pair.work(Change("update", "head", {"id": 1, "note": "c"}))
    expected = {**lineage, "south": 8, "north": 2}
    assert pair.upload()[0].values["lineage"] == expected


def test_a_delete_that_others_have_made_too_is_decided(databases: Databases) -> None:
    """No command leads from or to its version."""
    pair = moving(databases)
    arrive(pair, "head", note(1), {"HQ": 1})
    arrive(pair, "line", note(10, head=1), {"south": 7}, version="south:7")
    arrive(pair, "line", note(11, head=1), {"HQ": 2}, version="HQ:2")
    pair.work(Change("delete", "line", {"id": 11}))
    pair.upload()
    learned(pair, 8)
    pair.command(article="line", key={"id": 11}, row=None, old_version="HQ:2", lineage={"HQ": 5})
    pair.work(Change("insert", "line", note(11, head=1)))
    assert pair.upload()[0].values["lineage"] == {"HQ": 2, "south": 8, "north": 2}


def test_a_row_that_moves_brings_both_records(databases: Databases) -> None:
    pair = moving(databases)
    for key in (1, 2):
        arrive(pair, "head", note(key), {f"HQ{key}": key})
    arrive(pair, "line", note(10, head=1), {"south": 7})
    arrive(pair, "line", note(11, head=1), {"south": 6})
    pair.work(Change("update", "line", {"id": 10, "head": 2}))
    change, *images = pair.upload()
    assert change.values["lineage"] == {"HQ1": 1, "HQ2": 2, "south": 7, "north": 1}
    assert change.values["previous_values"] == {"head": "1"}
    assert {(one.article, one.values["id"]) for one in images} == {
        ("head", 1), ("head", 2), ("line", 11),
    }  # fmt: skip


@pytest.mark.parametrize("again", [False, True])
def test_a_row_that_leaves_every_record_brings_what_is_below_it(
    databases: Databases, again: bool
) -> None:
    pair = moving(databases)
    arrive(pair, "head", note(1), {"HQ": 1})
    arrive(pair, "line", note(10, head=1), {"south": 7}, version="south:7")
    arrive(pair, "line", note(11, head=1), {"south": 6}, version="south:6")
    arrive(pair, "detail", note(100, line=10), {"west": 4})
    arrive(pair, "detail", note(110, line=11), {"west": 5})
    pair.work(Change("update", "line", {"id": 10, "head": None}))
    _, *images = pair.upload()
    if again:
        for cause in pair.sent:
            pair.command(kind="not_applied", article="line", key={"id": 10}, cause=cause)
        _, *images = pair.upload()
    assert {(one.article, one.values["id"]) for one in images} == {
        ("head", 1), ("line", 11), ("detail", 110), ("detail", 100),
    }  # fmt: skip
    # it is in no record, of which something could be known
    lineages = {(one.article, one.values["id"]): one.values["lineage"] for one in images}
    assert lineages.pop(("detail", 100)) == {"west": 4}
    assert all(one == {"HQ": 1, "south": 6, "west": 5} for one in lineages.values())
    # what is below it is changed for itself
    pair.work(Change("update", "detail", {"id": 100, "note": "b"}))
    assert [one.values["id"] for one in pair.upload()] == [100]


def test_a_key_that_is_used_again_brings_what_is_known_of_the_record_that_it_left(
    databases: Databases,
) -> None:
    pair = moving(databases)
    for key in (1, 2):
        arrive(pair, "head", note(key), {f"HQ{key}": key})
    arrive(pair, "line", note(10, head=1), {"south": 7})
    pair.command(article="line", key={"id": 10}, row=None, old_version="HQ:3", lineage={"south": 8})
    pair.work(Change("insert", "line", note(10, head=2)))
    change, *images = pair.upload()
    assert change.values["operation"] == "insert"
    assert change.values["lineage"] == {"HQ1": 1, "HQ2": 2, "south": 8, "north": 1}
    # the row is in the other record alone
    assert [(one.article, one.values["id"]) for one in images] == [("head", 2)]


def test_rows_that_were_there_lead_to_their_records(databases: Databases) -> None:
    pair = moving(databases)
    remove(pair.engine, pair.publication)
    before = set(inspect(pair.engine).get_table_names())
    with pair.engine.begin() as connection:
        run_plain(connection, "insert into head (id, note) values (1, 'a')")
        run_plain(connection, "insert into line (id, head, note) values (10, 1, 'a')")
    install(pair.engine, pair.publication, "north", ExistingRows.INSERT)
    upload(pair.engine, pair.publication, pair)
    with pair.engine.begin() as connection:
        run_plain(connection, "update line set note = 'b'")
    upload(pair.engine, pair.publication, pair)
    assert [(row.article, row.values["operation"]) for row in pair.rows] == [
        ("line", "update"),
        ("head", "image"),
    ]
    remove(pair.engine, pair.publication)
    assert set(inspect(pair.engine).get_table_names()) == before


def test_a_snapshot_brings_the_parents(databases: Databases) -> None:
    pair = moving(databases)
    options = pair.publication.options.articles
    rows = [("head", note(1), {"HQ": 7}), ("line", note(10, head=1), {"south": 3})]
    pair.lists.snapshot = [
        SnapshotRow(article, options[article].to_texts(row), f"HQ:{place}", lineage)
        for place, (article, row, lineage) in enumerate(rows)
    ]
    table = SnapshotTable("head", "x", 1)
    pair.lists.commands = [
        AgentCommand("r", "reinitialize", 1, snapshot=(table,), snapshot_position=9)
    ]
    pair.agent.run()
    with pair.engine.begin() as connection:
        run_plain(connection, "update head set note = 'mine'")
    upload(pair.engine, pair.publication, pair)
    change, image = pair.rows
    assert change.values["lineage"] == {"HQ": 7, "south": 3, "north": 1}
    assert (image.article, image.values["lineage"]) == ("line", {"HQ": 7, "south": 3})


def test_what_a_replace_deletes_is_of_its_record(tmp_path: Path) -> None:
    pair = moving(sqlite_databases(tmp_path))
    arrive(pair, "head", note(1), {"HQ": 1})
    arrive(pair, "line", note(10, head=1), {"south": 7})
    remove(pair.engine, pair.publication, is_discarding=True)
    with pair.engine.begin() as connection:
        run_plain(connection, "create unique index line_note on line (note)")
        run_plain(connection, "update line set note = 'only'")
    install(pair.engine, pair.publication, "north", ExistingRows.INSERT)
    upload(pair.engine, pair.publication, pair)
    with pair.engine.begin() as connection:
        run_plain(connection, "insert or replace into line (id, head, note) values (11, 2, 'only')")
    upload(pair.engine, pair.publication, pair)
    assert [(row.article, row.values["operation"], row.values["id"]) for row in pair.rows] == [
        ("line", "insert", 11),
        ("line", "delete", 10),
        ("head", "image", 1),
    ]


def arrive(
    pair: Pair,
    article: str,
    row: dict[str, Any],
    lineage: dict[str, int],
    version: str | None = None,
) -> None:
    """A row that another node made."""
    pair.command(
        article=article,
        key={"id": row["id"]},
        row=row,
        new_version=version or f"HQ:{pair.position + 1}",
        lineage=lineage,
    )
