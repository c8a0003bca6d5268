"""What tables of every database are asked, and in which order."""

from __future__ import annotations

import warnings

from sqlalchemy import Connection, Inspector, String, inspect, select
from sqlalchemy.exc import DBAPIError, SAWarning

from replication_conflicts.capture.checks import postgres, sqlite
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.triggers.sqlite_values import held_values, is_refused
from replication_conflicts.database import agent_tables
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.catalog import declared_types, regclass
from replication_conflicts.database.faults import error_text
from replication_conflicts.database.images import image_sql, literal, quoted
from replication_conflicts.database.statements import run_plain
from replication_conflicts.words import counted


def check_node(name: str, publisher: str) -> None:
    """Errors: CaptureProblem where it is no name that a subscription could have."""
    if not name or name != name.strip():
        raise CaptureProblem(f"--node is '{name}': it must be a name, without blanks around it")
    if name in ("None", f"{publisher}*"):
        raise CaptureProblem(f"--node is '{name}': no subscription can have that name")


def check_encoding(connection: Connection) -> None:
    """Errors: CaptureProblem where the database's texts are of no use to the triggers."""
    is_sqlite = connection.dialect.name == "sqlite"
    (sqlite if is_sqlite else postgres).check_encoding(connection)


def check_table(
    connection: Connection,
    inspector: Inspector,
    publication: NodePublication,
    article: NodeArticle,
    *,
    is_captured: bool = False,
) -> None:
    """Errors: CaptureProblem where the article's table cannot be captured as it is.

    `is_captured`: it is captured, but for the triggers; its versions are those of capture.
    """
    if connection.dialect.name == "sqlite":
        sqlite.check_name(connection, article)
        sqlite.check_expressions(connection, article)
    check_columns(connection, inspector, article, is_captured=is_captured)
    if not is_captured:
        _check_version_column(connection, inspector, publication, article)
    _check_collations(connection, article)
    _check_generated(connection, article)
    if connection.dialect.name == "sqlite":
        sqlite.check_types(connection, article)
        sqlite.check_triggers(connection, article)
        return
    postgres.check_is_alone(connection, article)
    postgres.check_outlives_a_crash(connection, article)
    postgres.check_is_written_as_said(connection, article)
    postgres.check_is_immediate(connection, article)
    postgres.check_types(connection, article)
    if publication.is_merge:
        postgres.check_last_word(connection, article)
    else:
        postgres.check_order_of_triggers(connection, article)


def check_values(connection: Connection, article: NodeArticle) -> None:
    """Rows that were there go to the feed as they are.

    Errors: CaptureProblem where the article cannot hold a value.
    """
    table, version = quoted(article.name), quoted(article.shape.version_column)
    if connection.dialect.name != "sqlite":
        image = image_sql(article, "postgres", "held")
        query = f"select count({image}) from {table} held where held.{version} is null"
        try:
            run_plain(connection, query)
        except DBAPIError as error:
            raise CaptureProblem(f"table {article.name!r}: {error_text(error)}") from error
        return
    for column, said in held_values(article).items():
        query = f"select count(*) from {table} held where held.{version} is null"
        condition = is_refused(article, column, "held")
        count = run_plain(connection, f"{query} and ({condition})").scalar_one()
        if count:
            raise CaptureProblem(
                f"{said}: other values are in {counted(count, 'row')}. Correct them first, or give"
                " the column another type in the article"
            )


