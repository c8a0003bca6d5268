"""What the catalog of a node's database says of tables."""

from __future__ import annotations

from sqlalchemy import Connection

from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.statements import run_plain


def column_names(connection: Connection, table: str) -> list[str]:
    """The columns of a table, generated ones too; none where there is no table."""
    return [*_columns(connection, table, f"to_regclass({literal(quoted(table))})")]


def declared_types(connection: Connection, table: str) -> dict[str, str]:
    """The types of a table's columns, as the database writes them: types of any extension, too.

    In PostgreSQL it is an error that there is no table.
    """
    return _columns(connection, table, regclass(table))


def regclass(table: str) -> str:
    """A table as PostgreSQL's catalog refers to it; that there is none is an error."""
    return f"cast({literal(quoted(table))} as regclass)"


def _columns(connection: Connection, table: str, relation: str) -> dict[str, str]:
    """Names and types, in their order; `relation`: the table to PostgreSQL."""
    query = (
        f"select name, type from pragma_table_xinfo({literal(table)})"
        if connection.dialect.name == "sqlite"
        else "select cast(attname as text) as name, format_type(atttypid, atttypmod) as type"
        f" from pg_attribute where attrelid = {relation}"
        " and attnum > 0 and not attisdropped order by attnum"
    )
    return {row["name"]: row["type"] for row in run_plain(connection, query).mappings()}
