"""What triggers do under merge replication: they fold changes into one net change a row.

Beside each article stands a table with one row per key ever seen: the version that the row has
('' = there is no row), its lineage, and what was done to it since the last upload. It is written
alike in SQLite and PostgreSQL; `Words` are what the two say differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replication_conflicts.distribution.articles import NodeArticle
from replication_conflicts.distribution.images import image_sql, literal, quoted
from replication_conflicts.distribution.metadata import LINEAGE, VERSION, metadata_name

OPERATION = "replication_operation"
# its place among the pending changes, and the number of its version
NUMBER = "replication_number"
# what the change knew of the row; commands may give the row another lineage meanwhile
NET = "replication_net"
BASE = "replication_base"
BEFORE = "replication_before"
CHANGED = "replication_changed"
CHANGED_AT = "replication_changed_at"
PRIORITY = "replication_priority"
UPLOADED_ID = "replication_uploaded_id"
UPLOADED_VERSION = "replication_uploaded_version"
UPLOADED_RECORD = "replication_uploaded_record"
IS_AGAIN = "replication_is_again"
PENDING = (OPERATION, NUMBER, NET, BASE, BEFORE, CHANGED, CHANGED_AT, PRIORITY)


@dataclass(frozen=True)
class Words:
    """What databases say differently."""

    dialect: str
    # {table} and {condition}: takes the next version number if there is such a row
    take_number: str
    number: str
    # in a query over rows: each row's number, and a statement after it
    row_number: str
    rows_numbered: str
    now: str
    is_same: str
    is_other: str
    # {a} and {b}: two JSON objects as text, of which the second wins
    merged: str
    # {name} and {value}: a JSON object with one entry, as text
    entry: str


class MergeBodies:
    """The statements for one article; `node` made the changes."""

    def __init__(self, words: Words, publication: str, node: str, article: NodeArticle) -> None:
        self._words = words
        self._publication = publication
        self._node = node
        self._article = article
        self.table = quoted(article.name)
        self.metadata = quoted(metadata_name(article.name))
        self.version = quoted(article.shape.version_column)
        self._key = article.shape.primary_key

    def inserted(self) -> list[str]:
        """A row came: of its own, or where one of that key was deleted since the last upload."""
        return [
            self._known("new", "''"),
            self._take_number(self._is("new")),
            # the delete and the insert together are an update of all columns
            self._again("new"),
            self._begin("insert", "null", "null", self._is("new")),
            self._stamp(),
        ]

    def updated(self) -> list[str]:
        """A row is another one, under the same key."""
        changed = self._changed_columns()
        return [
            self._known("old", f"coalesce(old.{self.version}, '')"),
            self._take_number(self._is("new")),
            self._fold(
                f"{CHANGED} = case when {OPERATION} = 'update' and {CHANGED} is not null"
                f" then {self._merged(CHANGED, changed)} else {CHANGED} end",
                f"{self._is('new')} and {OPERATION} in ('insert', 'update')",
            ),
            self._again("new"),
            self._begin("update", self._image("old"), changed, self._is("new")),
            self._stamp(),
        ]

    def deleted(self) -> list[str]:
        """A row went."""
        return [
            self._known("old", f"coalesce(old.{self.version}, '')"),
            *self._gone(self._is("old"), self._image("old")),
        ]

    def replaced(self) -> list[str]:
        """Rows went unseen, because of an `or replace` (SQLite)."""
        gone = (
            f"from replication_replaced gone where gone.article = {literal(self._article.name)}"
            f" and gone.version = {self.metadata}.{VERSION}"
            f" and (not gone.is_key_clash or gone.key_image = {self.key_image('new')})"
        )
        return self._gone(f"exists (select 1 {gone})", f"(select max(gone.row_image) {gone})")

    def existing(self) -> list[str]:
        """Rows that have no version become inserts; the triggers must not look."""
        keys = ", ".join(quoted(name) for name in self._key)
        own = self._words.entry.format(name=literal(self._node), value="number")
        is_row = " and ".join(
            f"{self.metadata}.{quoted(name)} = {self.table}.{quoted(name)}" for name in self._key
        )
        return [
            f"insert into {self.metadata} ({keys}, {VERSION}, {LINEAGE}, {NET}, {OPERATION},"
            f" {NUMBER}, {BEFORE}, {CHANGED_AT}, {PRIORITY})"
            f" select {keys}, {literal(self._node + ':')} || number, {own}, {own}, 'insert',"
            f" number, '{{}}', {self._words.now}, {self._stamped_priority()}"
            f" from (select {keys}, {self._words.row_number} as number from {self.table}"
            f" where {self.version} is null) as fresh",
            self._words.rows_numbered.format(
                last=f"(select coalesce(max({NUMBER}), 0) from {self.metadata})"
            ),
            f"update {self.table} set {self.version} = (select {VERSION} from {self.metadata}"
            f" where {is_row}) where {self.version} is null",
        ]

    def is_changed(self) -> str:
        """Whether an update changes a value."""
        return " or ".join(
            f"old.{quoted(name)} {self._words.is_other} new.{quoted(name)}"
            for name in self._article.kinds
        )

    def key_is_kept(self) -> str:
        """Whether an update leaves the key as it was."""
        return " and ".join(
            f"old.{quoted(name)} {self._words.is_same.format(f'new.{quoted(name)}')}"
            for name in self._key
        )

    def key_image(self, alias: str) -> str:
        """The key as one text."""
        return image_sql(self._article, self._words.dialect, alias, self._key)

    def _again(self, alias: str) -> str:
        """A row that was deleted since the last upload is there, and is written."""
        return self._fold(
            f"{OPERATION} = 'update', {CHANGED} = null, {LINEAGE} = {NET},"
            f" {VERSION} = {literal(self._node + ':')} || {NUMBER}",
            f"{self._is(alias)} and {OPERATION} = 'delete'",
        )

    def _gone(self, condition: str, image: str) -> list[str]:
        return [
            self._take_number(condition),
            self._begin("delete", image, "null", condition),
            # a command may have brought a row back that was deleted here
            self._fold(
                f"{OPERATION} = 'delete', {CHANGED} = null, {VERSION} = '', {LINEAGE} = {NET}",
                f"{condition} and {OPERATION} in ('update', 'delete')",
            ),
            # an insert and the delete of it leave nothing
            self._fold(
                f"{VERSION} = '', {LINEAGE} = {BEFORE}, {OPERATION} = null",
                f"{condition} and {OPERATION} = 'insert'",
            ),
        ]

    def _take_number(self, condition: str) -> str:
        return self._words.take_number.format(
            table=self.metadata, condition=f"{condition} and {OPERATION} is null"
        )

    def _begin(self, operation: str, base: str, changed: str, condition: str) -> str:
        number = self._words.number
        own = self._words.entry.format(name=literal(self._node), value=number)
        known = self._merged(LINEAGE, own)
        version = "''" if operation == "delete" else f"{literal(self._node + ':')} || {number}"
        return (
            f"update {self.metadata} set {OPERATION} = '{operation}', {NUMBER} = {number},"
            f" {BASE} = {base}, {BEFORE} = {LINEAGE}, {CHANGED} = {changed},"
            f" {CHANGED_AT} = {self._words.now},"
            f" {PRIORITY} = {self._stamped_priority()},"
            f" {LINEAGE} = {known}, {NET} = {known}, {VERSION} = {version}"
            f" where {condition} and {OPERATION} is null"
        )

    def _stamped_priority(self) -> str:
        mine = f"where publication = {literal(self._publication)}"
        return f"(select priority from replication_node {mine})"

    def _fold(self, assignments: str, condition: str) -> str:
        return (
            f"update {self.metadata} set {assignments}, {CHANGED_AT} = {self._words.now}"
            f" where {condition}"
        )

    def _known(self, alias: str, version: str) -> str:
        """A row that came before capture has a version, and no lineage that is known."""
        names = ", ".join(quoted(name) for name in self._key)
        values = ", ".join(f"{alias}.{quoted(name)}" for name in self._key)
        return (
            f"insert into {self.metadata} ({names}, {VERSION}, {LINEAGE})"
            f" select {values}, {version}, '{{}}'"
            f" where not exists (select 1 from {self.metadata} where {self._is(alias)})"
        )

    def _stamp(self) -> str:
        is_row = self._equal(self.table, "new")
        return (
            f"update {self.table} set {self.version} = (select {VERSION} from {self.metadata}"
            f" where {self._is('new')}) where {is_row}"
        )

    def _changed_columns(self) -> str:
        """A JSON object whose names are the columns that have another value."""
        changed = "'{}'"
        for name in self._article.shape.other_columns:
            column = quoted(name)
            entry = self._words.entry.format(name=literal(name), value="1")
            is_other = f"old.{column} {self._words.is_other} new.{column}"
            changed = self._merged(changed, f"case when {is_other} then {entry} else '{{}}' end")
        return changed

    def _merged(self, first: str, second: str) -> str:
        return self._words.merged.format(a=first, b=second)

    def _is(self, alias: str) -> str:
        return self._equal(self.metadata, alias)

    def _equal(self, left: str, right: str) -> str:
        return " and ".join(f"{left}.{quoted(name)} = {right}.{quoted(name)}" for name in self._key)

    def _image(self, alias: str) -> str:
        return image_sql(self._article, self._words.dialect, alias)


def metadata_table(article: NodeArticle, key_types: Sequence[str]) -> str:
    """The statement that makes an article's table of versions, lineages and net changes."""
    names = [quoted(name) for name in article.shape.primary_key]
    keys = [f"{name} {kind} not null" for name, kind in zip(names, key_types, strict=True)]
    columns = [
        f"{VERSION} text not null",
        f"{LINEAGE} text not null",
        f"{OPERATION} text",
        f"{NUMBER} bigint",
        f"{NET} text",
        f"{BASE} text",
        f"{BEFORE} text",
        f"{CHANGED} text",
        f"{CHANGED_AT} text",
        f"{PRIORITY} text",
        f"{UPLOADED_ID} text",
        f"{UPLOADED_VERSION} text",
        f"{UPLOADED_RECORD} text",
        f"{IS_AGAIN} integer not null default 0",
    ]
    parts = [*keys, *columns, f"primary key ({', '.join(names)})"]
    return f"create table {quoted(metadata_name(article.name))} ({', '.join(parts)})"


def number_indexes(article: NodeArticle) -> list[str]:
    """Indexes by which an upload finds what is pending, and a command what was uploaded."""
    name = metadata_name(article.name)
    return [
        f"create index {quoted(f'{name}_number')} on {quoted(name)} ({NUMBER})",
        f"create index {quoted(f'{name}_uploaded')} on {quoted(name)} ({UPLOADED_ID})",
    ]
