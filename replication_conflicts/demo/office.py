"""A database as the people of a story see it: they read its tables, and work by SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, Engine, TextClause, text

from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.images import (
    bound_value,
    image_sql,
    quoted,
    texts_of,
    values_of,
)
from replication_conflicts.database.statements import escaped, run_plain
from replication_conflicts.publication.feed import DELETE, INSERT, UPDATE
from replication_conflicts.publication.values import Key, Row
from replication_conflicts.simulation import Change
from replication_conflicts.simulation.node import ImpossibleChange
from replication_conflicts.statements import parameter_name

_START_TRANSACTION = "insert into replication_transaction default values"
_END_TRANSACTION = "delete from replication_transaction"


class Reader:
    """Reads rows of a publication's databases; one that several of them hold is parsed once."""

    def __init__(self, publication: NodePublication, dialect: str) -> None:
        self.publication = publication
        self.dialect = dialect
        self._parsed: dict[str, dict[str, tuple[Key, Row]]] = {}

    def rows(self, connection: Connection, article: NodeArticle) -> dict[Key, Row]:
        """All rows of a table by key."""
        parsed = self._parsed.get(article.name, {})
        image = image_sql(article, self.dialect, "held")
        query = f"select {image} from {quoted(article.name)} held"
        found = {
            one: parsed.get(one) or self._parse(article, one)
            for one in run_plain(connection, query).scalars()
        }
        self._parsed[article.name] = {**parsed, **found}
        return dict(found.values())

    def _parse(self, article: NodeArticle, image: str) -> tuple[Key, Row]:
        row = values_of(article, texts_of(article, self.dialect, image))
        return tuple(row[name] for name in article.shape.primary_key), row


class DatabaseOffice:
    """People at a captured database. What they see is what they have read last, and written."""

    def __init__(self, engine: Engine, name: str, reader: Reader) -> None:
        self.engine = engine
        self._name = name
        self._reader = reader
        self._publication = reader.publication
        self._statements: dict[tuple[str, str, tuple[str, ...]], TextClause] = {}
        self._seen: dict[str, dict[Key, Row]] = {}
        self._order: dict[str, list[Key]] = {name: [] for name in self._publication.articles}

    @property
    def name(self) -> str:
        """The node's name."""
        return self._name

    def rows(self, article: str) -> list[Row]:
        """The rows of a table, those that came last at the end."""
        return list(self._table(article).values())

    def row(self, article: str, key: Key) -> Row | None:
        """One row; None when the table does not hold it."""
        return self._table(article).get(key)

    def look_again(self) -> None:
        """Somebody else has written: read the tables when they are needed."""
        self._order = {name: list(rows) for name, rows in self._seen.items()} | {
            name: order for name, order in self._order.items() if name not in self._seen
        }
        self._seen = {}

    def transaction(self, changes: Sequence[Change], at: datetime) -> None:
        """Changes by SQL, in one transaction. The database has its own clock, not `at`.

        Errors: ImpossibleChange where a statement finds no row; nothing is changed then.
        """
        is_sqlite = self._reader.dialect == "sqlite"
        with self.engine.begin() as connection:
            if is_sqlite:
                # how an application tells SQLite's triggers that statements belong together
                connection.exec_driver_sql(_START_TRANSACTION)
            written = [self._carry_out(connection, change) for change in changes]
            if is_sqlite:
                connection.exec_driver_sql(_END_TRANSACTION)
        for change, values in zip(changes, written, strict=True):
            self._see(change, values)

    def _table(self, name: str) -> dict[Key, Row]:
        """Rows that were there keep their place; new ones follow by key, as in any database."""
        if name not in self._seen:
            with self.engine.begin() as connection:
                now = self._reader.rows(connection, self._publication.article(name))
            known = dict.fromkeys(self._order[name])
            kept = [one for one in known if one in now]
            new = sorted((one for one in now if one not in known), key=_key_text)
            self._seen[name] = {one: now[one] for one in (*kept, *new)}
        return self._seen[name]

    def _see(self, change: Change, values: Row) -> None:
        article = self._publication.article(change.article)
        rows = self._table(change.article)
        key = tuple(values[name] for name in article.shape.primary_key)
        if change.operation == DELETE:
            del rows[key]
        else:
            rows[key] = {**rows.get(key, dict.fromkeys(article.kinds)), **values}

    # --- statements

    def _carry_out(self, connection: Connection, change: Change) -> Row:
        """The values as the columns' types hold them."""
        article = self._publication.article(change.article)
        values = {name: article.kinds[name].coerce(value) for name, value in change.values.items()}
        statement = self._statement(article, change.operation, tuple(values))
        done = connection.execute(statement, self._bound(article, values))
        if done.rowcount != 1:
            raise ImpossibleChange(
                f"{change.operation} of {article.name} {dict(change.values)} at {self.name}"
                f" changed {done.rowcount} rows"
            )
        return values

    def _statement(
        self, article: NodeArticle, operation: str, columns: tuple[str, ...]
    ) -> TextClause:
        wanted = (article.name, operation, columns)
        if wanted not in self._statements:
            self._statements[wanted] = text(escaped(_sql(article, operation, columns)))
        return self._statements[wanted]

    def _bound(self, article: NodeArticle, values: Row) -> dict[str, object]:
        dialect = self._reader.dialect
        return {
            parameter_name(name): int(value)
            if isinstance(value, bool) and dialect == "sqlite"
            else bound_value(article.kinds[name], dialect, article.kinds[name].to_text(value))
            for name, value in values.items()
        }


def _key_text(key: Key) -> list[str]:
    return [str(value) for value in key]


def _sql(article: NodeArticle, operation: str, columns: Sequence[str]) -> str:
    """A statement as an application has it: the key names the row."""
    key = article.shape.primary_key
    table = quoted(article.name)
    is_row = " and ".join(f"{quoted(name)} = :{parameter_name(name)}" for name in key)
    if operation == INSERT:
        names = ", ".join(quoted(name) for name in columns)
        values = ", ".join(f":{parameter_name(name)}" for name in columns)
        return f"insert into {table} ({names}) values ({values})"
    if operation == UPDATE:
        changed = ", ".join(
            f"{quoted(name)} = :{parameter_name(name)}" for name in columns if name not in key
        )
        return f"update {table} set {changed} where {is_row}"
    if operation == DELETE:
        return f"delete from {table} where {is_row}"
    raise ImpossibleChange(f"operation {operation!r} is none of insert, update, delete")
