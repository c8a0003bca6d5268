"""Whether captured tables are still what `install` or the last `renew` has looked at.

People change databases, and what they do then may be in no queue, or no command may find its row.
Nobody would be told: so every upload and every run of the agent looks again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, inspect

from replication_conflicts.capture.checks.references import check_references
from replication_conflicts.capture.checks.table import check_columns, check_table
from replication_conflicts.capture.installation import (
    captured_node,
    check_triggers,
    missing_triggers,
)
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.triggers import triggers_for
from replication_conflicts.capture.triggers.postgres_queued import BODY
from replication_conflicts.capture.triggers.sqlite_unique import Uniqueness, uniqueness
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.catalog import regclass
from replication_conflicts.database.images import literal
from replication_conflicts.database.statements import run_plain

_SINCE = "since `capture install` or the last `capture renew`"


def check_is_captured(connection: Connection, publication: NodePublication) -> None:
    """Errors: CaptureProblem where a table is not captured any more, or not as it should be."""
    check_triggers(connection, publication)
    inspector = inspect(connection)
    with _said_of_later():
        for article in publication.articles.values():
            check_table(connection, inspector, publication, article, is_captured=True)
        check_references(connection, publication)
    _check_bodies(connection, publication)


def check_can_be_read(connection: Connection, publication: NodePublication) -> None:
    """Errors: CaptureProblem where rows cannot be read, of which a session is made."""
    inspector = inspect(connection)
    with _said_of_later():
        for article in publication.articles.values():
            # that a table is gone, or another one, is said once all is on its way
            if not missing_triggers(connection, publication, article.name):
                check_columns(connection, inspector, article, is_captured=True)


@contextmanager
def _said_of_later() -> Iterator[None]:
    try:
        yield
    except CaptureProblem as problem:
        raise CaptureProblem(
            f"{problem}. It has become so {_SINCE}: what was done meanwhile may be in no queue"
        ) from problem


def _check_bodies(connection: Connection, publication: NodePublication) -> None:
    """Errors: CaptureProblem where the triggers are not those that would be made now."""
    node = captured_node(connection, publication.name)
    is_sqlite = connection.dialect.name == "sqlite"
    bodies = _bodies_in_sqlite if is_sqlite else _bodies_in_postgres
    for article in publication.articles.values():
        wanted, held = bodies(connection, publication, node, article)
        if wanted <= held:
            continue
        why = "it has got other unique indexes or columns" if is_sqlite else "they were changed"
        raise CaptureProblem(
            f"table {article.name!r} has not the triggers that `capture` would make now: {why}"
            f" {_SINCE}, or that was of another version of this program. What was done meanwhile"
            " may be in no queue. `capture renew`"
        )


def _bodies_in_sqlite(
    connection: Connection, publication: NodePublication, node: str, article: NodeArticle
) -> tuple[set[str], set[str]]:
    """What would be made, and what there is; it says by which indexes `or replace` deletes rows."""
    wanted = triggers_for("sqlite", publication, node, article, uniqueness(connection, article))
    query = (
        "select sql from sqlite_master where type = 'trigger'"
        f" and lower(tbl_name) = lower({literal(article.name)})"
    )
    # SQLite writes the first two words in its own way
    start = len("create trigger")
    held = run_plain(connection, query).scalars()
    return {one[start:] for one in wanted}, {one[start:] for one in held}


def _bodies_in_postgres(
    connection: Connection, publication: NodePublication, node: str, article: NodeArticle
) -> tuple[set[str], set[str]]:
    """What the functions would be, and what they are."""
    made = triggers_for("postgres", publication, node, article, Uniqueness())
    wanted = {one.split(BODY)[1] for one in made if one.startswith("create function")}
    query = (
        "select one.prosrc from pg_trigger inner join pg_proc one on one.oid = tgfoid"
        f" where tgrelid = {regclass(article.name)}"
    )
    return wanted, set(run_plain(connection, query).scalars())
