"""Making a snapshot of tables that have more than the publication knows of.

A row that is deleted and inserted again loses the columns that are not in its article, and takes
along what refers to it. So rows that are there stay, and are updated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database.constraints import has_followers
from replication_conflicts.database.faults import Fault, fault_of
from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.metadata import short_name
from replication_conflicts.database.statements import (
    Prepared,
    escaped,
    prepared,
    run_plain,
    where_key,
)
from replication_conflicts.distribution.apply import (
    AgentProblem,
    Node,
    naming,
    refused_for_now,
    said,
)
from replication_conflicts.publication.rows import SnapshotRow
from replication_conflicts.publication.values import Texts
from replication_conflicts.statements import NEW_VERSION, OLD_VERSION, ArticleShape

_SQLITE_COLUMNS = "select name from pragma_table_xinfo({table}) where hidden = 0"
_POSTGRES_COLUMNS = (
    "select attname from pg_attribute where attrelid = cast({relation} as regclass)"
    " and attnum > 0 and not attisdropped and attgenerated = ''"
)


def replace_in_place(
    connection: Connection, node: Node, chunks: Iterable[Sequence[SnapshotRow]]
) -> int:
    """Make the tables exactly these rows; the number of rows.

    A chunk has rows of one article. Errors: AgentProblem, naming what the database refuses.
    """
    articles = node.publication.articles
    tables = {name: _Rows(connection, node, name) for name in articles}
    count = 0
    waiting: list[SnapshotRow] = []
    for chunk in chunks:
        waiting += tables[chunk[0].article].bring(chunk)
        node.capture.took(connection, chunk)
        count += len(chunk)
    _finish(tables, waiting)
    for table in tables.values():
        table.close()
    return count


def _finish(tables: dict[str, _Rows], waiting: list[SnapshotRow]) -> None:
    """Delete what the snapshot has not; what waits for that, or for other rows, comes then."""
    left = list(reversed(tables.values()))
    while waiting or left:
        before = (len(waiting), len(left))
        left = [table for table in left if not table.has_cleared()]
        # the rows of a chain may stand in any order: looked at from both ends, few looks do
        waiting = [row for row in reversed(waiting) if not tables[row.article].has_come(row)]
        if (len(waiting), len(left)) != before:
            continue
        traded = next(filter(None, (one.trade(waiting) for one in tables.values())), [])
        if not traded:
            break
        waiting = [row for row in waiting if row not in traded]
    for row in waiting:
        tables[row.article].bring_one(row)
    for table in left:
        table.clear()


class _Rows:
    """The rows of one table, and beside them the keys that the snapshot has."""

    def __init__(self, connection: Connection, node: Node, name: str) -> None:
        self._connection = connection
        self._table = table = node.tables[name]
        self._article = table.article
        self._own_triggers = node.capture.own_triggers(name)
        shape = self._article.shape
        self._name = quoted(shape.name)
        self._update = _of_any_version(shape, table.statement("update"))
        self._taken = short_name(f"replication_taken_{shape.name}")
        seen = short_name(f"replication_seen_{shape.name}")
        self._seen = quoted(seen)
        keys = {name: shape.columns[name] for name in shape.primary_key}
        self._note = prepared(
            ArticleShape(shape.publication, seen, keys, shape.primary_key, shape.version_column),
            table.dialect,
        )["insert"]
        names = ", ".join(map(quoted, shape.primary_key))
        with naming(f"the rows of {shape.name} cannot be replaced"):
            self._copy(seen, f"{names}, {quoted(shape.version_column)}")
            run_plain(
                connection,
                f"create index {quoted(short_name(f'{seen}_key'))} on {self._seen} ({names})",
            )

    def bring(self, rows: Sequence[SnapshotRow]) -> list[SnapshotRow]:
        """All rows at once, or one after the other; those that wait for other rows are left."""
        values = [self._values(row) for row in rows]
        self._connection.execute(self._note.clause, [self._note.values(one) for one in values])
        try:
            with self._connection.begin_nested():
                self._write(values)
        except DBAPIError as error:
            if fault_of(error) is not Fault.REFUSED:
                raise
            return [row for row in rows if not self.has_come(row)]
        return []

    def has_come(self, row: SnapshotRow) -> bool:
        """Write a row; False where other rows are in its way, or have not come yet."""
        return self._is_done(lambda: self.bring_one(row))

    def bring_one(self, row: SnapshotRow) -> None:
        """Write a row. Errors: AgentProblem, naming it."""
        with naming(f"the snapshot's row {said(self._key(row))} of {row.article} is refused"):
            self._write([self._values(row)])

    def has_cleared(self) -> bool:
        """Delete what the snapshot has not; False where rows refer to it that are to change."""
        return self._is_done(self.clear)

    def clear(self) -> None:
        """Delete what the snapshot has not. Errors: AgentProblem."""
        with naming(f"the rows of {self._article.name} cannot be replaced"):
            same = self._same(self._seen)
            run_plain(
                self._connection,
                f"delete from {self._name} where not exists"
                f" (select 1 from {self._seen} where {same})",
            )

    def trade(self, waiting: Sequence[SnapshotRow]) -> list[SnapshotRow]:
        """Rows that have each other's unique values: all are taken out before one is put back.

        The rows that were put back, each with all of its columns.
        """
        rows = [
            row
            for row in waiting
            if row.article == self._article.name
            and self._table.is_held(self._connection, self._key(row))
        ]
        if not rows or has_followers(self._connection, self._article, self._own_triggers):
            return []
        try:
            with self._connection.begin_nested():
                self._exchange(rows)
        except DBAPIError as error:
            if fault_of(error) is not Fault.REFUSED:
                raise
            return []
        return rows

    def close(self) -> None:
        """The keys go."""
        run_plain(self._connection, f"drop table {self._seen}")

    def _is_done(self, work: Callable[[], None]) -> bool:
        try:
            with self._connection.begin_nested():
                work()
        except AgentProblem as problem:
            if refused_for_now(problem) is None:
                raise
            return False
        return True

    def _exchange(self, rows: Sequence[SnapshotRow]) -> None:
        shape, dialect = self._article.shape, self._table.dialect
        columns = ", ".join(map(quoted, self._columns()))
        taken = quoted(self._taken)
        self._copy(self._taken, columns)
        key = where_key(shape, self._table.statement("delete"))
        take = text(escaped(f"insert into {taken} select {columns} from {self._name}{key}"))
        beside = replace(shape, name=self._taken)
        update = _of_any_version(beside, prepared(beside, dialect)["update"])
        values = [self._values(row) for row in rows]
        self._connection.execute(take, [self._table.bound(self._key(row)) for row in rows])
        self._connection.execute(update.clause, [update.values(one) for one in values])
        same = self._same(taken)
        into, own = (
            ("insert or abort into", "")
            if dialect == "sqlite"
            else ("insert into", " overriding system value")
        )
        for statement in (
            f"delete from {self._name} where exists (select 1 from {taken} where {same})",
            f"{into} {self._name} ({columns}){own} select {columns} from {taken}",
            f"drop table {taken}",
        ):
            run_plain(self._connection, statement)

    def _write(self, values: Sequence[dict[str, object]]) -> None:
        # of the two statements one acts
        for statement in (self._update, self._table.statement("insert")):
            self._connection.execute(statement.clause, [statement.values(one) for one in values])

    def _key(self, row: SnapshotRow) -> Texts:
        return {name: row.row.get(name) for name in self._article.shape.primary_key}

    def _values(self, row: SnapshotRow) -> dict[str, object]:
        return {**self._table.bound(row.row), NEW_VERSION: row.version}

    def _copy(self, name: str, columns: str) -> None:
        """An empty table of this session, with some columns."""
        until = "" if self._table.dialect == "sqlite" else " on commit drop"
        run_plain(
            self._connection,
            f"create temporary table {quoted(name)}{until} as"
            f" select {columns} from {self._name} where 1 = 0",
        )

    def _columns(self) -> list[str]:
        """Those that can be written."""
        query = _SQLITE_COLUMNS if self._table.dialect == "sqlite" else _POSTGRES_COLUMNS
        words = {"table": literal(self._article.name), "relation": literal(self._name)}
        return [str(name) for name in run_plain(self._connection, query.format(**words)).scalars()]

    def _same(self, other: str) -> str:
        return " and ".join(
            f"{self._name}.{quoted(name)} = {other}.{quoted(name)}"
            for name in self._article.shape.primary_key
        )


def _of_any_version(shape: ArticleShape, update: Prepared) -> Prepared:
    """The update, whatever version the row has."""
    end = update.statement.rindex(f" AND {quoted(shape.version_column)} = ")
    statement = update.statement[:end]
    parameters = tuple(name for name in update.parameters if name != OLD_VERSION)
    return Prepared(statement, text(escaped(statement)), parameters)
