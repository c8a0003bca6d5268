"""Databases of nodes: their tables, and all their rows as canonical text."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, text

from replication_conflicts.distribution.articles import NodeArticle, NodePublication
from replication_conflicts.distribution.database import dialect_of, open_database
from replication_conflicts.distribution.images import image_sql, quoted, texts_of
from replication_conflicts.distribution.local_postgres import LocalPostgres
from replication_conflicts.distribution.statements import run_plain

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
    "tinyint": "smallint",
    "float": "real",
    "double": "double precision",
    "binary": "bytea",
    "timestamp_ntz": "timestamp",
}

Rows = dict[str, dict[tuple[str | None, ...], dict[str, str | None]]]
"""Per article and key, a row as canonical text; its version under the name of its column."""

VERSION = "row_version"


@dataclass(frozen=True)
class Databases:
    """Makes empty databases of one kind."""

    kind: str
    make_url: Callable[[str], str]
    server: LocalPostgres | None = None

    def make(self, name: str) -> str:
        """The URL of a new database."""
        return self.make_url(name)


def sqlite_databases(folder: Path) -> Databases:
    """Databases that are files of a folder."""

    def make(name: str) -> str:
        file = folder / f"{name}.db"
        file.touch()
        return f"sqlite:///{file}"

    return Databases("sqlite", make)


def postgres_databases(server: LocalPostgres) -> Databases:
    """Databases of a server; each has a name of its own there."""

    def make(name: str) -> str:
        unique = f"{name}_{secrets.token_hex(4)}".lower()
        engine = open_database(server.url())
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(f"create database {unique}"))
        engine.dispose()
        return server.url(unique)

    return Databases("postgres", make, server)


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
    names = _SQLITE_TYPES if kind == "sqlite" else _POSTGRES_TYPES
    if kind == "sqlite":
        return names.get(found.name, "text")
    return names.get(found.name, found.ddl)


def all_rows(engine: Engine, publication: NodePublication) -> Rows:
    """Everything that the articles hold."""
    kind = dialect_of(engine)
    found: Rows = {}
    with engine.begin() as connection:
        for name, article in publication.articles.items():
            image = image_sql(article, kind, "held")
            version = f"held.{quoted(article.shape.version_column)}"
            rows: Any = run_plain(connection, f"select {image}, {version} from {quoted(name)} held")
            found[name] = {}
            for row in rows:
                texts = texts_of(article, kind, row[0])
                key = tuple(texts[column] for column in article.shape.primary_key)
                found[name][key] = {**texts, VERSION: row[1]}
    return found


def publications(articles: Mapping[str, Any], **options: Any) -> dict[str, Any]:
    """vars: publications: with one publication, `shop`."""
    return {
        "shop": {"replication": "queued", "publisher": "HQ", "articles": dict(articles), **options}
    }
