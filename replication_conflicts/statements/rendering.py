"""Conditional insert, update and delete of one row, in the SQL of five databases.

Each statement is built once as an expression tree and written by sqlglot. Values are named
parameters and never part of the text. A parameter carries the canonical text of its value (as
`distribution_commands` has it), so that the statement casts it where the database would not do so
by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from replication_conflicts.statements.articles import ArticleShape

DIALECTS = ("tsql", "postgres", "mysql", "sqlite", "spark")
OPERATIONS = ("insert", "update", "delete")
OLD_VERSION = "old_version"
NEW_VERSION = "new_version"

# How canonical text becomes a value: the type to cast to, None = the text serves as it is.
# SQLite converts by the affinity of the column; a cast there would turn a decimal into a float.
# MySQL and T-SQL lose the fraction of a second unless told how many digits to keep.
_CASTS: dict[str, dict[str, str | None]] = {
    "tinyint": {"tsql": "smallint", "postgres": "smallint", "mysql": "signed", "spark": "tinyint"},
    "smallint": {
        "tsql": "smallint",
        "postgres": "smallint",
        "mysql": "signed",
        "spark": "smallint",
    },
    "int": {"tsql": "int", "postgres": "int", "mysql": "signed", "spark": "int"},
    "bigint": {"tsql": "bigint", "postgres": "bigint", "mysql": "signed", "spark": "bigint"},
    "float": {"tsql": "real", "postgres": "real", "mysql": "double", "spark": "float"},
    "double": {
        "tsql": "float",
        "postgres": "double precision",
        "mysql": "double",
        "spark": "double",
    },
    "boolean": {"tsql": "bit", "postgres": "boolean", "spark": "boolean"},
    "date": {"tsql": "date", "postgres": "date", "mysql": "date", "spark": "date"},
    # canonical text is UTC without saying so: a type with a zone would read it in the session's
    "timestamp": {
        "tsql": "datetime2(6)",
        "postgres": "timestamp",
        "mysql": "datetime(6)",
        "spark": "timestamp",
    },
    "timestamp_ntz": {
        "tsql": "datetime2(6)",
        "postgres": "timestamp",
        "mysql": "datetime(6)",
        "spark": "timestamp_ntz",
    },
    # a parameter in a select list has no type in PostgreSQL until it is given one
    "string": {"postgres": "text"},
    "varchar": {"postgres": "text"},
    "char": {"postgres": "text"},
}


@dataclass(frozen=True)
class Statement:
    """One statement: `parameters` are the names it needs, each once, in the order of first use."""

    publication: str
    article: str
    operation: str
    dialect: str
    statement: str
    parameters: tuple[str, ...]


def parameter_name(column: str) -> str:
    """Return the parameter that carries a column's value: the column's name where that can be one.

    What a parameter's name may not contain is written `_xHHHH_` (its code in hexadecimal), as
    SQL/XML does for the names of elements; so no two columns share a parameter. The names of the
    version parameters are reserved.
    """
    escaped = re.sub(r"_(?=x[0-9A-F]{4,6}_)", "_x005F_", column)
    name = re.sub(r"[^A-Za-z0-9_]|^[0-9_]", lambda found: _escaped(found.group()), escaped)
    return _escaped(name[0]) + name[1:] if name in (OLD_VERSION, NEW_VERSION) else name


def statements(article: ArticleShape, dialects: Sequence[str] = DIALECTS) -> list[Statement]:
    """Return the article's statements, operation by operation and in each of the dialects."""
    return [
        _statement(article, operation, dialect) for operation in OPERATIONS for dialect in dialects
    ]


def _escaped(character: str) -> str:
    return f"_x{ord(character):04X}_"


def _statement(article: ArticleShape, operation: str, dialect: str) -> Statement:
    build = {"insert": _insert, "update": _update, "delete": _delete}[operation]
    parameters: list[str] = []

    def parameter(name: str) -> exp.Expression:
        if name not in parameters:
            parameters.append(name)
        return _parameter(name, dialect)

    def value(column: str) -> exp.Expression:
        return _typed(parameter, parameter_name(column), article.columns[column], dialect)

    def version(name: str) -> exp.Expression:
        return _typed(parameter, name, "string", dialect)

    statement = build(article, value, version)
    if dialect == "postgres":
        _wait_for_writers(statement)
    text = statement.sql(dialect)
    return Statement(article.publication, article.name, operation, dialect, text, tuple(parameters))


_Value = Callable[[str], exp.Expression]


def _wait_for_writers(statement: exp.Expression) -> None:
    """Of a row that somebody is deleting nobody knows yet whether it is there.

    PostgreSQL would take it for held, as it was before; the insert would do nothing, and if the
    row is gone then, nothing would ever bring it.
    """
    for exists in statement.find_all(exp.Exists):
        exists.set("this", exists.this.lock())