def check_columns(
    connection: Connection, inspector: Inspector, article: NodeArticle, *, is_captured: bool
) -> None:
    """Errors: CaptureProblem where the table has not what the article, or capture, has."""
    if not inspector.has_table(article.name):
        raise CaptureProblem(
            f"there is no table {article.name!r}: make it, or name its schema in the search path"
            if connection.dialect.name == "postgresql"
            else f"there is no table {article.name!r}: make it first"
        )
    present = declared_types(connection, article.name)
    missing = [name for name in article.kinds if name not in present]
    if missing:
        raise CaptureProblem(
            f"table {article.name!r} has no column {', '.join(missing)}: add it, or leave it out of"
            " the article"
        )
    version = article.shape.version_column
    if is_captured and version not in present:
        raise CaptureProblem(
            f"table {article.name!r} has no column {version!r} any more, in which its rows have"
            " their versions: give it back its name; or start over"
        )
    keys = {
        frozenset(inspector.get_pk_constraint(article.name)["constrained_columns"]),
        *_unique_keys(inspector, article),
    }
    if frozenset(article.shape.primary_key) not in keys:
        key = ", ".join(article.shape.primary_key)
        raise CaptureProblem(
            f"table {article.name!r}: nothing makes its key ({key}) unique: add a primary key or a"
            " unique index"
        )


def _check_version_column(
    connection: Connection,
    inspector: Inspector,
    publication: NodePublication,
    article: NodeArticle,
) -> None:
    """A column of that name is for versions if it is a text, and nobody but the agent fills it."""
    version = article.shape.version_column
    if version not in declared_types(connection, article.name):
        return
    types = {one["name"]: one["type"] for one in inspector.get_columns(article.name)}
    query = f"select 1 from {quoted(article.name)} where {quoted(version)} is not null limit 1"
    is_filled = run_plain(connection, query).first() is not None
    is_agents = not is_filled or _is_served(connection, publication.name)
    if not (isinstance(types[version], String) and is_agents):
        raise CaptureProblem(
            f"table {article.name!r} has a column {version!r} of its own: name another one with the"
            " article's option version_column"
        )


def _is_served(connection: Connection, publication: str) -> bool:
    """Whether an agent has brought rows of the publication."""
    positions = agent_tables.positions
    if not inspect(connection).has_table(positions.name):
        return False
    query = select(positions.c.publication).where(positions.c.publication == publication)
    return connection.execute(query).first() is not None


def _check_generated(connection: Connection, article: NodeArticle) -> None:
    """No command could give such a column its value."""
    query = (
        f"select name from pragma_table_xinfo({literal(article.name)}) where hidden in (2, 3)"
        if connection.dialect.name == "sqlite"
        else "select attname from pg_attribute"
        f" where attrelid = {regclass(article.name)}"
        " and not attisdropped and (attgenerated <> '' or attidentity = 'a')"
    )
    generated = set(run_plain(connection, query).scalars())
    for name in article.kinds:
        if name in generated:
            raise CaptureProblem(
                f"table {article.name!r}, column {name!r}: the database alone gives it its values,"
                " so that no command could; leave it out of the article, or make it a plain column"
                " or one `generated by default as identity`"
            )


def _check_collations(connection: Connection, article: NodeArticle) -> None:
    """Two keys that the publication tells apart would be one row here, and one would be lost."""
    is_sqlite = connection.dialect.name == "sqlite"
    found = (sqlite if is_sqlite else postgres).collations(connection, article)
    for column, collation in found.items():
        raise CaptureProblem(
            f"table {article.name!r}, column {column!r}: a key must tell every text from every"
            f" other, and {collation} does not. Give the column one that does"
        )


def _unique_keys(inspector: Inspector, article: NodeArticle) -> list[frozenset[str]]:
    """Columns of unique indexes and constraints, without those over expressions or some rows."""
    name = article.name
    with warnings.catch_warnings():
        # of the others, which it leaves out
        warnings.simplefilter("ignore", SAWarning)
        constraints, indexes = inspector.get_unique_constraints(name), inspector.get_indexes(name)
    found = [list(one["column_names"]) for one in constraints]
    found += [
        [str(column or "") for column in one["column_names"]]
        for one in indexes
        if one["unique"] and not any("where" in option for option in one.get("dialect_options", {}))
    ]
    return [frozenset(columns) for columns in found if all(columns)]
