"""Which columns of PostgreSQL keep an article's values as they are.

PostgreSQL rounds and cuts without a word: a column `numeric(10,1)` takes 1.25, a column `date`
takes a moment, a column `character(9)` loses the blanks at the end of a text, which the lakehouse
keeps, also in its own `char(9)`, and a column `name` has 63 bytes. And it takes no text in a column
of some other type, such as `uuid` or an enum: no command could be carried out there.
"""

from __future__ import annotations

import re

from replication_conflicts.publication.values import ColumnType

# as format_type() says it: 'timestamp(3) without time zone'
_DECLARED = re.compile(
    r"^(?P<name>[^(]+?)(?:\((?P<first>\d+)(?:,(?P<second>-?\d+))?\))?(?: with(?:out)? time zone)?$"
)
_WHOLE_NUMBER = ("smallint", "integer", "bigint")
_TEXT = ("text", "character varying", "citext")
# what keeps values of a type, the recommended one first
_FITTING = {
    **dict.fromkeys(("tinyint", "smallint"), _WHOLE_NUMBER),
    "int": ("integer", "smallint", "bigint"),
    "bigint": ("bigint", "smallint", "integer"),
    "float": ("real",),
    "double": ("double precision",),
    "decimal": ("numeric",),
    "boolean": ("boolean",),
    "date": ("date",),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), ("timestamp",)),
    **dict.fromkeys(("string", "varchar", "char"), _TEXT),
    "binary": ("bytea",),
}
_MOST_FRACTION = 6


def better_postgres_type(kind: ColumnType, declared: str) -> str | None:
    """The type that a column should have instead of the declared one; None where that is fine."""
    fitting = _FITTING[kind.name]
    better = kind.ddl.replace("decimal", "numeric") if kind.name == "decimal" else fitting[0]
    found = _DECLARED.match(declared)
    if found is None:
        return better
    # an extension's type may have the name of its schema in front
    name = found["name"].rpartition(".")[2]
    first, second = (None if one is None else int(one) for one in found.group("first", "second"))
    if name not in fitting:
        is_whole = name == "numeric" and fitting[0] in _WHOLE_NUMBER and first is not None
        return None if is_whole and second == 0 else better
    if name == "numeric" and first is not None and (second or 0) < kind.scale:
        return better
    if name == "timestamp" and first is not None and first < _MOST_FRACTION:
        return better
    return None
