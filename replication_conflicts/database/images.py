"""Rows of a node's database as canonical text, whatever the driver makes of their values.

The database itself writes a row as one JSON text: in SQLite each value as an SQL literal, which
keeps its type and every digit; in PostgreSQL as the text of the type that the article declares,
which also refuses what that type cannot hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import cache

from sqlglot import exp

from replication_conflicts.database.articles import NodeArticle
from replication_conflicts.publication.values import ColumnType, Texts, Value, ValueProblem

# a number of SQLite has far fewer digits; the usual context rounds beyond 28 and then refuses
_EXACT = Context(prec=400)
# a function takes a limited number of arguments: 127 in SQLite, 100 in PostgreSQL
_COLUMNS_A_CALL = 50
_POSTGRES_TYPES = {
    "tinyint": "smallint",
    "smallint": "smallint",
    "int": "integer",
    "bigint": "bigint",
    "float": "real",
    "double": "double precision",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp",
}
_INTEGERS = ("smallint", "integer", "bigint")
# what PostgreSQL's type holds beside the article's: infinite days, years of five digits, no number,
# numbers of two bytes, texts of any length; and what a type that the column has got since would
# lose: digits, or the time of the day
_IS_KEPT = "{2} = {0}"
_YEARS = f"{_IS_KEPT} and {{0}} >= date '0001-01-01' and {{0}} < date '10000-01-01'"
_POSTGRES_LIMITS = {
    "decimal": f"{{0}} <> 'NaN' and {_IS_KEPT}",
    "tinyint": f"{_IS_KEPT} and {{0}} between -128 and 127",
    **dict.fromkeys(("smallint", "int", "bigint", "float", "boolean"), _IS_KEPT),
    **dict.fromkeys(("varchar", "char"), "length({0}) <= {1}"),
    **dict.fromkeys(("date", "timestamp", "timestamp_ntz"), _YEARS),
}


# triggers and statements write the same names again and again, and sqlglot takes its time
@cache
def quoted(name: str) -> str:
    """A name as SQLite and PostgreSQL take any name."""
    return exp.to_identifier(name, quoted=True).sql("postgres")


@cache
def literal(text: str) -> str:
    """A text as an SQL literal."""
    return exp.Literal.string(text).sql("postgres")


def image_sql(
    article: NodeArticle, dialect: str, alias: str, columns: Iterable[str] | None = None
) -> str:
    """The SQL expression that writes a row's columns (default: all) as one JSON text."""
    names = list(article.kinds if columns is None else columns)
    value: Callable[[ColumnType, str, bool], str] = {
        "sqlite": _sqlite_literal,
        "postgres": _postgres_text,
    }[dialect]
    keys = article.shape.primary_key
    pairs = [
        f"{literal(name)}, {value(article.kinds[name], f'{alias}.{quoted(name)}', name in keys)}"
        for name in names
    ]
    chunks = [pairs[i : i + _COLUMNS_A_CALL] for i in range(0, len(pairs), _COLUMNS_A_CALL)]
    if dialect == "postgres":
        calls = [f"jsonb_build_object({', '.join(chunk)})" for chunk in chunks]
        return f"cast({' || '.join(calls)} as text)"
    objects = [f"json_object({', '.join(chunk)})" for chunk in chunks]
    if len(objects) == 1:
        return objects[0]
    # not by a function of two objects: SQLite does not take calls in calls of any depth
    entries = " || ',' || ".join(f"trim({one}, '{{}}')" for one in objects)
    return f"('{{' || {entries} || '}}')"


def texts_of(article: NodeArticle, dialect: str, image: str) -> dict[str, str | None]:
    """Canonical texts of an image. Errors: ValueProblem, naming article and column."""
    texts: dict[str, str | None] = {}
    for name, found in _columns_of(article, image).items():
        kind = article.kinds[name]
        try:
            value = _value_of_literal(kind, found) if dialect == "sqlite" else kind.coerce(found)
        except (ValueError, TypeError, ArithmeticError) as problem:
            raise ValueProblem(f"article '{article.name}', column '{name}': {problem}") from problem
        texts[name] = kind.to_text(value)
    return texts


