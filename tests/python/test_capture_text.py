"""Capture as text for SQL Server and MySQL: a parser reads every statement of it."""

from __future__ import annotations

from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from replication_conflicts.capture.triggers.as_text import DIALECTS, Script, script
from replication_conflicts.database.articles import node_publication

ARTICLES: dict[str, Any] = {
    "sto\"ck's `le[vel]; drop table x --": {
        "columns": {
            "order": "int",
            "größe": "string",
            "brack]et": "decimal(10,2)",
            "b`t": "string",
        },
        "primary_key": ["order", "größe"],
    },
    "item": {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]},
}
PUBLICATION = node_publication(
    "it's", {"it's": {"replication": "queued", "publisher": "HQ", "articles": ARTICLES}}
)


def written(dialect: str) -> Script:
    return script(PUBLICATION, "nor'th", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_statement_is_parsed_as_what_it_is(dialect: str) -> None:
    found = written(dialect)
    plain = [sqlglot.parse_one(one, dialect=dialect) for one in found.plain]
    assert [type(one) for one in plain] == [
        exp.Create,
        exp.Create,
        exp.Insert,
        exp.Alter,
        exp.Alter,
    ]
    for _, body in found.triggers:
        for statement in body:
            tree = sqlglot.parse_one(statement, dialect=dialect)
            assert isinstance(tree, (exp.Insert, exp.Update, exp.Set)), statement
            assert not isinstance(tree, exp.Command)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_changes_go_to_the_queue_with_names_that_stay_names(dialect: str) -> None:
    found = written(dialect)
    inserts = [
        sqlglot.parse_one(statement, dialect=dialect)
        for _, body in found.triggers
        for statement in body
        if statement.startswith("insert")
    ]
    operations = set()
    for tree in inserts:
        assert isinstance(tree, exp.Insert)
        assert isinstance(tree.this, exp.Schema)
        columns = [one.name for one in tree.this.expressions]
        selected = tree.expression.expressions
        assert len(columns) == len(selected)
        values = dict(zip(columns, selected, strict=True))
        assert values["publication"].name == "it's"
        assert values["article"].name in ARTICLES
        operations |= {one.name for one in values["operation"].find_all(exp.Literal)}
    assert operations == {"insert", "update", "delete"}
    tables = {
        table.name
        for _, body in found.triggers
        for statement in body
        for table in sqlglot.parse_one(statement, dialect=dialect).find_all(exp.Table)
    }
    known = {"replication_queue", "inserted", "deleted", "held", "dual", "innodb_trx", *ARTICLES}
    assert tables <= known


def test_the_text_is_for_the_databases_own_client() -> None:
    assert written("tsql").text().count("\ngo\n") == len(written("tsql").plain) + 2
    text = written("mysql").text()
    assert text.count("$$") == 1 + 10
    assert text.rstrip().endswith("delimiter ;")
