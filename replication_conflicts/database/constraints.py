"""Constraints of a subscriber's database: when they are checked, and what they would do to rows."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from replication_conflicts.database.articles import NodeArticle
from replication_conflicts.database.catalog import column_names
from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.statements import run_plain


def defer_constraints(connection: Connection) -> None:
    """Check them when the transaction ends, wherever the database lets a transaction choose."""
    if connection.dialect.name == "sqlite":
        run_plain(connection, "pragma defer_foreign_keys = on")
    else:
        run_plain(connection, "set constraints all deferred")


@contextmanager
def checked(connection: Connection) -> Iterator[None]:
    """A savepoint that fails where a commit would: at constraints that are not met at its end."""
    with connection.begin_nested():
        if connection.dialect.name == "sqlite":
            # others are checked by every statement
            with _checked_by_sqlite(connection, "deferred"):
                yield
        else:
            run_plain(connection, "set constraints all deferred")
            yield
            run_plain(connection, "set constraints all immediate")


@contextmanager
def checked_at_the_end(connection: Connection) -> Iterator[None]:
    """The same, and nothing is checked before its end that can be checked there."""
    if connection.dialect.name != "sqlite":
        with checked(connection):
            yield
        return
    run_plain(connection, "pragma defer_foreign_keys = on")
    try:
        with connection.begin_nested(), _checked_by_sqlite(connection, "references"):
            yield
    finally:
        run_plain(connection, "pragma defer_foreign_keys = off")


@contextmanager
def _checked_by_sqlite(connection: Connection, word: str) -> Iterator[None]:
    """Look at the tables in whose definition a word stands."""
    before = _unmet(connection, word)
    yield
    if _unmet(connection, word) - before:
        # as the commit would say it
        failed = sqlite3.IntegrityError("FOREIGN KEY constraint failed")
        raise IntegrityError("pragma foreign_key_check", None, failed)


def _unmet(connection: Connection, word: str) -> Counter[tuple[object, ...]]:
    """Rows that refer to nothing; some may have done so before there were foreign keys."""
    found = run_plain(
        connection,
        "select held.name, unmet.*"
        " from sqlite_master held, pragma_foreign_key_check(held.name) unmet"
        f" where held.type = 'table' and held.sql like '%{word}%'",
    )
    return Counter(tuple(row) for row in found)


# what a delete would take along: rows that refer to the row, and what triggers do that are not
# those of capture ({own})
_SQLITE_FOLLOWERS = """
select 1 from sqlite_master held, pragma_foreign_key_list(held.name) named
where held.type = 'table' and lower(named."table") = lower({table})
    and named.on_delete <> 'NO ACTION'
union all
select 1 from sqlite_master
where type = 'trigger' and lower(tbl_name) = lower({table}) and name not in ({own})
"""
# the row may stand in a partition, or in a table that inherits from this one, which has references
# and triggers of its own; rules are those of the table that a statement names
_POSTGRES_FOLLOWERS = """
with recursive part (relation) as (
    select cast(cast({relation} as regclass) as oid)
    union
    select one.inhrelid from pg_inherits one inner join part on part.relation = one.inhparent
)
select 1 from pg_constraint inner join part on part.relation = confrelid
where contype = 'f' and confdeltype <> 'a'
union all
select 1 from pg_trigger inner join part on part.relation = tgrelid
where not tgisinternal and tgname not in ({own})
union all
select 1 from pg_rewrite where ev_class = cast({relation} as regclass)
"""


def may_be_written_anew(
    connection: Connection, article: NodeArticle, own_triggers: Collection[str]
) -> bool:
    """Whether a delete and an insert of a row do no more than an update of it.

    They would lose columns that are not of the publication, and what other rows and triggers do
    when a row goes would be done.
    """
    held = set(column_names(connection, article.name))
    is_whole = held == {*article.kinds, article.shape.version_column}
    return is_whole and not has_followers(connection, article, own_triggers)


def has_followers(
    connection: Connection, article: NodeArticle, own_triggers: Collection[str]
) -> bool:
    """Whether other rows or triggers do something when a row goes; `own_triggers`: of capture."""
    is_sqlite = connection.dialect.name == "sqlite"
    query = (_SQLITE_FOLLOWERS if is_sqlite else _POSTGRES_FOLLOWERS).format(
        table=literal(article.name),
        relation=literal(quoted(article.name)),
        # of nobody's name where there are none: an empty list is no SQL in PostgreSQL
        own=", ".join(map(literal, sorted(own_triggers))) or "''",
    )
    return run_plain(connection, query).first() is not None
