"""What is unique in a table of SQLite: which rows an `or replace` deletes because of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database.articles import NodeArticle
from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.statements import run_plain

# comments, names in quotes (a quote in them is doubled), and words
_PARTS = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?\*/)|\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|`(?:[^`]|``)*`"
    r"|\[[^\]]*\]|[\w$]+",
    re.DOTALL,
)
# the table's row in conditions and statements
_ROW = "held"
# the number of a row, under all of its names; each is free to be a column's
_ROW_NUMBERS = ("rowid", "_rowid_", "oid")


@dataclass(frozen=True)
class UniqueIndex:
    """Columns with the collations by which the index compares them.

    `condition` is that of a partial index, about the row `held`. None: of all rows, or one that
    cannot be asked there; `where` is there also then. `defaults` are what an `or replace` writes
    where there is no value.
    """

    columns: tuple[tuple[str, str], ...]
    condition: str | None = None
    where: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict)

    def is_of(self, key: Sequence[str]) -> bool:
        """Whether it says no more than that these columns are a key."""
        binary = {(name, "BINARY") for name in key}
        return self.condition is None and set(self.columns) == binary

    def names(self) -> set[str]:
        """Names of columns that decide whether the index has a row, and other words, in small
        letters.
        """
        words = (_unquoted(one.group()) for one in parts(self.where))
        return {word.lower() for word in (*words, *(name for name, _ in self.columns))}

    def clash(self, other: str) -> str:
        """Whether the row `held` is in the way of another one, should the index have that one."""
        same = [
            f"{_ROW}.{quoted(name)} = {self._value(other, name)} collate {quoted(collation)}"
            for name, collation in self.columns
        ]
        # a comment in the condition may go to the end of its line
        return " and ".join([*same, *([f"({self.condition}\n)"] if self.condition else [])])

    def _value(self, row: str, column: str) -> str:
        value, default = f"{row}.{quoted(column)}", self.defaults.get(column)
        return value if default is None else f"coalesce({value}, ({default}))"


@dataclass(frozen=True)
class Uniqueness:
    """What else is unique in a table, beside the article's key.

    `row_number` is a name for the number of a row: None in a table without rowid. `key_names` are
    its names where they mean a column of the article; `other_columns` are outside the article, and
    an update of them may put a row into another one's way.
    """

    indexes: tuple[UniqueIndex, ...] = ()
    row_number: str | None = None
    key_names: tuple[str, ...] = ()
    other_columns: tuple[str, ...] = ()


def uniqueness(connection: Connection, article: NodeArticle) -> Uniqueness:
    """What is unique in an article's table."""
    indexes = _unique_indexes(connection, article)
    number = _number_column(connection, article.name)
    if number is not None and article.shape.primary_key != (number,):
        indexes.append(UniqueIndex(((number, "BINARY"),)))
    others = _other_columns(connection, article, indexes)
    numbers = _names_of_number(connection, article.name)
    if number in article.kinds:
        return Uniqueness(tuple(indexes), number, numbers, tuple(others))
    if number is None and numbers:
        number = numbers[0]
        indexes.append(UniqueIndex(((number, "BINARY"),)))
    return Uniqueness(tuple(indexes), number, (), (*others, *numbers))


def _number_column(connection: Connection, table: str) -> str | None:
    """The column that is the number of the row: the key that needs no index."""
    query = f"select name from pragma_table_info({literal(table)}) where pk > 0"
    key = run_plain(connection, query).scalars().all()
    query = f"select count(*) from pragma_index_list({literal(table)}) where origin = 'pk'"
    has_index = run_plain(connection, query).scalar_one() > 0
    return None if has_index or len(key) != 1 else str(key[0])


