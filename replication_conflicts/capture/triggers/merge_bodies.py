"""What triggers do under merge replication: they fold changes into one net change a row.

Beside each article stands a table with one row per key ever seen: the version that the row has
('' = there is no row), its lineage, and what was done to it since the last upload. It is written
alike in SQLite and PostgreSQL; `Words` are what the two say differently.

Where rows belong to a logical record, that table also has each row's parent, of a deleted row the
last one, so that what is known of the whole record can be read there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from replication_conflicts.capture.triggers.records import RecordSql
from replication_conflicts.capture.triggers.words import Words
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.images import image_sql, literal, quoted
from replication_conflicts.database.metadata import (
    BEFORE_PARENT,
    LINEAGE,
    PARENT,
    UNDECIDED,
    VERSION,
    metadata_name,
    parent_names,
    short_name,
)

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

# operands of a chain; a table has up to 2,000 columns
_GROUP = 50

# of {row}: whether an upload takes its change, or once more the one that was not applied
IS_PENDING = f"{{row}}.{OPERATION} is not null"
IS_SENT_AGAIN = (
    f"{{row}}.{IS_AGAIN} = 1 and {{row}}.{OPERATION} is null"
    f" and {{row}}.{VERSION} = {{row}}.{UPLOADED_VERSION}"
)
IS_WAITING = f"(({IS_PENDING}) or ({IS_SENT_AGAIN}))"


class MergeBodies:
    """The statements for one article; `node` made the changes."""

    def __init__(
        self, words: Words, publication: NodePublication, node: str, article: NodeArticle
    ) -> None:
        self._words = words
        self._publication = publication.name
        self._node = node
        self._article = article
        record = publication.options.record_of(article.name)
        self._record = RecordSql(words, publication, record) if record else None
        self._parents = parent_names(article)
        self.table = quoted(article.name)
        self.metadata = quoted(metadata_name(article.name))
        self.version = quoted(article.shape.version_column)
        self._key = article.shape.primary_key

    def inserted(self) -> list[str]:
        """A row came: of its own, or where one of that key was deleted since the last upload."""
        return [
            self._known("new", "''"),
            self._number_new(),
            # the delete and the insert together are an update of all columns; an update that is
            # there is of another trigger, which has written the row since it replaced another one
            self._again("'delete', 'update'"),
            *self._begin("insert", "null", "null", self._is_written()),
            *self._belongs(),
            self._stamp(),
        ]

    def updated(self) -> list[str]:
        """A row is another one, under the same key."""
        changed = self._changed_columns()
        return [
            self._known("old", f"coalesce(old.{self.version}, '')"),
            self._number_new(),
            self._fold(
                f"{CHANGED} = case when {OPERATION} = 'update' and {CHANGED} is not null"
                f" then {self._merged(CHANGED, changed)} else {CHANGED} end{self._earlier_base()}",
                f"{self._is_written()} and {OPERATION} in ('insert', 'update')",
            ),
            self._again("'delete'"),
            # nobody has heard of the row: another trigger writes it before it was captured
            *self._begin("insert", "null", "null", f"{self._is_written()} and {VERSION} = ''"),
            *self._begin("update", self.image("old"), changed, self._is_written()),
            *self._belongs(),
            self._stamp(),
        ]

    def deleted(self) -> list[str]:
        """A row went."""
        return [*self.number_old(), *self._gone(self._was_known(), self.image("old"))]

    def renamed(self) -> list[str]:
        """A row has another key, and `number_old` came before it was written."""
        return [*self._gone(self._was_known(), self.image("old")), *self.inserted()]

    def number_old(self) -> list[str]:
        """Take the number of a delete."""
        return [
            self._known("old", f"coalesce(old.{self.version}, '')"),
            self._take_number(self._was_known()),
        ]

    def free_key(self) -> str:
        """Before a row comes, or gets another key: nobody has heard of a row of that key.

        Another trigger may write it before it is captured, and its version would say that it came
        before capture.
        """
        key = ", ".join(map(quoted, self._key))
        values = ", ".join(f"new.{quoted(name)}" for name in self._key)
        return (
            f"insert into {self.metadata} ({key}, {VERSION}, {LINEAGE})"
            f" select {values}, '', '{{}}' where not ({self.key_is_kept()})"
            f" and not {self._is_there()}"
            f" and not exists (select 1 from {self.metadata} where {self._is('new')})"
        )

    def next_version(self) -> str:
        """The version of a row that is being written: a net change keeps its number."""
        pending = f"{self._is('new')} and {OPERATION} is not null"
        return (
            f"{literal(self._node + ':')} || coalesce((select {NUMBER} from {self.metadata}"
            f" where {pending}), {self._words.row_number})"
        )

    def known_in_the_way(self, is_in_the_way: str) -> str:
        """A row that came before capture may go unseen, because of an `or replace` (SQLite)."""
        source = f"from {self.table} held where {is_in_the_way}"
        return self._known("held", f"held.{self.version}", source)

    def replaced(self, gone: str) -> list[str]:
        """Rows went unseen, because of an `or replace` (SQLite); `gone` is a source of them."""
        mine = f"{gone} and gone.beside = {self.metadata}.rowid"
        condition = f"{self.metadata}.rowid in (select gone.beside {gone})"
        return [
            self._take_number(condition),
            *self._gone(condition, f"(select max(gone.row_image) {mine})"),
        ]

    def vanished(self) -> list[str]:
        """Rows went, and no trigger has seen it: there are no values that an upload could send."""
        is_there = f"exists (select 1 from {self.table} held where"
        is_there += f" {self._equal('held', self.metadata)})"
        is_written = f"{self.metadata}.{OPERATION} in ('insert', 'update')"
        return self._gone(f"{is_written} and not {is_there}", "null")

    def beside(self) -> str:
        """The number of the row beside one that is in the way, `held` (SQLite)."""
        return f"(select rowid from {self.metadata} where {self._is('held')})"

    def existing(self) -> list[str]:
        """Rows that have no version become inserts; the triggers must not look."""
        key, parents = self._key, self._article.parent_columns
        targets = ", ".join([*map(quoted, key), *self._parents])
        sources = ", ".join(f"fresh.{quoted(name)}" for name in (*key, *parents))
        columns = ", ".join(quoted(name) for name in dict.fromkeys((*key, *parents)))
        # a name that no column of an application has
        number = f"fresh.{NUMBER}"
        own = self._words.entry.format(name=literal(self._node), value=number)
        is_row = self._equal(self.metadata, self.table)
        return [
            f"insert into {self.metadata} ({targets}, {VERSION}, {LINEAGE}, {NET}, {OPERATION},"
            f" {NUMBER}, {BEFORE}, {CHANGED_AT}, {PRIORITY})"
            f" select {sources}, {literal(self._node + ':')} || {number}, {own}, {own}, 'insert',"
            f" {number}, '{{}}', {self._words.now}, {self._stamped_priority()}"
            f" from (select {columns}, {self._words.row_number} as {NUMBER} from {self.table}"
            f" where {self.version} is null) as fresh",
            self._words.rows_numbered.format(
                last=f"(select coalesce(max({NUMBER}), 0) from {self.metadata})"
            ),
            f"update {self.table} set {self.version} = (select {VERSION} from {self.metadata}"
            f" where {is_row}) where {self.version} is null",
        ]

    def is_changed(self) -> str:
        """Whether an update changes a value."""
        return _chain(" or ", [self._is_changed(name) for name in self._article.kinds])

    def key_is_kept(self) -> str:
        """Whether an update leaves the key as it was."""
        return " and ".join(
            f"old.{quoted(name)} {self._words.is_same.format(f'new.{quoted(name)}')}"
            for name in self._key
        )

    def image(self, alias: str) -> str:
        """The row as one text."""
        return image_sql(self._article, self._words.dialect, alias)

    def _earlier_base(self) -> str:
        """The row before the net change, where another trigger has written the row meanwhile.

        What that has changed is captured first: SQLite runs the trigger first that was made last,
        and PostgreSQL all of them when all rows of the statement are written. In order, a change is
        made on the version that stands beside the row.
        """
        is_late = f"{OPERATION} = 'update' and {self._is_other(f'old.{self.version}', VERSION)}"
        return f", {BASE} = case when {is_late} then {self.image('old')} else {BASE} end"

    def _again(self, operations: str) -> str:
        """A row that was deleted since the last upload is there, and is written."""
        return self._fold(
            f"{OPERATION} = 'update', {CHANGED} = null, {LINEAGE} = {NET},"
            f" {VERSION} = {literal(self._node + ':')} || {NUMBER}",
            f"{self._is_written()} and {OPERATION} in ({operations})",
        )

    def _gone(self, condition: str, image: str) -> list[str]:
        return [
            *self._begin("delete", image, "null", condition),
            # a command may have brought a row back that was deleted here
            self._fold(
                f"{OPERATION} = 'delete', {CHANGED} = null, {VERSION} = '', {LINEAGE} = {NET}",
                f"{condition} and {OPERATION} in ('update', 'delete')",
            ),
            # an insert and the delete of it leave nothing
            self._fold(
                f"{VERSION} = '', {LINEAGE} = {BEFORE}, {OPERATION} = null"
                + "".join(f", {name} = {before}" for name, before in self._before()),
                f"{condition} and {OPERATION} = 'insert'",
            ),
        ]

    def _number_new(self) -> str:
        """The number of a change that begins; the row may have its version already."""
        if not self._words.stamps_first:
            return self._take_number(self._is_written())
        return (
            f"update {self.metadata} set {NUMBER} = {self._number_in(f'new.{self.version}')}"
            f" where {self._is('new')} and {OPERATION} is null"
        )

    def _number_in(self, version: str) -> str:
        return f"cast(substr({version}, {len(self._node) + 2}) as bigint)"

    def _take_number(self, condition: str) -> str:
        return self._words.take_number.format(
            table=self.metadata, condition=f"{condition} and {OPERATION} is null"
        )

    def _begin(self, operation: str, base: str, changed: str, condition: str) -> list[str]:
        number = self._words.number
        own = self._words.entry.format(name=literal(self._node), value=number)
        learned = self._learned(operation, condition)
        known = self._merged(NET if learned else LINEAGE, own)
        version = "''" if operation == "delete" else f"{literal(self._node + ':')} || {number}"
        before = "".join(f" {before} = {name}," for name, before in self._before())
        return [
            *learned,
            f"update {self.metadata} set {OPERATION} = '{operation}', {NUMBER} = {number},"
            f" {BASE} = {base}, {BEFORE} = {LINEAGE}, {CHANGED} = {changed},"
            f" {CHANGED_AT} = {self._words.now},"
            f" {PRIORITY} = {self._stamped_priority()},"
            f"{before} {LINEAGE} = {known}, {NET} = {known}, {VERSION} = {version}"
            f" where {condition} and {OPERATION} is null",
        ]

    def _learned(self, operation: str, condition: str) -> list[str]:
        """With detection by record a change carries what the node knows of all rows of it.

        An insert too may leave a record: that of the deleted row whose key it uses again. The own
        number is the row's, which the change takes afterwards. A change on top of one that is not
        decided knows what that one knew: if that one loses, so must what was made of its row.
        """
        if self._record is None or not self._record.record.detection:
            return []
        columns = [quoted(name) for name in self._article.parent_columns or self._key]
        parents = self._parents or columns
        before = self._record.top(self._article.name, [f"{self.metadata}.{one}" for one in parents])
        after = self._record.top(self._article.name, [f"new.{one}" for one in columns])
        tops = [before] if operation == "delete" else [before, after]
        known = self._record.lineage(f"{self.metadata}.{LINEAGE}", tops)
        return [
            f"update {self.metadata} set {NET} ="
            f" coalesce({UNDECIDED}, {self._merged(LINEAGE, known)})"
            f" where {condition} and {OPERATION} is null"
        ]

    def _before(self) -> list[tuple[str, str]]:
        """The row's parent, and what it was before the net change."""
        names = parent_names(self._article, BEFORE_PARENT)
        return list(zip(self._parents, names, strict=True))

    def _belongs(self) -> list[str]:
        """The row names this parent in its logical record."""
        pairs = list(zip(self._parents, self._article.parent_columns, strict=True))
        if not pairs:
            return []
        assignments = ", ".join(f"{name} = new.{quoted(column)}" for name, column in pairs)
        is_other = " or ".join(
            self._is_other(self._exact(column, name), self._exact(column, f"new.{quoted(column)}"))
            for name, column in pairs
        )
        return [
            f"update {self.metadata} set {assignments} where {self._is_written()} and ({is_other})"
        ]

    def _stamped_priority(self) -> str:
        mine = f"where publication = {literal(self._publication)}"
        return f"(select priority from replication_node {mine})"

    def _fold(self, assignments: str, condition: str) -> str:
        return (
            f"update {self.metadata} set {assignments}, {CHANGED_AT} = {self._words.now}"
            f" where {condition}"
        )

    def _known(self, alias: str, version: str, source: str = "where true") -> str:
        """A row that came before capture has a version, and no lineage that is known."""
        parents = () if alias == "new" else self._article.parent_columns
        names = ", ".join([*map(quoted, self._key), *self._parents[: len(parents)]])
        values = ", ".join(f"{alias}.{quoted(name)}" for name in (*self._key, *parents))
        return (
            f"insert into {self.metadata} ({names}, {VERSION}, {LINEAGE})"
            f" select {values}, {version}, '{{}}' {source}"
            f" and not exists (select 1 from {self.metadata} where {self._is(alias)})"
        )

    def _stamp(self) -> str:
        """The row and what stands beside it have the same version."""
        if self._words.stamps_first:
            return self._follow_row()
        is_row = self._equal(self.table, "new")
        return (
            f"update {self.table} set {self.version} = (select {VERSION} from {self.metadata}"
            f" where {self._is('new')}) where {is_row}"
        )

    def _follow_row(self) -> str:
        """Take over the row's version where it is another one.

        The row got it before others did that its statement writes, or another trigger has written
        it meanwhile.
        """
        version = f"held.{self.version}"
        number = self._number_in(version)
        own = self._words.entry.format(name=literal(self._node), value=number)
        known = ", ".join(
            f"{name} = {self._merged(f'{self.metadata}.{name}', own)}" for name in (LINEAGE, NET)
        )
        return (
            f"update {self.metadata} set {VERSION} = {version}, {NUMBER} = {number}, {known}"
            f" from {self.table} held where {self._is('held')} and {self._is('new')}"
            f" and {self.metadata}.{OPERATION} is not null"
            f" and {self.metadata}.{VERSION} <> {version}"
        )

    def _changed_columns(self) -> str:
        """A JSON object whose names are the columns that have another value."""
        entries = [
            f"case when {self._is_changed(name)} then {literal(_json_entry(name))} else '' end"
            for name in self._article.shape.other_columns
        ]
        return f"'{{' || rtrim({_chain(' || ', entries)}, ',') || '}}'" if entries else "'{}'"

    def _is_changed(self, name: str) -> str:
        old, new = (self._exact(name, f"{alias}.{quoted(name)}") for alias in ("old", "new"))
        return self._is_other(old, new)

    def _exact(self, column: str, value: str) -> str:
        return self._words.exact.get(self._article.kinds[column].name, "{}").format(value)

    def _is_other(self, one: str, other: str) -> str:
        return f"{one} {self._words.is_other.format(other)}"

    def _merged(self, first: str, second: str) -> str:
        return self._words.merged.format(a=first, b=second)

    def _is_written(self) -> str:
        """What stands beside the row that was written.

        Another trigger may have deleted the row since, or given it another key: that was captured.
        """
        return f"{self._is('new')} and {self._is_there()}"

    def _is_there(self) -> str:
        return f"exists (select 1 from {self.table} held where {self._equal('held', 'new')})"

    def _was_known(self) -> str:
        """What stands beside the row that was; nothing is said of one that came and went unseen."""
        return f"{self._is('old')} and {VERSION} <> ''"

    def _is(self, alias: str) -> str:
        return self._equal(self.metadata, alias)

    def _equal(self, left: str, right: str) -> str:
        return " and ".join(f"{left}.{quoted(name)} = {right}.{quoted(name)}" for name in self._key)


