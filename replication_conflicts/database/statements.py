"""The statements of the articles, ready to be executed with many commands at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, CursorResult, TextClause, text

from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.images import bound_value, image_sql, quoted, texts_of
from replication_conflicts.publication.commands import AgentCommand
from replication_conflicts.publication.values import Texts
from replication_conflicts.statements import (
    NEW_VERSION,
    OLD_VERSION,
    ArticleShape,
    parameter_name,
    statements,
)

# what is quoted holds no parameter, even where it looks like one
_QUOTED = re.compile(r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'")
_VERB = re.compile(r"^(INSERT|UPDATE) ")


@dataclass(frozen=True)
class Prepared:
    """One statement and the names of its parameters."""

    statement: str
    clause: TextClause
    parameters: tuple[str, ...]

    def values(self, given: Mapping[str, object]) -> dict[str, object]:
        """Exactly the statement's parameters; what is not given is NULL."""
        return {name: given.get(name) for name in self.parameters}


def prepared(shape: ArticleShape, dialect: str) -> dict[str, Prepared]:
    """A table's conditional insert, update and delete, by operation."""
    return {
        one.operation: Prepared(statement, text(escaped(statement)), one.parameters)
        for one in statements(shape, [dialect])
        for statement in [_decided_here(one.statement, dialect)]
    }


def _decided_here(statement: str, dialect: str) -> str:
    """A table of SQLite may say what a clash is to do: leave the row out, or delete the other one.

    A command that is not carried out must be refused, so that the statement says so.
    """
    if dialect != "sqlite":
        return statement
    return _VERB.sub(lambda verb: f"{verb.group(1)} OR ABORT ", statement)


def where_key(shape: ArticleShape, delete: Prepared) -> str:
    """The row with a key: the statement that deletes it says how the key is compared."""
    start = len(f"DELETE FROM {quoted(shape.name)}")
    end = delete.statement.rindex(f" AND {quoted(shape.version_column)} = ")
    return delete.statement[start:end]


class ArticleTable:
    """One article in a database of one dialect."""

    def __init__(self, article: NodeArticle, dialect: str) -> None:
        self.article = article
        self.dialect = dialect
        self._prepared = prepared(article.shape, dialect)
        image = image_sql(article, dialect, quoted(article.name))
        self._held = self._query(image)
        self._is_held = self._query("1")

    def statement(self, operation: str) -> Prepared:
        """The statement of an operation."""
        return self._prepared[operation]

    def values(self, command: AgentCommand) -> dict[str, object]:
        """The parameters of a command's statement."""
        assert command.operation is not None
        given = self.bound({**(command.key or {}), **(command.row or {})})
        given |= {OLD_VERSION: command.old_version, NEW_VERSION: command.new_version}
        return self.statement(command.operation).values(given)

    def bound(self, texts: Texts) -> dict[str, object]:
        """Parameters for canonical texts of the article's columns."""
        return {
            parameter_name(name): bound_value(self.article.kinds[name], self.dialect, value)
            for name, value in texts.items()
            if name in self.article.kinds
        }

    def held_row(self, connection: Connection, key: Texts) -> dict[str, str | None] | None:
        """The row as the database holds it, None where there is none."""
        image = connection.execute(self._held, self.bound(key)).scalar()
        return None if image is None else texts_of(self.article, self.dialect, str(image))

    def is_held(self, connection: Connection, key: Texts) -> bool:
        """Whether there is a row with a key, whatever its values are."""
        return connection.execute(self._is_held, self.bound(key)).first() is not None

    def _query(self, selected: str) -> TextClause:
        """About the row with a key."""
        key = where_key(self.article.shape, self._prepared["delete"])
        return text(escaped(f"SELECT {selected} FROM {quoted(self.article.name)}{key}"))


class Tables:
    """All articles of a publication in one database."""

    def __init__(self, publication: NodePublication, dialect: str) -> None:
        self.publication = publication
        self.dialect = dialect
        self._tables = {
            name: ArticleTable(article, dialect) for name, article in publication.articles.items()
        }

    def __getitem__(self, name: str | None) -> ArticleTable:
        return self._tables[self.publication.article(name).name]

    def carry_out(self, connection: Connection, commands: Iterable[AgentCommand]) -> int:
        """Execute commands about rows in their order; the number of rows that changed.

        Neighbors with the same statement go to the database together.
        """
        changed = 0
        for (article, operation), group in groupby(commands, lambda c: (c.article, c.operation)):
            table = self[article]
            values = [table.values(command) for command in group]
            clause = table.statement(operation or "").clause
            changed += max(connection.execute(clause, values).rowcount, 0)
        return changed


def escaped(statement: str) -> str:
    """The statement for SQLAlchemy, to which a colon in a quoted name is none of a parameter's."""
    return _QUOTED.sub(lambda found: found.group().replace(":", r"\:"), statement)


def run_plain(connection: Connection, statement: str) -> CursorResult[Any]:
    """Run a statement in which nothing stands for a parameter, whatever its names look like."""
    return connection.execution_options(no_parameters=True).exec_driver_sql(statement)
