"""A database and a simulated node that do the same, and must say the same."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

from sqlalchemy import Engine, text

from replication_conflicts.capture.install import install
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import upload
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.engine import dialect_of, open_database
from replication_conflicts.database.images import quoted
from replication_conflicts.database.metadata import LINEAGE, metadata_name
from replication_conflicts.database.statements import Tables, escaped, run_plain
from replication_conflicts.distribution.agent import Agent, Ports
from replication_conflicts.distribution.apply import Node
from replication_conflicts.publication.commands import AgentCommand
from replication_conflicts.publication.feed import IMAGE, FeedRow
from replication_conflicts.simulation import Change, Command, MergeNode
from replication_conflicts.simulation.node import RowName
from tests.python.nodes_loop.databases import VERSION, Databases, all_rows, create_tables
from tests.python.nodes_loop.standins import Lists

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
# made by each side for itself
OWN = ("change_id", "transaction_id", "changed_at")


class Pair:
    """A captured database and the simulated node beside it."""

    def __init__(self, databases: Databases, publication: NodePublication) -> None:
        self.publication = publication
        self.engine: Engine = open_database(databases.make("north"))
        create_tables(self.engine, self.publication, with_version=False)
        install(self.engine, self.publication, "north", priority=Decimal("75.00"))
        self.node = MergeNode("north", self.publication.options, priority=Decimal("75.00"))
        self.lists = Lists()
        rows = Tables(self.publication, dialect_of(self.engine))
        node = Node(self.publication, "north", rows, capture_state(self.engine, "north", rows))
        self.agent = Agent(self.engine, node, Ports(self.lists, self.lists, self.lists))
        self.agent.prepare()
        self.position = 0
        self.sent: list[tuple[str, str]] = []
        # by row, the version of its last uploaded change
        self.last_sent: dict[RowName, str] = {}
        self.is_repeating = False
        self.rows: list[FeedRow] = []

    # --- what people do

    def work(self, *changes: Change) -> None:
        """A transaction at both."""
        self.node.transaction(changes, NOW)
        with self.engine.begin() as connection:
            for change in changes:
                connection.execute(*_statement(self.publication, change))
        self._let_commands_act()

    def rename(self, article: str, key: tuple[Any, ...], new: int) -> None:
        """Another value for the first column of a key."""
        options = self.publication.options.articles[article]
        held = self.node.held(article, key)
        assert held is not None
        name = options.primary_key[0]
        self.node.transaction(
            [
                Change("delete", article, options.key_row(key)),
                Change("insert", article, {**held.row, name: new}),
            ],
            NOW,
        )
        whole = Change("delete", article, options.key_row(key))
        statement, values = _statement(self.publication, whole)
        where = statement.text.split(" where ", 1)[1]
        table, column = escaped(quoted(article)), escaped(quoted(name))
        with self.engine.begin() as connection:
            connection.execute(text(f"update {table} set {column} = {new} where {where}"), values)
        self._let_commands_act()

    def _let_commands_act(self) -> None:
        """An insert that was undone lets the commands act that found it: here with the next run."""
        self.agent.run()

    # --- what the agent and the upload do

    def command(self, **options: Any) -> None:
        """A command about a row, for both."""
        self.position += 1
        article = self.publication.article(options["article"])
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
        options_of = self.publication.options.articles[article.name]
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
        self.rows = list(rows)

    def upload(self) -> list[FeedRow]:
        """Both upload, and must say the same."""
        self.rows = []
        upload(self.engine, self.publication, self)
        expected = self.node.upload()
        ours, theirs = ([_comparable(row) for row in rows] for rows in (self.rows, expected))
        if self.is_repeating:
            # what goes again has no order of its own
            ours, theirs = sorted(ours, key=repr), sorted(theirs, key=repr)
        ours, theirs = (_images_last(rows) for rows in (ours, theirs))
        assert ours == theirs
        self.is_repeating = False
        assert len({row.values["transaction_id"] for row in self.rows}) <= 1
        for one, other in zip(_by_row(expected), _by_row(self.rows), strict=True):
            if one.values["operation"] != IMAGE:
                ids = (str(one.values["change_id"]), str(other.values["change_id"]))
                self.sent.append(ids)
                self.last_sent[self._name(one)] = self._version(one)
        return self.rows

    def _name(self, row: FeedRow) -> RowName:
        options = self.publication.options.articles[row.article]
        return row.article, options.key_of({name: row.values[name] for name in options.primary_key})  # type: ignore[misc]

    @staticmethod
    def _version(row: FeedRow) -> str:
        lineage = row.values["lineage"]
        assert isinstance(lineage, dict)
        return f"north:{lineage['north']}"

    def is_pending(self, article: str, key: tuple[Any, ...]) -> bool:
        """Whether the node has changed the row since its last upload."""
        return (article, key) in self.node._pending

    def check(self) -> None:
        """Rows, versions and lineages are the node's."""
        found = all_rows(self.engine, self.publication)
        for name, article in self.publication.options.articles.items():
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


def _statement(publication: NodePublication, change: Change) -> tuple[Any, dict[str, Any]]:
    article = publication.article(change.article)
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
    values = {name: row.values[name] for name in sorted(row.values) if name not in OWN}
    # the entries of a map have no order
    return row.article, {
        name: dict(sorted(value.items())) if isinstance(value, dict) else value
        for name, value in values.items()
    }


def _by_row(rows: Sequence[FeedRow]) -> list[FeedRow]:
    return sorted(rows, key=lambda row: repr(_comparable(row)))


def _images_last(rows: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """Images have no order of their own."""
    changes = [one for one in rows if one[1]["operation"] != IMAGE]
    return [*changes, *sorted((one for one in rows if one not in changes), key=repr)]