def _json_entry(name: str) -> str:
    return json.dumps(name, ensure_ascii=False) + ":1,"


def _chain(operator: str, parts: Sequence[str]) -> str:
    """Expressions between operators, in groups: SQLite lets none be 1,000 deep."""
    groups = [
        operator.join(parts[start : start + _GROUP]) for start in range(0, len(parts), _GROUP)
    ]
    return operator.join(f"({group})" for group in groups)


def metadata_table(article: NodeArticle, types: Mapping[str, str]) -> str:
    """The statement that makes an article's table of versions, lineages and net changes.

    `types` are those of the article's own columns.
    """
    key = article.shape.primary_key
    typed = [
        f"{quoted(name)} {kind}{' not null' if name in key else ''}"
        for name, kind in types_beside(article, types).items()
    ]
    columns = [
        f"{VERSION} text not null",
        f"{LINEAGE} text not null",
        f"{OPERATION} text",
        f"{NUMBER} bigint",
        f"{NET} text",
        f"{UNDECIDED} text",
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
    parts = [*typed, *columns, f"primary key ({', '.join(map(quoted, key))})"]
    return f"create table {quoted(metadata_name(article.name))} ({', '.join(parts)})"


def types_beside(article: NodeArticle, types: Mapping[str, str]) -> dict[str, str]:
    """The columns of that table which hold the article's own values: the key, and the parents'."""
    parents = {
        name: types[column]
        for prefix in (PARENT, BEFORE_PARENT)
        for name, column in zip(parent_names(article, prefix), article.parent_columns, strict=True)
    }
    return {name: types[name] for name in article.shape.primary_key} | parents


def number_indexes(article: NodeArticle) -> list[str]:
    """Indexes by which an upload finds what is pending, and a command what was uploaded.

    Where rows belong to a logical record, there is one by which a row's children are found.
    """
    table = quoted(metadata_name(article.name))

    # indexes and tables share their names: what differs stands before the article
    def index(what: str, columns: str) -> str:
        name = quoted(short_name(f"replication_by_{what}_{article.name}"))
        return f"create index {name} on {table} ({columns})"

    parents = ", ".join(parent_names(article))
    return [
        *([index("parent", parents)] if parents else []),
        index("number", NUMBER),
        index("uploaded", UPLOADED_ID),
    ]
