"""What the catalog of a node's database says of tables."""

from __future__ import annotations

from sqlalchemy import Connection

from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.statements import run_plain


def declared_types(connection: Connection, table: str) -> dict[str, str]:
    """The types of a table's columns, as the database writes them: types of any extension, too."""
    query = (
        f"select name, type from pragma_table_xinfo({literal(table)})"
        if connection.dialect.name == "sqlite"
        else "select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute"
        f" where attrelid = {regclass(table)}"
        " and attnum > 0 and not attisdropped"
    )
    return {row["name"]: row["type"] for row in run_plain(connection, query).mappings()}


def regclass(table: str) -> str:
    """A table as PostgreSQL's catalog refers to it; that there is none is an error."""
    return f"cast({literal(quoted(table))} as regclass)"
