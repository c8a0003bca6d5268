"""What only tables of SQLite are asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlalchemy import Connection

from replication_conflicts.capture.affinity import better_type
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.triggers.sqlite_unique import expression_indexes, parts
from replication_conflicts.database.articles import NodeArticle
from replication_conflicts.database.catalog import declared_types
from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.statements import run_plain


def check_encoding(connection: Connection) -> None:
    """Errors: CaptureProblem where SQLite keeps texts otherwise than in UTF-8.

    The triggers read their bytes, and would refuse each text.
    """
    encoding = run_plain(connection, "pragma encoding").scalar_one()
    if encoding != "UTF-8":
        raise CaptureProblem(
            f"the database keeps its texts in {encoding}: capture reads UTF-8 only. Make a new"
            " database, which has UTF-8 by itself, and take everything there: `sqlite3 old.db .dump"
            " | sqlite3 new.db`"
        )


def check_name(connection: Connection, article: NodeArticle) -> None:
    """In a trigger's update such a name is the table's, and SQLite lets the table have no other.

    Catalogs tell upper case from lower case, though SQLite does not.
    """
    if article.name.lower() in ("new", "old"):
        raise CaptureProblem(
            f"table {article.name!r}: in SQLite's triggers `new` and `old` are the row that is"
            " written, so that no table of that name can be captured; give it and its article"
            " another name"
        )
    query = f"select name from sqlite_master where lower(name) = lower({literal(article.name)})"
    written = run_plain(connection, f"{query} and type = 'table'").scalar()
    if written not in (None, article.name):
        raise CaptureProblem(
            f"table {article.name!r} has the name {written!r} in the database: give the article"
            " that name, or the table the article's (by way of a third one, because SQLite takes"
            " the two for the same)"
        )


def check_expressions(connection: Connection, article: NodeArticle) -> None:
    """An `or replace` deletes rows by them, without calling a trigger, and nobody knows which."""
    for name in expression_indexes(connection, article.name):
        raise CaptureProblem(
            f"table {article.name!r} has a unique index {name!r} over an expression: what"
            " `or replace` deletes because of it could not be captured. Make it one over columns,"
            " such as a generated one with that expression or one with a collation, or one that is"
            " not unique"
        )


def check_types(connection: Connection, article: NodeArticle) -> None:
    """SQLite has no types, and must not make other values of those that come."""
    declared = declared_types(connection, article.name)
    for name, kind in article.kinds.items():
        better = better_type(kind, declared[name])
        if better is not None:
            raise CaptureProblem(
                f"table {article.name!r}, column {name!r}: SQLite does not keep every {kind.ddl} as"
                f" it is in a column declared {declared[name]!r}; declare it as {better}"
            )


def check_triggers(connection: Connection, article: NodeArticle) -> None:
    """SQLite gives a row its version by an update, which must not call the application's triggers.

    What they do would be done twice for each change.
    """
    query = (
        "select name, sql from sqlite_master where type = 'trigger'"
        f" and lower(tbl_name) = lower({literal(article.name)})"
    )
    for row in run_plain(connection, query).mappings():
        if _is_of_every_update(row["sql"]):
            raise CaptureProblem(
                f"table {article.name!r} has a trigger {row['name']!r} of every update, also of the"
                " one that gives a row its version: it would do its work twice. Make it anew with"
                " `update of` and the columns that it is about"
            )


def collations(connection: Connection, article: NodeArticle) -> dict[str, str]:
    """Key columns that are not compared byte by byte; only a plan says how they are."""
    found = {}
    for name in article.shape.primary_key:
        plan = f"explain select 1 from {quoted(article.name)} where +{quoted(name)} = ''"
        for step in run_plain(connection, plan).mappings():
            if step["opcode"] in ("Eq", "Ne") and step["p4"]:
                # NOCASE-8; in brackets in earlier versions
                found[name] = re.sub(r"^\(|\)$|-\w+$", "", str(step["p4"]))
    return {name: one for name, one in found.items() if one.upper() != "BINARY"}


def _is_of_every_update(sql: str) -> bool:
    """Whether a trigger names no columns."""
    words = _words(sql)
    # a name that is such a word stands in quotes
    event = next(word for word in words if word in ("insert", "update", "delete"))
    return event == "update" and next(words) != "of"


def _words(sql: str) -> Iterator[str]:
    return (found.group().lower() for found in parts(sql))
