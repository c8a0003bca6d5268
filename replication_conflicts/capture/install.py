"""Making tables captured ones, and leaving them as they were."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from sqlalchemy import Connection, Engine, func, inspect, select

from replication_conflicts.capture import tables
from replication_conflicts.capture.checks.postgres import check_sees_all
from replication_conflicts.capture.checks.references import check_references
from replication_conflicts.capture.checks.table import (
    check_encoding,
    check_node,
    check_table,
    check_values,
)
from replication_conflicts.capture.installation import (
    CapturedTable,
    captured_node,
    captured_tables,
    node_of,
    one_transaction,
    shape_of,
)
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.sessions import insert_existing
from replication_conflicts.capture.triggers import no_triggers, triggers_for
from replication_conflicts.capture.triggers.merge_bodies import (
    IS_WAITING,
    metadata_table,
    number_indexes,
)
from replication_conflicts.capture.triggers.postgres_merge import sequence_name
from replication_conflicts.capture.triggers.postgres_queued import plain_names
from replication_conflicts.capture.triggers.sqlite_unique import Uniqueness, uniqueness
from replication_conflicts.database import agent_tables
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.catalog import declared_types, regclass
from replication_conflicts.database.engine import dialect_of
from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.locks import lock_tables
from replication_conflicts.database.metadata import metadata_name
from replication_conflicts.database.statements import run_plain
from replication_conflicts.words import counted

# of the application, of partitions, too: where, and for whom they run
_UPDATE_TRIGGERS = """
select cast(tgrelid as regclass)::text as place, tgname as name,
    case tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end as for_whom
from pg_trigger
where (tgrelid = {table} or tgrelid in (select relid from pg_partition_tree({table})))
    and not tgisinternal and tgenabled <> 'D' and tgtype & 16 <> 0
    and tgname not in ({own})
