"""Making tables captured ones, and leaving them as they were."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from sqlalchemy import Connection, Engine, Inspector, func, inspect, select

from replication_conflicts.capture import tables
from replication_conflicts.capture.sessions import insert_existing
from replication_conflicts.capture.triggers import triggers_for
from replication_conflicts.capture.triggers.merge_bodies import (
    OPERATION,
    metadata_table,
    number_indexes,
)
from replication_conflicts.capture.triggers.postgres_merge import sequence_name
from replication_conflicts.distribution import tables as agent_tables
from replication_conflicts.distribution.articles import NodeArticle, NodePublication
from replication_conflicts.distribution.database import dialect_of
from replication_conflicts.distribution.images import quoted
from replication_conflicts.distribution.metadata import metadata_name
from replication_conflicts.distribution.statements import run_plain


class CaptureProblem(Exception):
    """Capture cannot be installed, used or removed; the message says why in one line."""


class ExistingRows(Enum):
    """What becomes of rows that are there and have no version."""

    REFUSE = "refuse"
    # they are this node's inserts
    INSERT = "insert"
    # the agent replaces them: `distribute --initialize`
    SNAPSHOT = "snapshot"


@dataclass(frozen=True)
class Installed:
    """What was done: versions that rows got, as inserts of this node."""

    articles: int
    inserted_rows: int


def install(
    engine: Engine,
    publication: NodePublication,
    node: str,
    existing: ExistingRows = ExistingRows.REFUSE,
    priority: Decimal | None = None,
) -> Installed:
    """Make the publication's tables captured ones, all in one transaction.

    `priority` is stamped on changes (merge replication: a server subscription's).
    Errors: CaptureProblem; nothing is changed then.
    """
    with engine.begin() as connection:
        inspector = inspect(connection)
        if inspector.has_table(tables.nodes.name) and _node(connection, publication.name):
            raise CaptureProblem(f"publication '{publication.name}' is captured here already")
        for article in publication.articles.values():
            _check_table(inspector, article)
        _create_tables(connection)
        connection.execute(
            tables.nodes.insert(),
            {
                "publication": publication.name,
                "node": node,
                "next_batch": 1,
                "priority": None if priority is None else str(priority),
            },
        )
        if publication.is_merge and dialect_of(engine) == "postgres":
            run_plain(connection, f"create sequence {sequence_name(publication.name)}")
        # an article's triggers may read what stands beside another one
        for article in publication.articles.values():
            _add_versions(connection, inspector, publication, article)
        inserted = sum(
            _add_triggers(connection, inspector, publication, article, existing)
            for article in publication.articles.values()
        )
    return Installed(len(publication.articles), inserted)


def remove(engine: Engine, publication: NodePublication, *, is_discarding: bool = False) -> int:
    """Leave the tables as they were before `install`; the number of changes that are lost.

    Errors: CaptureProblem where changes wait for their upload, unless `is_discarding`.
    """
    with engine.begin() as connection:
        captured_node(connection, publication.name)
        waiting = pending_changes(connection, publication)
        if waiting and not is_discarding:
            raise CaptureProblem(
                f"{waiting} changes wait for their upload: `capture upload` first, or --discard"
            )
        added = tables.articles.c
        found = connection.execute(
            select(added.article, added.has_added_column).where(
                added.publication == publication.name
            )
        ).all()
        # an article's triggers may read what stands beside another one
        for name, _ in found:
            _remove_triggers(connection, publication, str(name))
        for name, has_added_column in found:
            _remove_versions(connection, publication, str(name), bool(has_added_column))
        if publication.is_merge and dialect_of(engine) == "postgres":
            run_plain(connection, f"drop sequence {sequence_name(publication.name)}")
        for table in (tables.queue, tables.passed_over, tables.articles, tables.nodes):
            connection.execute(table.delete().where(table.c.publication == publication.name))
        if not connection.execute(select(tables.nodes.c.node)).first():
            tables.metadata.drop_all(connection)
    return waiting


def pending_changes(connection: Connection, publication: NodePublication) -> int:
    """How many changes are not in the feed yet."""
    mine = tables.queue.c.publication == publication.name
    queued = select(func.count()).select_from(tables.queue).where(mine)
    count = int(connection.execute(queued).scalar_one())
    if publication.is_merge:
        for name in publication.articles:
            table = quoted(metadata_name(name))
            query = f"select count(*) from {table} where {OPERATION} is not null"
            count += int(run_plain(connection, query).scalar_one())
    return count


def captured_node(connection: Connection, publication: str) -> str:
    """As which node the database takes part. Errors: CaptureProblem when it does not."""
    found = None
    if inspect(connection).has_table(tables.nodes.name):
        found = _node(connection, publication)
    if found is None:
        raise CaptureProblem(f"publication '{publication}' is not captured here")
    return found


def _node(connection: Connection, publication: str) -> str | None:
    query = select(tables.nodes.c.node).where(tables.nodes.c.publication == publication)
    return connection.execute(query).scalar()


def _create_tables(connection: Connection) -> None:
    agent_tables.metadata.create_all(connection)
    is_sqlite = connection.dialect.name == "sqlite"
    wanted = [
        table
        for table in tables.metadata.sorted_tables
        if is_sqlite or table not in tables.SQLITE_ONLY
    ]
    tables.metadata.create_all(connection, tables=wanted)


def _check_table(inspector: Inspector, article: NodeArticle) -> None:
    if not inspector.has_table(article.name):
        raise CaptureProblem(f"there is no table {article.name!r}")
    present = {column["name"] for column in inspector.get_columns(article.name)}
    missing = [name for name in article.kinds if name not in present]
    if missing:
        raise CaptureProblem(f"table {article.name!r} has no column {', '.join(missing)}")
    keys = {
        frozenset(inspector.get_pk_constraint(article.name)["constrained_columns"]),
        *(frozenset(columns) for columns in _unique_indexes(inspector, article)),
    }
    if frozenset(article.shape.primary_key) not in keys:
        key = ", ".join(article.shape.primary_key)
        raise CaptureProblem(f"table {article.name!r}: nothing makes its key ({key}) unique")


def _unique_indexes(inspector: Inspector, article: NodeArticle) -> list[list[str]]:
    """Columns of unique indexes and constraints, without those over expressions or some rows."""
    found = [list(one["column_names"]) for one in inspector.get_unique_constraints(article.name)]
    found += [
        [str(name or "") for name in one["column_names"]]
        for one in inspector.get_indexes(article.name)
        if one["unique"] and not one.get("dialect_options")
    ]
    return [columns for columns in found if all(columns)]


def _add_versions(
    connection: Connection,
    inspector: Inspector,
    publication: NodePublication,
    article: NodeArticle,
) -> None:
    present = {column["name"] for column in inspector.get_columns(article.name)}
    is_added = article.shape.version_column not in present
    if is_added:
        run_plain(
            connection,
            f"alter table {quoted(article.name)}"
            f" add column {quoted(article.shape.version_column)} text",
        )
    connection.execute(
        tables.articles.insert(),
        {"publication": publication.name, "article": article.name, "has_added_column": is_added},
    )
    if publication.is_merge:
        for statement in _metadata_statements(connection, inspector, article):
            run_plain(connection, statement)


def _add_triggers(
    connection: Connection,
    inspector: Inspector,
    publication: NodePublication,
    article: NodeArticle,
    existing: ExistingRows,
) -> int:
    unique_keys = [
        key for key in _unique_indexes(inspector, article) if set(key) <= set(article.kinds)
    ]
    node = captured_node(connection, publication.name)
    dialect = dialect_of(connection.engine)
    count = _count_existing(connection, article, existing)
    for statement in triggers_for(dialect, publication, node, article, unique_keys).create:
        run_plain(connection, statement)
    if existing is not ExistingRows.INSERT or not count:
        return 0
    if publication.is_merge:
        insert_existing(connection, publication, article, node)
    else:
        _queue_existing(connection, publication, article)
    return count


def _metadata_statements(
    connection: Connection, inspector: Inspector, article: NodeArticle
) -> list[str]:
    types = {
        str(column["name"]): column["type"].compile(dialect=connection.dialect)
        for column in inspector.get_columns(article.name)
    }
    return [metadata_table(article, types), *number_indexes(article)]


def _count_existing(connection: Connection, article: NodeArticle, existing: ExistingRows) -> int:
    table, version = quoted(article.name), quoted(article.shape.version_column)
    query = f"select count(*) from {table} where {version} is null"
    count = int(run_plain(connection, query).scalar_one())
    if count and existing is ExistingRows.REFUSE:
        raise CaptureProblem(
            f"table {article.name!r} has {count} rows without a version. --existing-rows insert:"
            " they are this node's inserts; --existing-rows snapshot: `distribute --initialize`"
            " replaces them"
        )
    return count


def _queue_existing(
    connection: Connection, publication: NodePublication, article: NodeArticle
) -> None:
    """Rows without a version look like inserts to the triggers; each is its own transaction."""
    first = quoted(article.shape.primary_key[0])
    version = quoted(article.shape.version_column)
    table = quoted(article.name)
    run_plain(connection, f"update {table} set {first} = {first} where {version} is null")
    connection.execute(
        tables.queue.update()
        .where(tables.queue.c.publication == publication.name)
        .values(transaction_key=tables.queue.c.change_id)
    )


def _remove_triggers(connection: Connection, publication: NodePublication, name: str) -> None:
    article = publication.article(name)
    dialect = dialect_of(connection.engine)
    for statement in triggers_for(dialect, publication, "", article).drop:
        run_plain(connection, statement)


def _remove_versions(
    connection: Connection, publication: NodePublication, name: str, has_added_column: bool
) -> None:
    if publication.is_merge:
        run_plain(connection, f"drop table {quoted(metadata_name(name))}")
    if has_added_column:
        column = quoted(publication.article(name).shape.version_column)
        run_plain(connection, f"alter table {quoted(name)} drop column {column}")
