"""People at work in a database: random transactions, by SQL."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Engine, text

from replication_conflicts.database.engine import dialect_of
from replication_conflicts.database.images import quoted
from replication_conflicts.database.statements import escaped, run_plain

ARTICLES: dict[str, Any] = {
    "item": {
        "columns": {
            "id": "int",
            "name": "string",
            "price": "decimal(12,3)",
            "is_on": "boolean",
            "made": "date",
            "at": "timestamp",
            "size": "double",
            "data": "binary",
            "note": "varchar(60)",
        },
        "primary_key": ["id"],
    },
    'odd "label"; --': {
        "columns": {"item": "int", "the 'text'": "string", "count": "bigint"},
        "primary_key": ["item", "the 'text'"],
        "foreign_keys": [{"columns": ["item"], "references": "item", "to": ["id"]}],
    },
}
TEXTS = (
    "bolt",
    "O'Brien",
    'the "big" one',
    "'; drop table item; --",
    "größe 漢字 \N{ROCKET}",
    ":id %(id)s %s ? \\ \t\n",
    "",
    " ",
    "NULL",
    "null",
)
ODD = ('odd "label"; --', "the 'text'")
_KEYS = 40


class Person:
    """Works at one database; counts what a feed must have afterwards.

    `labels` are the second table and its key column.
    """

    def __init__(self, engine: Engine, seed: int, labels: tuple[str, str] = ODD) -> None:
        self._labels, self._text = (escaped(quoted(name)) for name in labels)
        self._engine = engine
        self._dice = random.Random(seed)
        self._is_sqlite = dialect_of(engine) == "sqlite"
        self.changes = 0
        self.transactions = 0

    def work(self) -> None:
        """One transaction; now and then it is rolled back."""
        doings: list[Callable[[Connection], int]] = [
            self._insert,
            self._update,
            self._update,
            self._update_many,
            self._delete,
            self._rename,
            self._upsert,
            self._label,
            self._label,
            self._change_labels,
        ]
        with self._engine.connect() as connection:
            transaction = connection.begin()
            if self._is_sqlite:
                run_plain(connection, "insert into replication_transaction default values")
            count = sum(
                self._dice.choice(doings)(connection) for _ in range(self._dice.randint(1, 4))
            )
            if self._is_sqlite:
                run_plain(connection, "delete from replication_transaction")
            if self._dice.random() < 0.05:
                transaction.rollback()
                return
            transaction.commit()
        self.changes += count
        self.transactions += bool(count)

    def _insert(self, connection: Connection) -> int:
        return self._run(
            connection,
            "insert into item values"
            " (:id, :name, :price, :is_on, :made, :at, :size, :data, :note, null)"
            " on conflict do nothing",
            id=self._key(),
            **self._values(),
        )

    def _update(self, connection: Connection) -> int:
        values = self._values()
        column = self._dice.choice(list(values))
        return self._run(
            connection,
            f"update item set {column} = :value where id = :id",
            value=values[column],
            id=self._key(),
        )

    def _update_many(self, connection: Connection) -> int:
        first = self._key()
        return self._run(
            connection,
            "update item set name = :name, price = :price where id between :first and :last",
            first=first,
            last=first + 3,
            name=self._dice.choice(TEXTS),
            price=self._values()["price"],
        )

    def _delete(self, connection: Connection) -> int:
        return self._run(connection, "delete from item where id = :id", id=self._key())

    def _rename(self, connection: Connection) -> int:
        """Another key: a delete and an insert."""
        return 2 * self._run(
            connection,
            "update item set id = :new where id = :old"
            " and not exists (select 1 from item where id = :new)",
            old=self._key(),
            new=self._key(),
        )

    def _upsert(self, connection: Connection) -> int:
        return self._run(
            connection,
            "insert into item (id, name) values (:id, :name)"
            " on conflict (id) do update set name = excluded.name, size = :size",
            id=self._key(),
            name=self._dice.choice(TEXTS),
            size=self._dice.uniform(-1e6, 1e6),
        )

    def _label(self, connection: Connection) -> int:
        return self._run(
            connection,
            f"insert into {self._labels} (item, {self._text}, count)"
            " values (:item, :text, :count) on conflict do nothing",
            item=self._key() % 7,
            text=self._dice.choice(TEXTS),
            count=self._dice.randint(-(2**63), 2**63 - 1),
        )

    def _change_labels(self, connection: Connection) -> int:
        table = self._labels
        item = self._key() % 7
        if self._dice.random() < 0.4:
            return self._run(connection, f"delete from {table} where item = :item", item=item)
        return self._run(
            connection,
            f"update {table} set count = :count where item = :item",
            item=item,
            count=self._dice.randint(-9, 9),
        )

    def _run(self, connection: Connection, statement: str, **values: Any) -> int:
        if self._is_sqlite:
            values = {name: _for_sqlite(value) for name, value in values.items()}
        return connection.execute(text(statement), values).rowcount

    def _key(self) -> int:
        return self._dice.randint(1, _KEYS)

    def _values(self) -> dict[str, Any]:
        dice = self._dice
        moment = datetime(1990, 1, 1) + timedelta(microseconds=dice.randint(0, 10**15))
        values: dict[str, Any] = {
            "name": dice.choice(TEXTS),
            "price": Decimal(dice.randint(-(10**12) + 1, 10**12 - 1)).scaleb(-3),
            "is_on": dice.random() < 0.5,
            "made": date(1990, 1, 1) + timedelta(days=dice.randint(0, 20_000)),
            "at": moment,
            "size": dice.choice([0.1, -0.0, 1e300, 5e-324, dice.random()]),
            "data": dice.randbytes(dice.randint(0, 20)),
            "note": dice.choice(TEXTS),
        }
        return {name: None if dice.random() < 0.1 else value for name, value in values.items()}


def _for_sqlite(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value
