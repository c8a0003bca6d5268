"""The statements that carry a command: what they say in each dialect, and what they do to a real
database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from replication_conflicts.statements import (
    DIALECTS,
    OPERATIONS,
    ArticleShape,
    Statement,
    article_shapes,
    parameter_name,
    statements,
)

AWKWARD = ArticleShape(
    publication="inventory",
    name="sto\"ck's `le[vel]; drop table x --",
    columns={
        "order": "int",
        "größe": "string",
        "unit price": "decimal(10,2)",
        'quo"te': "string",
        "back`tick": "string",
        "brack]et": "string",
        "100%": "string",
        "table": "boolean",
        "counted_at": "timestamp",
        "new_version": "string",
    },
    primary_key=("order", "größe"),
)
KEYS_ONLY = ArticleShape(
    "inventory", "tag", {"sku": "string", "label": "string"}, ("sku", "label"), "version"
)
EVERY_TYPE = ArticleShape(
    "inventory",
    "kinds",
    {
        kind: kind
        for kind in (
            "tinyint",
            "smallint",
            "int",
            "bigint",
            "float",
            "double",
            "decimal(20,4)",
            "boolean",
            "string",
            "varchar(20)",
            "date",
            "timestamp",
            "timestamp_ntz",
            "binary",
            "map<string,bigint>",
            "array<int>",
        )
    },
    ("int",),
)
AWKWARD_TEXTS = [
    "O'Brien",
    'the "big" one',
    "back\\slash \\' \\n",
    '\'; drop table "x"; --',
    "größe 漢字 \N{ROCKET}",
    ":order @order %(order)s ?",
    "",
    " ",
    "NULL",
]


def statement(article: ArticleShape, operation: str, dialect: str) -> Statement:
    (found,) = (s for s in statements(article) if (s.operation, s.dialect) == (operation, dialect))
    return found


class Table:
    """A subscriber's table in SQLite that takes commands as the statements have it."""

    def __init__(self, article: ArticleShape) -> None:
        self.article = article
        self.connection = sqlite3.connect(":memory:")
        columns = ", ".join(f"{quoted(column)} {kind}" for column, kind in article.columns.items())
        keys = ", ".join(quoted(column) for column in article.primary_key)
        self.connection.execute(
            f"create table {quoted(article.name)} ({columns}, "
            f"{quoted(article.version_column)} text, primary key ({keys}))"
        )

    def command(
        self, operation: str, row: Mapping[str, str | None], old: str | None, new: str | None
    ) -> int:
        """Apply one command; the number of rows that it changed."""
        found = statement(self.article, operation, "sqlite")
        values = {parameter_name(column): value for column, value in row.items()}
        values |= {"old_version": old, "new_version": new}
        return self.connection.execute(
            found.statement, {name: values[name] for name in found.parameters}
        ).rowcount

    def rows(self) -> list[tuple[object, ...]]:
        return self.connection.execute(
            f"select * from {quoted(self.article.name)} order by 1, 2"
        ).fetchall()


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def awkward_row(key: int, text: str | None, price: str | None = "1.50") -> dict[str, str | None]:
    row: dict[str, str | None] = dict.fromkeys(AWKWARD.columns, text)
    return row | {
        "order": str(key),
        "größe": "M'",
        "unit price": price,
        "table": "true",
        "counted_at": "2026-01-01 00:00:01.000005",
    }


@pytest.mark.parametrize(
    "article", [AWKWARD, KEYS_ONLY, EVERY_TYPE], ids=["awkward", "keys_only", "every_type"]
)
def test_every_dialect_parses_its_statements_and_keeps_the_names(article: ArticleShape) -> None:
    found = statements(article)
    assert [(s.operation, s.dialect) for s in found] == [
        (o, d) for o in OPERATIONS for d in DIALECTS
    ]
    for item in found:
        tree = sqlglot.parse_one(item.statement, dialect=item.dialect)
        kind = {"insert": exp.Insert, "update": exp.Update, "delete": exp.Delete}[item.operation]
        assert isinstance(tree, kind)
        assert {table.name for table in tree.find_all(exp.Table)} == {article.name}
        names = {i.name for i in tree.find_all(exp.Identifier)}
        expected = {article.name, article.version_column, *article.primary_key}
        if item.operation != "delete":
            expected |= set(article.columns)
        assert expected <= names


@pytest.mark.parametrize("dialect", DIALECTS)
def test_one_dialect_alone_has_the_same_statements(dialect: str) -> None:
    of_all = [item for item in statements(EVERY_TYPE) if item.dialect == dialect]
    assert statements(EVERY_TYPE, [dialect]) == of_all


@pytest.mark.parametrize("dialect", DIALECTS)
def test_parameters_are_those_of_the_text(dialect: str) -> None:
    sign = "@" if dialect == "tsql" else ":"
    for operation in OPERATIONS:
        item = statement(AWKWARD, operation, dialect)
        for parameter in item.parameters:
            assert f"{sign}{parameter}" in item.statement
        assert len(set(item.parameters)) == len(item.parameters)
        assert ("old_version" in item.parameters) == (operation != "insert")
        assert ("new_version" in item.parameters) == (operation != "delete")