def _insert(article: ArticleShape, value: _Value, version: _Value) -> exp.Expression:
    values = [value(column) for column in article.columns] + [version(NEW_VERSION)]
    held = exp.select("1").from_(_table(article)).where(*_key_is(article, value))
    row = exp.select(*values).where(exp.Not(this=exp.Exists(this=held)))
    columns = [_identifier(column) for column in (*article.columns, article.version_column)]
    return exp.Insert(this=exp.Schema(this=_table(article), expressions=columns), expression=row)


def _update(article: ArticleShape, value: _Value, version: _Value) -> exp.Expression:
    assignments = [
        exp.EQ(this=_column(column), expression=value(column)) for column in article.other_columns
    ]
    assignments.append(
        exp.EQ(this=_column(article.version_column), expression=version(NEW_VERSION))
    )
    return exp.Update(
        this=_table(article),
        expressions=assignments,
        where=exp.Where(this=exp.and_(*_row_is_as_named(article, value, version))),
    )


def _delete(article: ArticleShape, value: _Value, version: _Value) -> exp.Expression:
    return exp.Delete(
        this=_table(article),
        where=exp.Where(this=exp.and_(*_row_is_as_named(article, value, version))),
    )


def _key_is(article: ArticleShape, value: _Value) -> list[exp.Expression]:
    return [
        exp.EQ(this=_column(column), expression=value(column)) for column in article.primary_key
    ]


def _row_is_as_named(article: ArticleShape, value: _Value, version: _Value) -> list[exp.Expression]:
    held = exp.EQ(this=_column(article.version_column), expression=version(OLD_VERSION))
    return [*_key_is(article, value), held]


def _identifier(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)


def _column(name: str) -> exp.Column:
    return exp.Column(this=_identifier(name))


def _table(article: ArticleShape) -> exp.Table:
    return exp.Table(this=_identifier(article.name))


def _parameter(name: str, dialect: str) -> exp.Expression:
    if dialect == "tsql":
        return exp.Parameter(this=exp.var(name))
    if dialect == "postgres":
        # sqlglot would write %(name)s, and then a % in a column's name would need care
        return exp.var(f":{name}")
    return exp.Placeholder(this=name)


def _typed(parameter: _Value, name: str, spark_type: str, dialect: str) -> exp.Expression:
    """Return the parameter as a value of the column's type, from its canonical text."""
    kind = re.split(r"[\s(<]", spark_type.strip().lower())[0]
    if kind == "decimal":
        return (
            _cast(parameter(name), spark_type, dialect) if dialect != "sqlite" else parameter(name)
        )
    if kind == "binary":
        return _decoded(parameter(name), dialect)
    if kind == "boolean" and dialect in ("mysql", "sqlite"):
        # neither reads 'true' as a boolean; the comparison gives 1, 0 or NULL
        return exp.paren(exp.EQ(this=parameter(name), expression=exp.Literal.string("true")))
    if kind in ("array", "map", "struct"):
        return _from_json(parameter(name), spark_type, dialect)
    if kind not in _CASTS:
        raise ValueError(
            f"column type '{spark_type}': no statement can carry it; parameter '{name}'"
        )
    target = _CASTS[kind].get(dialect)
    return _cast(parameter(name), target, dialect) if target else parameter(name)


def _cast(value: exp.Expression, target: str, dialect: str) -> exp.Expression:
    if dialect == "mysql" and target == "signed":
        # sqlglot writes every integer type as SIGNED there, and knows no type of that name
        target = "bigint"
    return exp.Cast(this=value, to=exp.DataType.build(target, dialect=dialect))


def _decoded(value: exp.Expression, dialect: str) -> exp.Expression:
    """Return the bytes of a base64 text; SQLite has no function for it, so there the text is what
    is kept.
    """
    if dialect == "postgres":
        return exp.Anonymous(this="DECODE", expressions=[value, exp.Literal.string("base64")])
    if dialect == "sqlite":
        return value
    if dialect == "tsql":
        # the only decoder that every version of SQL Server has: an empty document's method `value`
        query = f'xs:base64Binary(sql:variable("{value.sql(dialect)}"))'
        arguments = [exp.Literal.string(one) for one in (query, "varbinary(max)")]
        document = _cast(exp.National(this=""), "xml", dialect)
        return exp.Dot(this=document, expression=exp.Anonymous(this="value", expressions=arguments))
    return exp.Anonymous(
        this="FROM_BASE64" if dialect == "mysql" else "UNBASE64", expressions=[value]
    )


def _from_json(value: exp.Expression, spark_type: str, dialect: str) -> exp.Expression:
    if dialect == "spark":
        return exp.Anonymous(this="FROM_JSON", expressions=[value, exp.Literal.string(spark_type)])
    if dialect in ("postgres", "mysql"):
        return exp.Cast(
            this=value,
            to=exp.DataType.build("jsonb" if dialect == "postgres" else "json", dialect=dialect),
        )
    return value
