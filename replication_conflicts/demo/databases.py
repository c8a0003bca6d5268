"""Databases of nodes: where they are, their tables, and all that they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event, text

from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.engine import dialect_of, open_database
from replication_conflicts.database.images import image_sql, quoted, texts_of
from replication_conflicts.database.local_postgres import LocalPostgres
from replication_conflicts.database.statements import run_plain

_SQLITE_TYPES = {
    "int": "integer",
    "bigint": "integer",
    "smallint": "integer",
    "tinyint": "integer",
    "float": "real",
    "double": "real",
    "decimal": "numeric",
    "binary": "blob",
    "boolean": "boolean",
}
_POSTGRES_TYPES = {
    "string": "text",
    # its own `char` would cut blanks
    "char": "text",
    "tinyint": "smallint",
    "float": "real",
    "double": "double precision",
    "binary": "bytea",
    "timestamp_ntz": "timestamp",
}

NodeRows = dict[str, dict[tuple[str | None, ...], dict[str, str | None]]]
"""Per article and key, a row as canonical text; its version under the name of its column."""

MakeUrl = Callable[[str, str], str]
"""Makes a node's empty database, given publication and node; its URL."""


class Kind(Enum):
    """What the nodes of a demo are."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"

    @property
    def title(self) -> str:
        """The product's name."""
        return {"sqlite": "SQLite", "postgres": "PostgreSQL"}[self.value]


@contextmanager
def node_databases(kind: Kind, folder: Path) -> Iterator[MakeUrl]:
    """Databases in a folder, or on a server that runs meanwhile. Errors: PostgresProblem."""
    if kind is Kind.SQLITE:
        yield lambda publication, node: _sqlite_url(folder / publication / f"{node}.db")
        return
    with LocalPostgres(is_durable=False) as server:
        yield lambda publication, node: _postgres_url(server, f"{publication}_{node}".lower())


def _sqlite_url(file: Path) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.touch()
    return f"sqlite:///{file}"


def _postgres_url(server: LocalPostgres, name: str) -> str:
    engine = open_database(server.url())
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"create database {quoted(name)}"))
    engine.dispose()
    return server.url(name)


def open_hasty(url: str) -> Engine:
    """An engine that does not wait for the disk: only a failing machine would punish that."""
    engine = open_database(url)
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def _connected(connection: Any, _: object) -> None:
            connection.execute("pragma synchronous = off")

    return engine


def create_tables(
    engine: Engine, publication: NodePublication, *, with_version: bool, constraints: str = ""
) -> None:
    """The tables of the articles, as an application would have made them."""
    kind = dialect_of(engine)
    with engine.begin() as connection:
        for article in publication.articles.values():
            columns = [
                f"{quoted(name)} {column_type(article, name, kind)}" for name in article.kinds
            ]
            if with_version:
                columns.append(f"{quoted(article.shape.version_column)} text")
            key = ", ".join(quoted(name) for name in article.shape.primary_key)
            parts = [*columns, f"primary key ({key})"]
            if constraints:
                parts.append(constraints)
            run_plain(connection, f"create table {quoted(article.name)} ({', '.join(parts)})")


def column_type(article: NodeArticle, column: str, kind: str) -> str:
    """The type that a database has for a column."""
    found = article.kinds[column]
    if kind == Kind.SQLITE.value:
        return _SQLITE_TYPES.get(found.name, "text")
    return _POSTGRES_TYPES.get(found.name, found.ddl)


def all_rows(engine: Engine, publication: NodePublication) -> NodeRows:
    """Everything that the articles hold."""
    with engine.begin() as connection:
        kind = dialect_of(engine)
        found: NodeRows = {}
        for name, article in publication.articles.items():
            version = article.shape.version_column
            image = image_sql(article, kind, "held")
            query = f"select {image}, held.{quoted(version)} from {quoted(name)} held"
            rows: Any = run_plain(connection, query)
            found[name] = {}
            for row in rows:
                texts = texts_of(article, kind, row[0])
                key = tuple(texts[column] for column in article.shape.primary_key)
                found[name][key] = {**texts, version: row[1]}
    return found