def test_postgres_casts_what_it_is_given_as_text() -> None:
    article = ArticleShape("p", "item", {"id": "int", "price": "decimal(10,2)"}, ("id",))
    assert statement(article, "update", "postgres").statement == (
        'UPDATE "item" SET "price" = CAST(:price AS DECIMAL(10, 2)), '
        '"row_version" = CAST(:new_version AS TEXT) '
        'WHERE "id" = CAST(:id AS INT) AND "row_version" = CAST(:old_version AS TEXT)'
    )


def test_transact_sql_uses_its_own_parameters_and_brackets() -> None:
    article = ArticleShape("p", "item", {"id": "int", "a]b": "timestamp"}, ("id",))
    assert statement(article, "update", "tsql").statement == (
        "UPDATE [item] SET [a]]b] = CAST(@a_x005D_b AS DATETIME2(6)), [row_version] = @new_version "
        "WHERE [id] = CAST(@id AS INTEGER) AND [row_version] = @old_version"
    )


def test_a_boolean_key_is_compared_as_a_whole() -> None:
    article = ArticleShape("p", "flag", {"is_on": "boolean", "note": "string"}, ("is_on",))
    table = Table(article)
    assert table.command("insert", {"is_on": "false", "note": "a"}, None, "v1") == 1
    assert table.command("update", {"is_on": "true", "note": "b"}, "v1", "v2") == 0
    assert table.command("update", {"is_on": "false", "note": "b"}, "v1", "v2") == 1
    assert table.rows() == [(0, "b", "v2")]


@pytest.mark.parametrize("text", [*AWKWARD_TEXTS, None])
def test_sqlite_takes_awkward_names_and_values_and_acts_once(text: str | None) -> None:
    table = Table(AWKWARD)
    first, second = awkward_row(1, text), awkward_row(1, "another", price=None)
    assert table.command("insert", first, None, "v1") == 1
    assert table.command("insert", second, None, "v2") == 0, "the row is there already"
    stored = table.rows()
    assert stored == [
        (1, "M'", 1.5, text, text, text, text, 1, "2026-01-01 00:00:01.000005", text, "v1"),
    ]
    assert table.command("update", second, "v0", "v2") == 0, "another version is held"
    assert table.command("delete", second, "v0", None) == 0, "another version is held"
    assert table.rows() == stored
    assert table.command("update", second, "v1", "v2") == 1
    assert table.command("update", second, "v1", "v2") == 0, "a second time it does nothing"
    assert table.rows()[0][2] is None
    assert table.command("delete", second, "v2", None) == 1
    assert table.command("delete", second, "v2", None) == 0, "a second time it does nothing"
    assert table.rows() == []


def test_an_article_of_key_columns_alone_changes_its_version() -> None:
    table = Table(KEYS_ONLY)
    row = {"sku": "A'1", "label": 'new "in"'}
    assert table.command("insert", row, None, "v1") == 1
    assert table.command("update", row, "v1", "v2") == 1
    assert table.command("update", row, "v1", "v2") == 0
    assert table.rows() == [("A'1", 'new "in"', "v2")]
    assert table.command("delete", row, "v2", None) == 1


@given(st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=6, unique=True))
def test_no_two_columns_share_a_parameter(columns: list[str]) -> None:
    names = [parameter_name(column) for column in columns]
    assert len(set(names)) == len(names)
    for name in names:
        assert name.isascii()
        assert name.isidentifier()
        assert name not in ("old_version", "new_version")


@pytest.mark.parametrize(
    ("column", "parameter"),
    [
        ("price", "price"),
        ("unit price", "unit_x0020_price"),
        ("unit_x0020_price", "unit_x005F_x0020_price"),
        ("2nd", "_x0032_nd"),
        ("old_version", "_x006F_ld_version"),
    ],
)
def test_parameter_names(column: str, parameter: str) -> None:
    assert parameter_name(column) == parameter


def test_configuration_of_a_publication_gives_its_articles() -> None:
    publications: dict[str, dict[str, Any]] = {
        "inventory": {
            "replication": "queued",
            "articles": {
                "item": {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]},
                "tag": {"columns": {"id": "int"}, "primary_key": ["id"], "version_column": "guid"},
            },
        },
        "empty": {"replication": "merge"},
    }
    assert list(article_shapes(publications)) == [
        ArticleShape("inventory", "item", {"id": "int", "name": "string"}, ("id",)),
        ArticleShape("inventory", "tag", {"id": "int"}, ("id",), "guid"),
    ]


@pytest.mark.parametrize(
    ("columns", "key", "message"),
    [
        ({"id": "int"}, (), "names no column"),
        ({"id": "int"}, ("no",), "'no'"),
        ({"id": "int", "row_version": "string"}, ("id",), "version_column"),
        ({"id": "int", "Row_Version": "string"}, ("id",), "version_column"),
    ],
)
def test_a_shape_that_cannot_be_served_is_named(
    columns: dict[str, str], key: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message) as error:
        ArticleShape("inventory", "item", columns, key)
    assert "publication 'inventory', article 'item'" in str(error.value)


@pytest.mark.parametrize("kind", ["interval day", "byte", "long", "dec", "numeric", "variant"])
def test_an_unknown_type_is_an_error(kind: str) -> None:
    with pytest.raises(ValueError, match=f"'{kind}'"):
        statements(ArticleShape("p", "t", {"id": "int", "i": kind}, ("id",)))
