"""What `install` has noted in a node's database: the node, and the tables that are captured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, inspect, select

from replication_conflicts.capture import tables
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.triggers import trigger_names
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.engine import dialect_of
from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.statements import run_plain
from replication_conflicts.publication.values import parse_type


def captured_node(connection: Connection, publication: str) -> str:
    """As which node the database takes part. Errors: CaptureProblem when it does not."""
    found = None
    if inspect(connection).has_table(tables.nodes.name):
        found = node_of(connection, publication)
    if found is None:
        raise CaptureProblem(
            f"publication '{publication}' is not captured here: `capture install` first, or correct"
            " the URL"
        )
    return found


def node_of(connection: Connection, publication: str) -> str | None:
    """As which node the database takes part in a publication, if it does."""
    query = select(tables.nodes.c.node).where(tables.nodes.c.publication == publication)
    return connection.execute(query).scalar()


@contextmanager
def one_transaction(engine: Engine, *, is_trial: bool) -> Iterator[Connection]:
    """All or nothing; `is_trial`: nothing, whatever comes of it."""
    with engine.connect() as connection, connection.begin() as transaction:
        yield connection
        if is_trial:
            transaction.rollback()


@dataclass(frozen=True)
class CapturedTable:
    """What `install` has noted about a table."""

    name: str
    version_column: str
    has_added_column: bool
    shape: Mapping[str, Any]


def captured_tables(connection: Connection, publication: str) -> list[CapturedTable]:
    """The tables that are captured for a publication, as they were when triggers were made."""
    one = tables.articles.c
    query = select(
        one.article.label("name"), one.version_column, one.has_added_column, one.shape
    ).where(one.publication == publication)
    return [
        CapturedTable(**{**row, "shape": json.loads(row["shape"])})
        for row in connection.execute(query).mappings()
    ]


def shape_of(publication: NodePublication, article: NodeArticle) -> dict[str, Any]:
    """What triggers are made for: while it is the same, they fit."""
    return {
        "replication": "merge" if publication.is_merge else "queued",
        "columns": {name: kind.ddl for name, kind in sorted(article.kinds.items())},
        "primary_key": list(article.shape.primary_key),
        "version_column": article.shape.version_column,
        "parent_columns": list(article.parent_columns),
    }


def check_articles(connection: Connection, publication: NodePublication) -> None:
    """Errors: CaptureProblem where the triggers are made for other articles, or other columns.

    A column that came later would be missing in what is uploaded, and empty at the publisher.
    """
    others = changed_articles(connection, publication)
    if not others:
        return
    if all(has_grown(publication, *one) for one in others.values()):
        raise CaptureProblem(
            f"capture was installed without columns, wider types or tables that the publication has"
            f" now, in {', '.join(others)}: add them here, columns without values, and then"
            " `capture renew`"
        )
    raise CaptureProblem(
        "capture was installed for other columns, types, keys or articles:"
        f" {', '.join(others)}. `capture upload` with the configuration of then,"
        " `capture remove`, `capture install`"
    )


def changed_articles(
    connection: Connection, publication: NodePublication
) -> dict[str, tuple[CapturedTable | None, NodeArticle | None]]:
    """Articles that are not as their triggers were made for, by name: the table and the article."""
    captured = {one.name: one for one in captured_tables(connection, publication.name)}
    found: dict[str, tuple[CapturedTable | None, NodeArticle | None]] = {}
    for name in {**captured, **publication.articles}:
        table, article = captured.get(name), publication.articles.get(name)
        if not table or not article or table.shape != shape_of(publication, article):
            found[name] = (table, article)
    return found


def has_grown(
    publication: NodePublication, table: CapturedTable | None, article: NodeArticle | None
) -> bool:
    """Whether an article is new, or as its table is captured, with columns or wider types since."""
    if article is None:
        return False
    if table is None:
        return True
    before, now = table.shape, shape_of(publication, article)
    columns, widened = before["columns"], widened_columns(table, article)
    has_all_columns = all(
        now["columns"].get(name) == columns[name] for name in columns if name not in widened
    )
    return has_all_columns and {**before, "columns": now["columns"]} == now


def widened_columns(table: CapturedTable, article: NodeArticle) -> list[str]:
    """The columns that have a wider type than the one for which the triggers were made."""
    return [
        name
        for name, before in table.shape["columns"].items()
        if name in article.kinds and article.kinds[name].is_wider_than(parse_type(before))
    ]


def check_triggers(connection: Connection, publication: NodePublication) -> None:
    """Errors: CaptureProblem where a table has lost triggers, or does not run them.

    They go with a table that is made anew, as tools do in SQLite to change a column. What people
    change without them is in no queue, and a command would overwrite it unread.
    """
    dialect = dialect_of(connection.engine)
    for name in [one.name for one in captured_tables(connection, publication.name)]:
        missing = missing_triggers(connection, publication, name)
        if missing:
            enabling = (
                " `alter table ... enable always trigger` for each of"
                f" {', '.join(sorted(missing))}, or"
                if dialect == "postgres"
                else ""
            )
            raise CaptureProblem(
                f"table {name!r} is not captured any more: it is another table than the one that"
                " `capture install` saw, or its triggers are gone or disabled. What has changed"
                f" since then is in no queue:{enabling} `capture remove` and `capture install`"
            )


def missing_triggers(
    connection: Connection, publication: NodePublication, table: str
) -> frozenset[str]:
    """Those that a table has lost, or does not run."""
    dialect = dialect_of(connection.engine)
    wanted = trigger_names(dialect, table, is_merge=publication.is_merge)
    return wanted - _running_triggers(connection, dialect, table)


def _running_triggers(connection: Connection, dialect: str, table: str) -> set[str]:
    query = (
        "select name from sqlite_master where type = 'trigger'"
        f" and lower(tbl_name) = lower({literal(table)})"
        if dialect == "sqlite"
        # 'A': also for what the server's own replication brings
        else "select tgname from pg_trigger where tgenabled = 'A'"
        f" and tgrelid = to_regclass({literal(quoted(table))})"
    )
    found = set(run_plain(connection, query).scalars())
    return found if dialect == "sqlite" else found - _resting_in_a_part(connection, table)


def _resting_in_a_part(connection: Connection, table: str) -> set[str]:
    """Triggers that a part of a partitioned table has, and which do not run there.

    Those for `truncate` are each part's own, and are not looked at.
    """
    query = (
        "select whole.tgname from pg_trigger whole"
        " inner join pg_trigger part on part.tgparentid = whole.oid"
        f" where part.tgenabled <> 'A' and whole.tgrelid = to_regclass({literal(quoted(table))})"
    )
    return set(run_plain(connection, query).scalars())
