"""What SQLite would keep in any column, and an article cannot hold: refused where it is written.

A change that the feed could not carry would otherwise stop the upload, long after it was made.
"""

from __future__ import annotations

from replication_conflicts.distribution.articles import NodeArticle
from replication_conflicts.distribution.images import literal, quoted
from replication_conflicts.nodes.values import ColumnType

_INTEGER_BYTES = {
    "tinyint": 1,
    "byte": 1,
    "smallint": 2,
    "short": 2,
    "int": 4,
    "integer": 4,
    "bigint": 8,
    "long": 8,
}
_DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"


def refused_values(article: NodeArticle) -> list[str]:
    """One statement a column: it ends the writing statement where the value does not fit."""
    return [
        f"select raise(abort, {literal(_message(article, name, kind))})"
        f" where {_is_bad(kind, f'new.{quoted(name)}')}"
        for name, kind in article.kinds.items()
    ]


def _message(article: NodeArticle, column: str, kind: ColumnType) -> str:
    return f"replication: {article.name}.{column} holds {kind.ddl} only"


def _is_bad(kind: ColumnType, value: str) -> str:
    kept = f"typeof({value})"
    if kind.name in _INTEGER_BYTES:
        largest = 2 ** (8 * _INTEGER_BYTES[kind.name] - 1) - 1
        # -9223372036854775808 as a literal would be a real number
        smallest = f"(-{largest} - 1)"
        return f"{kept} not in ('integer', 'null') or {value} not between {smallest} and {largest}"
    if kind.name == "decimal":
        limit = f"1e{(kind.precision or 10) - kind.scale}"
        return (
            f"{kept} = 'blob' or abs(round({value}, {kind.scale})) >= {limit}"
            f" or {kept} = 'text' and ({value} not glob '*[0-9]*' or {value} glob '*.*.*'"
            f" or {value} glob '?*[-+]*' or trim({value}, '+-.0123456789') <> '')"
        )
    if kind.name in ("float", "double"):
        return f"{kept} not in ('integer', 'real', 'null')"
    if kind.name == "boolean":
        return f"{value} not in (0, 1)"
    if kind.name == "date":
        return f"{value} is not date({value})"
    if kind.name in ("timestamp", "timestamp_ntz"):
        return (
            f"{kept} <> 'null' and ({kept} <> 'text' or julianday({value}) is null"
            f" or {value} not glob '{_DAY}*')"
        )
    if kind.name == "binary":
        return f"{kept} not in ('blob', 'null')"
    # a literal of SQLite ends at a character zero
    bad_text = f"{kept} = 'blob' or instr({value}, char(0)) > 0"
    return f"{bad_text} or length({value}) > {kind.precision}" if kind.precision else bad_text