def _other_columns(
    connection: Connection, article: NodeArticle, indexes: Sequence[UniqueIndex]
) -> list[str]:
    """Columns outside the article that decide whether a row is in another one's way.

    No more than these: SQLite drops no column that a trigger names. What is generated may be made
    of any.
    """
    query = f"select name, hidden from pragma_table_xinfo({literal(article.name)})"
    own = {*article.kinds, article.shape.version_column}
    hidden = {
        row["name"]: row["hidden"]
        for row in run_plain(connection, query).mappings()
        if row["name"] not in own
    }
    named = {name for one in indexes for name in one.names()}
    asked = [name for name in hidden if name.lower() in named]
    written = [name for name in hidden if hidden[name] == 0]
    is_generated = any(hidden[name] for name in asked)
    return written if is_generated else [name for name in written if name in asked]


def _names_of_number(connection: Connection, table: str) -> tuple[str, ...]:
    """Names that statements have for the number of a row; none where rows have no numbers."""
    query = f"select lower(name) from pragma_table_xinfo({literal(table)})"
    taken = set(run_plain(connection, query).scalars())
    names = tuple(name for name in _ROW_NUMBERS if name not in taken)
    try:
        for name in names[:1]:
            run_plain(connection, f"select {_ROW}.{name} from {quoted(table)} {_ROW} limit 0")
    except DBAPIError:
        # a table without rowid
        return ()
    return names


def parts(sql: str) -> Iterator[re.Match[str]]:
    """Words and names in quotes, without comments."""
    return (one for one in _PARTS.finditer(sql) if one.group("comment") is None)


def _unquoted(word: str) -> str:
    """A name without its quotes."""
    last = "]" if word.startswith("[") else word[:1]
    return word[1:-1].replace(last * 2, last) if last in "]\"'`" else word


def _unique_indexes(connection: Connection, article: NodeArticle) -> list[UniqueIndex]:
    """Those beside the article's key, without those over expressions; of constraints, too."""
    defaults = _defaults(connection, article.name)
    found = [
        UniqueIndex(columns, _condition(connection, article.name, where), where, defaults)
        for name, columns in _columns(connection, article.name)
        if all(column for column, _ in columns)
        for where in [_where(connection, name)]
    ]
    return [one for one in found if not one.is_of(article.shape.primary_key)]


def expression_indexes(connection: Connection, table: str) -> Sequence[str]:
    """Names of unique indexes over expressions."""
    return [
        name
        for name, columns in _columns(connection, table)
        if not all(column for column, _ in columns)
    ]


def _columns(connection: Connection, table: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Each unique index with its columns and their collations; of an expression, no name."""
    query = f'select name from pragma_index_list({literal(table)}) where "unique" order by seq'
    found = []
    for index in run_plain(connection, query).scalars().all():
        query = (
            # of the column that numbers the rows there is no name
            "select case when cid = -1 then (select name from"
            f" pragma_table_info({literal(table)}) where pk) else name end as name, coll"
            f' from pragma_index_xinfo({literal(index)}) where "key" order by seqno'
        )
        rows = run_plain(connection, query).mappings()
        columns = tuple((str(row["name"] or ""), str(row["coll"])) for row in rows)
        found.append((str(index), columns))
    return found


def _defaults(connection: Connection, table: str) -> dict[str, str]:
    """Values of columns that must have one."""
    query = (
        f"select name, dflt_value from pragma_table_info({literal(table)})"
        ' where "notnull" and dflt_value is not null'
    )
    return {row["name"]: row["dflt_value"] for row in run_plain(connection, query).mappings()}


def _where(connection: Connection, index: str) -> str:
    """The condition of a partial index, as it was written; nothing where there is none."""
    query = f"select sql from sqlite_master where type = 'index' and name = {literal(index)}"
    # the index of a constraint has no statement
    sql = str(run_plain(connection, query).scalar() or "")
    where = next((one for one in parts(sql) if one.group().lower() == "where"), None)
    return "" if where is None else sql[where.end() :].strip()


def _condition(connection: Connection, table: str, condition: str) -> str | None:
    if not condition:
        return None
    try:
        run_plain(connection, f"select 1 from {quoted(table)} {_ROW} where ({condition}\n) limit 0")
    except DBAPIError:
        # it names the table, which has another name here; without it more rows are looked at
        return None
    return condition
