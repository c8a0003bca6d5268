"""Making the triggers of captured tables anew, where an article has got columns."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sqlalchemy import Connection, Engine, inspect

from replication_conflicts.capture import tables
from replication_conflicts.capture.checks.table import check_table
from replication_conflicts.capture.installation import (
    CapturedTable,
    captured_node,
    captured_tables,
    changed_articles,
    check_articles,
    check_triggers,
    has_only_more_columns,
    let_nobody_write,
    one_transaction,
    shape_of,
)
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.triggers import no_triggers, triggers_for
from replication_conflicts.capture.triggers.sqlite_unique import unique_indexes
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.engine import dialect_of
from replication_conflicts.database.images import quoted
from replication_conflicts.database.statements import run_plain


def renew(
    engine: Engine, publication: NodePublication, *, is_trial: bool = False
) -> Mapping[str, list[str]]:
    """Make all triggers anew, for the columns that the articles have now; the new ones, by article.

    Versions, changes that wait, and the agent's position stay. All in one transaction; `is_trial`:
    it is undone again.

    Errors: CaptureProblem where an article has become another one, a table has lost its triggers,
    or a new column has values, which no trigger has seen; nothing is changed then.
    """
    with one_transaction(engine, is_trial=is_trial) as connection:
        node = captured_node(connection, publication.name)
        let_nobody_write(connection, captured_tables(connection, publication.name))
        changed = changed_articles(connection, publication)
        if not all(has_only_more_columns(publication, *one) for one in changed.values()):
            check_articles(connection, publication)
        check_triggers(connection, publication)
        # an article's triggers may read what stands beside another one
        for name in publication.articles:
            for statement in no_triggers(dialect_of(engine), name):
                run_plain(connection, statement)
        inspector = inspect(connection)
        for article in publication.articles.values():
            # what has been made since may be what capture cannot do with
            check_table(connection, inspector, publication, article, is_captured=True)
        added = {
            name: _added(connection, table, article)
            for name, (table, article) in changed.items()
            if table is not None and article is not None
        }
        for article in publication.articles.values():
            _make_triggers(connection, publication, node, article)
    return added


def _added(connection: Connection, table: CapturedTable, article: NodeArticle) -> list[str]:
    """The columns that an article has got. Errors: CaptureProblem where they have values."""
    added = [name for name in article.kinds if name not in table.shape["columns"]]
    for name in added:
        query = f"select count(*) from {quoted(article.name)} where {quoted(name)} is not null"
        count = int(run_plain(connection, query).scalar_one())
        if count:
            raise CaptureProblem(
                f"table {article.name!r}: {count} rows have a value in the new column {name!r},"
                " which no trigger has seen, so that no other node would get it. Take the values"
                " away, `capture renew`, and then give them: they are changes like any other"
            )
    return added


def _make_triggers(
    connection: Connection, publication: NodePublication, node: str, article: NodeArticle
) -> None:
    dialect = dialect_of(connection.engine)
    unique = unique_indexes(connection, article) if dialect == "sqlite" else []
    for statement in triggers_for(dialect, publication, node, article, unique):
        run_plain(connection, statement)
    one = tables.articles
    connection.execute(
        one.update()
        .where(one.c.publication == publication.name, one.c.article == article.name)
        .values(shape=json.dumps(shape_of(publication, article)))
    )