order by 1, 2
"""


class ExistingRows(Enum):
    """What becomes of rows that are there and have no version."""

    REFUSE = "refuse"
    # they are this node's inserts
    INSERT = "insert"
    # the agent replaces them: `distribute --initialize`
    SNAPSHOT = "snapshot"


@dataclass(frozen=True)
class Installed:
    """What was done: versions that rows got, as inserts of this node."""

    articles: int
    inserted_rows: int


def install(
    engine: Engine,
    publication: NodePublication,
    node: str,
    existing: ExistingRows = ExistingRows.REFUSE,
    priority: Decimal | None = None,
    *,
    is_trial: bool = False,
) -> Installed:
    """Make the publication's tables captured ones, all in one transaction.

    `priority` is stamped on changes (merge replication: a server subscription's). `is_trial`: all
    of it is undone again.
    Errors: CaptureProblem, and DatabaseProblem where others keep the tables; nothing is changed
    then.
    """
    check_node(node, publication.options.publisher)
    if priority is not None:
        _check_priority(publication, node)
    with one_transaction(engine, is_trial=is_trial) as connection:
        inspector = inspect(connection)
        agent_tables.check_are_own(connection, agent_tables.metadata, tables.metadata)
        if inspector.has_table(tables.nodes.name):
            _check_is_new(connection, publication)
            check_is_free(connection, publication.articles)
        # a row that came between its count and the triggers would be none of the node's changes
        lock_tables(connection, publication.articles, "access exclusive")
        check_encoding(connection)
        check_sees_all(connection, publication)
        for article in publication.articles.values():
            check_table(connection, inspector, publication, article)
        check_references(connection, publication)
        _create_tables(connection)
        connection.execute(
            tables.nodes.insert(),
            {
                "publication": publication.name,
                "node": node,
                # not 1: the feed has those of an earlier installation
                "next_batch": int(time.time() * 1000),
                "priority": None if priority is None else str(priority),
                "existing_rows": existing.value,
            },
        )
        if publication.is_merge and dialect_of(engine) == "postgres":
            run_plain(connection, f"create sequence {sequence_name(publication.name)}")
        # an article's triggers may read what stands beside another one
        for article in publication.articles.values():
            add_versions(connection, publication, article)
        inserted = sum(
            add_triggers(connection, publication, article, existing)
            for article in publication.articles.values()
        )
    return Installed(len(publication.articles), inserted)


def _check_priority(publication: NodePublication, node: str) -> None:
    if not publication.is_merge:
        raise CaptureProblem("--priority: only publications of merge replication have priorities")
    if node == publication.options.publisher:
        raise CaptureProblem(
            f"--priority: only server subscriptions have one; '{node}' is the publisher, which has"
            " 100.00"
        )


def remove(
    engine: Engine,
    publication: NodePublication,
    *,
    is_discarding: bool = False,
    is_trial: bool = False,
) -> int:
    """Leave the tables as they were before `install`; the number of changes that are lost.

    Which tables these are was written down then: the publication may have others by now. The
    agent's position goes, too: rows without versions must be filled anew. `is_trial`: all of it is
    undone again.

    Errors: CaptureProblem where changes wait for their upload, unless `is_discarding`;
    DatabaseProblem where others keep the tables.
    """
    with one_transaction(engine, is_trial=is_trial) as connection:
        node = captured_node(connection, publication.name)
        found = captured_tables(connection, publication.name)
        lock_tables(connection, [one.name for one in found], "access exclusive")
        waiting = sum(pending_changes(connection, publication).values())
        if waiting and not is_discarding:
            raise CaptureProblem(
                f"not uploaded yet: {counted(waiting, 'change')}. `capture upload` first, or"
                " --discard"
            )
        # an article's triggers may read what stands beside another one
        for one in found:
            for statement in no_triggers(dialect_of(engine), one.name):
                run_plain(connection, statement)
        for one in found:
            _remove_versions(connection, one)
        if dialect_of(engine) == "postgres":
            run_plain(connection, f"drop sequence if exists {sequence_name(publication.name)}")
        _forget_position(connection, publication.name, node)
        for table in (tables.queue, tables.passed_over, tables.articles, tables.nodes):
            connection.execute(table.delete().where(table.c.publication == publication.name))
        if not connection.execute(select(tables.nodes.c.node)).first():
            tables.metadata.drop_all(connection)
    return waiting


def pending_changes(connection: Connection, publication: NodePublication) -> dict[str, int]:
    """How many changes wait for an upload, by article: those that were not applied go again."""
    queued = tables.queue.c
    in_queue = (
        select(queued.article, func.count())
        .where(queued.publication == publication.name)
        .group_by(queued.article)
    )
    counts = Counter({row[0]: row[1] for row in connection.execute(in_queue).all()})
    inspector = inspect(connection)
    for one in captured_tables(connection, publication.name):
        if inspector.has_table(metadata_name(one.name)):
            table = quoted(metadata_name(one.name))
            query = f"select count(*) from {table} beside where {IS_WAITING.format(row='beside')}"
            counts[one.name] += int(run_plain(connection, query).scalar_one())
    return dict(+counts)


def _check_is_new(connection: Connection, publication: NodePublication) -> None:
    """Errors: CaptureProblem where the publication is captured already."""
    if node_of(connection, publication.name):
        raise CaptureProblem(
            f"publication '{publication.name}' is captured here already. After a change of the"
            " publication: `capture renew`; to start anew: `capture remove` first"
        )


def check_is_free(connection: Connection, articles: Iterable[str]) -> None:
    """Errors: CaptureProblem where one of these tables is captured already."""
    one = tables.articles.c
    query = select(one.article, one.publication).where(one.article.in_(articles))
    taken = connection.execute(query.order_by(one.article)).first()
    if taken is not None:
        raise CaptureProblem(
            f"table {taken[0]!r} is captured for publication '{taken[1]}' already; a table takes"
            " part in one"
        )


def _create_tables(connection: Connection) -> None:
    agent_tables.metadata.create_all(connection)
    is_sqlite = connection.dialect.name == "sqlite"
    wanted = [
        table
        for table in tables.metadata.sorted_tables
        if is_sqlite or table not in tables.SQLITE_ONLY
    ]
    tables.metadata.create_all(connection, tables=wanted)


def add_versions(
    connection: Connection, publication: NodePublication, article: NodeArticle
) -> None:
    """Give a table its version column, and what stands beside it, and note that it is captured."""
    present = declared_types(connection, article.name)
    is_added = article.shape.version_column not in present
    if is_added:
        run_plain(
            connection,
            f"alter table {quoted(article.name)}"
            f" add column {quoted(article.shape.version_column)} text",
        )
    connection.execute(
        tables.articles.insert(),
        {
            "publication": publication.name,
            "article": article.name,
            "version_column": article.shape.version_column,
            "has_added_column": is_added,
            "shape": json.dumps(shape_of(publication, article)),
        },
    )
    if publication.is_merge:
        for statement in _metadata_statements(connection, article):
            run_plain(connection, statement)


def add_triggers(
    connection: Connection,
    publication: NodePublication,
    article: NodeArticle,
    existing: ExistingRows,
) -> int:
    """Capture a table that has versions; how many rows that were there wait as inserts.

    Errors: CaptureProblem where rows are there that must not be, or that the article cannot hold.
    """
    node = captured_node(connection, publication.name)
    count = _count_existing(connection, article, existing)
    make_triggers(connection, publication, node, article)
    if existing is not ExistingRows.INSERT or not count:
        return 0
    check_values(connection, article)
    with _only_capture_runs(connection, article.name):
        if publication.is_merge:
            insert_existing(connection, publication, article, node)
        else:
            _queue_existing(connection, publication, article)
    return count


@contextmanager
def _only_capture_runs(connection: Connection, table: str) -> Iterator[None]:
    """Triggers of the application do not run: nobody has changed a row (PostgreSQL).

    In SQLite they name the columns that they are about.
    """
    if dialect_of(connection.engine) == "sqlite":
        yield
        return
    own = ", ".join(map(literal, sorted(plain_names(table))))
    query = _UPDATE_TRIGGERS.format(table=regclass(table), own=own)
    found = run_plain(connection, query).mappings().all()
    triggers = [(one["place"], quoted(one["name"]), one["for_whom"]) for one in found]
    for place, name, _ in triggers:
        run_plain(connection, f"alter table {place} disable trigger {name}")
    yield
    for place, name, for_whom in triggers:
        run_plain(connection, f"alter table {place} enable {for_whom} trigger {name}")


def make_triggers(
    connection: Connection, publication: NodePublication, node: str, article: NodeArticle
) -> None:
    """Make the triggers of a table that has none, for the columns and indexes that it has now."""
    dialect = dialect_of(connection.engine)
    unique = uniqueness(connection, article) if dialect == "sqlite" else Uniqueness()
    for statement in triggers_for(dialect, publication, node, article, unique):
        run_plain(connection, statement)


def _metadata_statements(connection: Connection, article: NodeArticle) -> list[str]:
    return [
        metadata_table(article, declared_types(connection, article.name)),
        *number_indexes(article),
    ]


def _count_existing(connection: Connection, article: NodeArticle, existing: ExistingRows) -> int:
    table, version = quoted(article.name), quoted(article.shape.version_column)
    query = f"select count(*) from {table} where {version} is null"
    count = int(run_plain(connection, query).scalar_one())
    if count and existing is ExistingRows.REFUSE:
        raise CaptureProblem(
            f"table {article.name!r} has {counted(count, 'row')} without a version."
            " --existing-rows insert: they are this node's inserts; --existing-rows snapshot:"
            " `distribute --initialize` replaces them"
        )
    return count


def _queue_existing(
    connection: Connection, publication: NodePublication, article: NodeArticle
) -> None:
    """Rows without a version look like inserts to the triggers; each is its own transaction."""
    first = quoted(article.shape.primary_key[0])
    version = quoted(article.shape.version_column)
    table = quoted(article.name)
    run_plain(connection, f"update {table} set {first} = {first} where {version} is null")
    connection.execute(
        tables.queue.update()
        .where(
            tables.queue.c.publication == publication.name,
            tables.queue.c.article == article.name,
        )
        .values(transaction_key=tables.queue.c.change_id)
    )


def _remove_versions(connection: Connection, one: CapturedTable) -> None:
    if one.shape["replication"] == "merge":
        run_plain(connection, f"drop table if exists {quoted(metadata_name(one.name))}")
    # the application may have dropped the table since, or made it anew
    if not inspect(connection).has_table(one.name):
        return
    if one.version_column not in declared_types(connection, one.name):
        return
    table, column = quoted(one.name), quoted(one.version_column)
    if one.has_added_column:
        run_plain(connection, f"alter table {table} drop column {column}")
    else:
        # a version that no agent keeps up any more would be taken for one that is known
        with _only_capture_runs(connection, one.name):
            run_plain(connection, f"update {table} set {column} = null")


def _forget_position(connection: Connection, publication: str, node: str) -> None:
    """`distribute --initialize` may fill the tables again."""
    for table in (agent_tables.positions, agent_tables.events, agent_tables.starts):
        mine = (table.c.publication == publication) & (table.c.subscriber == node)
        connection.execute(table.delete().where(mine))
    refusals = agent_tables.refusals
    connection.execute(refusals.delete().where(refusals.c.publication == publication))
