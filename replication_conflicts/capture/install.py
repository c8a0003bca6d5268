"""Making tables captured ones, and leaving them as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sqlalchemy import Connection, Engine, Inspector, func, inspect, select

from replication_conflicts.capture import tables
from replication_conflicts.capture.triggers import Ddl, queued_triggers
from replication_conflicts.capture.triggers.sqlite_queued import NEW_GUID
from replication_conflicts.distribution import tables as agent_tables
from replication_conflicts.distribution.articles import NodeArticle, NodePublication
from replication_conflicts.distribution.database import (
    dialect_of,
    mark_as_agent,
    unmark_as_agent,
)
from replication_conflicts.distribution.images import image_sql, literal, quoted
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
) -> Installed:
    """Make the publication's tables captured ones, all in one transaction.

    Errors: CaptureProblem; nothing is changed then.
    """
    with engine.begin() as connection:
        inspector = inspect(connection)
        if inspector.has_table(tables.nodes.name) and _node(connection, publication.name):
            raise CaptureProblem(f"publication '{publication.name}' is captured here already")
        for article in publication.articles.values():
            _check_table(inspector, article)
        _create_tables(connection)
        mark_as_agent(connection)
        inserted = sum(
            _install_article(connection, inspector, publication, article, existing)
            for article in publication.articles.values()
        )
        unmark_as_agent(connection)
        connection.execute(
            tables.nodes.insert(),
            {"publication": publication.name, "node": node, "next_batch": 1},
        )
    return Installed(len(publication.articles), inserted)


def remove(engine: Engine, publication: NodePublication, *, is_discarding: bool = False) -> int:
    """Leave the tables as they were before `install`; the number of changes that are lost.

    Errors: CaptureProblem where changes wait for their upload, unless `is_discarding`.
    """
    with engine.begin() as connection:
        captured_node(connection, publication.name)
        mine = tables.queue.c.publication == publication.name
        waiting = connection.execute(
            select(func.count()).select_from(tables.queue).where(mine)
        ).scalar_one()
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
        for name, has_added_column in found:
            _remove_article(connection, publication, str(name), bool(has_added_column))
        for table in (tables.queue, tables.articles, tables.nodes):
            connection.execute(table.delete().where(table.c.publication == publication.name))
        if not connection.execute(select(tables.nodes.c.node)).first():
            tables.metadata.drop_all(connection)
    return int(waiting)


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


def _install_article(
    connection: Connection,
    inspector: Inspector,
    publication: NodePublication,
    article: NodeArticle,
    existing: ExistingRows,
) -> int:
    present = {column["name"] for column in inspector.get_columns(article.name)}
    unique_keys = [
        key for key in _unique_indexes(inspector, article) if set(key) <= set(article.kinds)
    ]
    is_added = article.shape.version_column not in present
    if is_added:
        run_plain(
            connection,
            f"alter table {quoted(article.name)}"
            f" add column {quoted(article.shape.version_column)} text",
        )
    inserted = _take_existing(connection, publication, article, existing)
    for statement in triggers_of(connection, publication, article, unique_keys).create:
        run_plain(connection, statement)
    connection.execute(
        tables.articles.insert(),
        {"publication": publication.name, "article": article.name, "has_added_column": is_added},
    )
    return inserted


def triggers_of(
    connection: Connection,
    publication: NodePublication,
    article: NodeArticle,
    unique_keys: Sequence[Sequence[str]] = (),
) -> Ddl:
    """The triggers of an article in this database."""
    return queued_triggers(dialect_of(connection.engine), publication.name, article, unique_keys)


def _take_existing(
    connection: Connection,
    publication: NodePublication,
    article: NodeArticle,
    existing: ExistingRows,
) -> int:
    """Rows without a version become inserts of this node, each a transaction of its own."""
    table, version = quoted(article.name), quoted(article.shape.version_column)
    without = f"from {table} where {version} is null"
    count = int(run_plain(connection, f"select count(*) {without}").scalar_one())
    if not count or existing is ExistingRows.SNAPSHOT:
        return 0
    if existing is ExistingRows.REFUSE:
        raise CaptureProblem(
            f"table {article.name!r} has {count} rows without a version. --existing-rows insert:"
            " they are this node's inserts; --existing-rows snapshot: `distribute --initialize`"
            " replaces them"
        )
    dialect = dialect_of(connection.engine)
    guid = NEW_GUID if dialect == "sqlite" else "gen_random_uuid()::text"
    now = agent_tables.now_text()
    mark = literal(f"install {now}/")
    run_plain(
        connection, f"update {table} set {version} = {mark} || {guid} where {version} is null"
    )
    is_new = f"{version} like {mark} || '%'"
    run_plain(
        connection,
        "insert into replication_queue (publication, article, change_id, operation, changed_at,"
        " new_version, row_image, transaction_key)"
        f" select {literal(publication.name)}, {literal(article.name)}, {guid}, 'insert',"
        f" {literal(now)}, substr({version}, length({mark}) + 1),"
        f" {image_sql(article, dialect, table)}, {version} from {table} where {is_new}",
    )
    run_plain(
        connection,
        f"update {table} set {version} = substr({version}, length({mark}) + 1) where {is_new}",
    )
    return count


def _remove_article(
    connection: Connection, publication: NodePublication, name: str, has_added_column: bool
) -> None:
    article = publication.article(name)
    for statement in triggers_of(connection, publication, article).drop:
        run_plain(connection, statement)
    if has_added_column:
        column = quoted(article.shape.version_column)
        run_plain(connection, f"alter table {quoted(name)} drop column {column}")
