"""Which columns of SQLite keep an article's values as they are.

A column of SQLite turns values into its own kind, by what its declared type sounds like: a text
'007' is the number 7 in a column `string`, and a number in a column without a type is never equal
to the text that the agent brings.
"""

from __future__ import annotations

from replication_conflicts.publication.values import ColumnType

_SOUNDS = (
    ("INTEGER", ("INT",)),
    ("TEXT", ("CHAR", "CLOB", "TEXT")),
    ("BLOB", ("BLOB",)),
    ("REAL", ("REAL", "FLOA", "DOUB")),
)
# what keeps values of a type, the recommended one first; dates and bytes are kept by any column
_WHOLE_NUMBER = ("INTEGER", "NUMERIC")
_TEXT = ("TEXT",)
_FITTING = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint", "boolean"), _WHOLE_NUMBER),
    **dict.fromkeys(("float", "double"), ("REAL", "NUMERIC", "INTEGER")),
    **dict.fromkeys(("string", "varchar", "char"), _TEXT),
    "decimal": ("NUMERIC", "TEXT", "INTEGER", "REAL"),
}


def better_type(kind: ColumnType, declared: str) -> str | None:
    """The type that a column should have instead of the declared one; None where that is fine."""
    fitting = _FITTING.get(kind.name)
    return None if fitting is None or affinity(declared) in fitting else fitting[0]


def affinity(declared: str) -> str:
    """SQLite's own rule: the first word that the type contains."""
    if not declared:
        return "BLOB"
    for found, words in _SOUNDS:
        if any(word in declared.upper() for word in words):
            return found
    return "NUMERIC"
