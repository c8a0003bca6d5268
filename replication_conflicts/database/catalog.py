"""Which columns a table of a node has."""

from __future__ import annotations

from sqlalchemy import Connection

from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.statements import run_plain


def column_names(connection: Connection, table: str) -> list[str]:
    """The columns of a table, generated ones too; none where there is no table."""
    query = (
        f"select name from pragma_table_xinfo({literal(table)})"
        if connection.dialect.name == "sqlite"
        else "select cast(attname as text) from pg_attribute"
        f" where attrelid = to_regclass({literal(quoted(table))})"
        " and attnum > 0 and not attisdropped order by attnum"
    )
    return list(run_plain(connection, query).scalars())