def _columns_of(article: NodeArticle, image: str) -> dict[str, object]:
    """What an image has of each column; people may have corrected it. Errors: ValueProblem."""
    try:
        found = json.loads(image)
    except (ValueError, TypeError) as problem:
        raise ValueProblem(f"{image!r} is no JSON: {problem}") from problem
    if not isinstance(found, dict):
        raise ValueProblem(f"{image!r} is no JSON object of columns")
    unknown = [name for name in found if name not in article.kinds]
    if unknown:
        raise ValueProblem(f"article '{article.name}' has no column {', '.join(unknown)}")
    return found


def values_of(article: NodeArticle, texts: Texts) -> dict[str, Value]:
    """Typed values of canonical texts."""
    return {name: article.kinds[name].from_text(text) for name, text in texts.items()}


def bound_value(kind: ColumnType, dialect: str, text: str | None) -> object:
    """What to bind to a statement's parameter for a canonical text.

    SQLite cannot decode base64, so its statements take bytes as they are; a number must be one,
    because a column without a fitting type would keep a text, which equals no number.
    """
    if dialect != "sqlite" or text is None:
        return text
    if kind.name == "binary":
        return kind.from_text(text)
    if _POSTGRES_TYPES.get(kind.name) in _INTEGERS:
        return int(text)
    # SQLite makes NULL of what is no number: the text says more
    if kind.name in ("double", "float") and text != "NaN":
        return float(text)
    return text


def json_text(texts: Mapping[str, str | None] | None) -> str | None:
    """Texts as JSON, for tables that keep a row; None for no row."""
    return None if texts is None else json.dumps(dict(texts), ensure_ascii=False, sort_keys=True)


def _sqlite_literal(kind: ColumnType, column: str, _: bool) -> str:
    if kind.name not in ("string", "varchar", "char"):
        return f"quote({column})"
    # a literal of a text ends at a character zero, which the agent may have brought
    whole = f"'X''' || hex({column}) || ''''"
    return f"case when instr({column}, char(0)) > 0 then {whole} else quote({column}) end"


def _postgres_text(kind: ColumnType, column: str, is_key: bool) -> str:
    if kind.name == "binary":
        return f"replace(encode({column}, 'base64'), chr(10), '')"
    target = kind.ddl if kind.name == "decimal" else _POSTGRES_TYPES.get(kind.name, "text")
    value = f"cast({column} as {target})"
    text = value if target == "text" else f"cast({value} as text)"
    if kind.name not in _POSTGRES_LIMITS:
        return text
    # a text that is none of the type ends the statement that writes the row
    other = "integer" if target == "text" else target
    refused = f"cast(cast(cast({column} as text) || ' cannot be captured' as {other}) as text)"
    limit = _POSTGRES_LIMITS[kind.name].format(value, kind.precision, column)
    if is_key and kind.name == "char":
        # a column of another type keeps blanks at the end, which commands do not name
        limit += f" and right({value}, 1) <> ' '"
    return f"case when {limit} then {text} else {refused} end"


def _value_of_literal(kind: ColumnType, found: object) -> Value:
    """The value behind an SQLite literal, as the article's type. Errors: ValueProblem."""
    if not isinstance(found, str):
        raise ValueProblem(f'{found!r} is no SQL literal in a text, such as "\'a\'" or "1.5"')
    if found == "NULL":
        return None
    if found.startswith("'"):
        return kind.coerce(found[1:-1].replace("''", "'"))
    if found.startswith(("X'", "x'")):
        data = bytes.fromhex(found[2:-1])
        return kind.coerce(data if kind.name == "binary" else data.decode("utf-8"))
    if kind.name == "boolean":
        return kind.coerce({"0": "false", "1": "true"}.get(found, found))
    if kind.name == "decimal":
        step = Decimal(1).scaleb(-kind.scale)
        return kind.coerce(Decimal(found).quantize(step, ROUND_HALF_EVEN, _EXACT))
    if kind.name in ("double", "float"):
        return kind.coerce(float(found))
    number = Decimal(found)
    return kind.coerce(int(number) if number == number.to_integral_value() else found)
