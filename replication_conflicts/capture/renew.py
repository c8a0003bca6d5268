"""Making the triggers of captured tables anew, where a publication has got columns, wider types or
articles.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, inspect

from replication_conflicts.capture import tables
from replication_conflicts.capture.checks.postgres import check_sees_all
from replication_conflicts.capture.checks.references import check_references
from replication_conflicts.capture.checks.table import check_table
from replication_conflicts.capture.install import (
    ExistingRows,
    add_triggers,
    add_versions,
    check_is_free,
    make_triggers,
)
from replication_conflicts.capture.installation import (
    CapturedTable,
    captured_node,
    captured_tables,
    changed_articles,
    check_articles,
    check_triggers,
    has_grown,
    one_transaction,
    shape_of,
    widened_columns,
)
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.triggers import no_triggers
from replication_conflicts.capture.triggers.merge_bodies import types_beside
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.catalog import declared_types
from replication_conflicts.database.engine import dialect_of
from replication_conflicts.database.images import quoted
from replication_conflicts.database.locks import lock_tables
from replication_conflicts.database.metadata import metadata_name
from replication_conflicts.database.statements import run_plain
from replication_conflicts.words import counted


@dataclass(frozen=True)
class Renewed:
    """What was done: by article the columns that are new and those of another type, and how many
    rows of new tables wait as inserts.

    A new table is there with all its columns.
    """

    added: Mapping[str, list[str]]
    widened: Mapping[str, list[str]]
    inserted_rows: int


def renew(
    engine: Engine,
    publication: NodePublication,
    existing: ExistingRows = ExistingRows.REFUSE,
    *,
    is_trial: bool = False,
) -> Renewed:
    """Make all triggers anew, for the columns and articles that the publication has now.

    Versions, changes that wait, and the agent's position stay. `existing`: what rows of new tables
    are. All in one transaction; `is_trial`: it is undone again.

    Errors: CaptureProblem where an article has become another one, a table has lost its triggers,
    or a new column has values, which no trigger has seen; DatabaseProblem where others keep the
    tables. Nothing is changed then.
    """
    if existing is ExistingRows.SNAPSHOT:
        raise CaptureProblem(
            "--existing-rows snapshot: a table that comes later gets its initial rows, and what was"
            " decided since, from `distribute`; it must be empty here, or its rows are this node's"
            " inserts (--existing-rows insert)"
        )
    with one_transaction(engine, is_trial=is_trial) as connection:
        node = captured_node(connection, publication.name)
        captured = captured_tables(connection, publication.name)
        names = [*publication.articles, *(one.name for one in captured)]
        lock_tables(connection, names, "access exclusive")
        changed = changed_articles(connection, publication)
        if not all(has_grown(publication, *one) for one in changed.values()):
            check_articles(connection, publication)
        check_sees_all(connection, publication)
        old = [publication.articles[one.name] for one in captured]
        new = [article for table, article in changed.values() if article and not table]
        check_triggers(connection, publication)
        check_is_free(connection, [one.name for one in new])
        # an article's triggers may read what stands beside another one
        for article in old:
            for statement in no_triggers(dialect_of(engine), article.name):
                run_plain(connection, statement)
        inspector = inspect(connection)
        for article in publication.articles.values():
            # what has been made since may be what capture cannot do with
            check_table(connection, inspector, publication, article, is_captured=article in old)
        check_references(connection, publication)
        added = {
            name: _added(connection, table, article) if table else list(article.kinds)
            for name, (table, article) in changed.items()
            if article
        }
        widened = {
            name: widened_columns(table, article)
            for name, (table, article) in changed.items()
            if table and article
        }
        for article in new:
            add_versions(connection, publication, article)
        for article in old:
            if publication.is_merge and dialect_of(engine) == "postgres":
                _retype_versions(connection, article)
            make_triggers(connection, publication, node, article)
            _note_shape(connection, publication, article)
        inserted = sum(add_triggers(connection, publication, one, existing) for one in new)
    return Renewed(_named(added), _named(widened), inserted)


def _named(columns: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {article: names for article, names in columns.items() if names}


def _added(connection: Connection, table: CapturedTable, article: NodeArticle) -> list[str]:
    """The columns that an article has got. Errors: CaptureProblem where they have values."""
    added = [name for name in article.kinds if name not in table.shape["columns"]]
    for name in added:
        query = f"select count(*) from {quoted(article.name)} where {quoted(name)} is not null"
        count = int(run_plain(connection, query).scalar_one())
        if count:
            raise CaptureProblem(
                f"table {article.name!r} has {counted(count, 'row')} with a value in the new column"
                f" {name!r}, which no trigger has seen, so that no other node would get it. Take"
                " the values away, `capture renew`, and then give them: they are changes like any"
                " other"
            )
    return added


def _retype_versions(connection: Connection, article: NodeArticle) -> None:
    """Keys and parents have the types that they have in the article's table now.

    SQLite keeps a value whatever its column's type says.
    """
    beside = metadata_name(article.name)
    held = declared_types(connection, beside)
    for name, kind in types_beside(article, declared_types(connection, article.name)).items():
        if held[name] != kind:
            run_plain(
                connection,
                f"alter table {quoted(beside)} alter column {quoted(name)} type {kind}",
            )


def _note_shape(connection: Connection, publication: NodePublication, article: NodeArticle) -> None:
    one = tables.articles
    connection.execute(
        one.update()
        .where(one.c.publication == publication.name, one.c.article == article.name)
        .values(shape=json.dumps(shape_of(publication, article)))
    )
