"""Triggers of queued updating in SQLite.

SQLite has no transaction ids. Changes belong together when they were made by one statement (whose
clock stands still), or while the application has a row in `replication_transaction`.
"""

from __future__ import annotations

from collections.abc import Sequence

from replication_conflicts.capture.triggers.sqlite_unique import Uniqueness
from replication_conflicts.capture.triggers.sqlite_values import refused_values
from replication_conflicts.database.articles import NodeArticle
from replication_conflicts.database.images import image_sql, literal, quoted

NEW_GUID = (
    "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4'"
    " || substr(hex(randomblob(2)), 2) || '-' || substr('89ab', 1 + (random() & 3), 1)"
    " || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))"
)
IS_NODES_OWN = "not exists (select 1 from replication_agent)"
NOW = "strftime('%Y-%m-%d %H:%M:%f', 'now')"
_LAST = "(select max(queue_id) from replication_queue)"
# The clock has one value for all rows of a statement. It may be set back, so that another statement
# has that value, too: what belongs together follows one another.
TRANSACTION = (
    "coalesce((select max(marker) from replication_transaction),"
    " (select transaction_key from replication_queue"
    f" where queue_id = {_LAST} and transaction_key glob {NOW} || '/*'),"
    f" {NOW} || '/' || (coalesce({_LAST}, 0) + 1))"
)


EVENTS = ("before_insert", "after_insert", "before_update", "after_update", "after_delete")
# only where the table has something that the article has not
AFTER_OTHER_UPDATE = "after_other_update"


def plain_name(article: str, event: str) -> str:
    """The name of one of an article's triggers, as the catalog has it."""
    return f"replication_{article}_{event}"


def trigger_name(article: str, event: str) -> str:
    """The name of one of an article's triggers."""
    return quoted(plain_name(article, event))


def create(publication: str, article: NodeArticle, unique: Uniqueness) -> tuple[str, ...]:
    """One statement a trigger."""
    written = _Written(publication, article, unique)
    updates = Updates(article, unique)
    return (
        written.trigger("before_insert", "before insert", written.before("insert")),
        written.trigger("after_insert", "after insert", written.after_insert()),
        written.trigger("before_update", f"before {updates.of_any}", written.before("update")),
        written.trigger("after_update", f"after {updates.of_article}", written.after_update()),
        written.trigger("after_delete", "after delete", written.after_delete()),
        *(
            written.trigger(AFTER_OTHER_UPDATE, f"after {one}", written.after_other_update())
            for one in updates.of_others
        ),
    )


class Updates:
    """Which updates call triggers: `update of` and columns.

    That which gives a row its version calls none.
    """

    def __init__(self, article: NodeArticle, unique: Uniqueness) -> None:
        own = (*article.kinds, *unique.key_names)
        self.of_article = _update_of(own)
        self.of_any = _update_of((*own, *unique.other_columns))
        # at most one
        self.of_others = [_update_of(unique.other_columns)] if unique.other_columns else []


def _update_of(columns: Sequence[str]) -> str:
    return f"update of {', '.join(map(quoted, columns))}"


class RowsInTheWay:
    """Rows that an `or replace` would delete without calling a trigger: noted before it does.

    Other triggers may write the table before it is seen what has gone: what has gone stays noted,
    until it is seen, and nothing else does.
    """

    def __init__(self, article: NodeArticle, unique: Uniqueness) -> None:
        self._article = article
        self._indexes = unique.indexes
        self._other_columns = unique.other_columns
        self._number = quoted(unique.row_number) if unique.row_number else None
        self._table = quoted(article.name)
        self._version = quoted(article.shape.version_column)
        self._key = article.shape.primary_key
        self._mine = f"article = {literal(article.name)}"

    def condition(self, event: str) -> str:
        """Whether the row `held` is in the way of the one that is written."""
        key_clash = equal("held", "new", self._key)
        clashes = " or ".join(f"({clash})" for clash in (key_clash, *self._clashes()))
        is_itself = f"({equal('held', 'old', self._key)})" if event == "update" else "false"
        # nobody has heard of a row without a version
        return f"({clashes}) and not {is_itself} and held.{self._version} is not null"

    def noted(self, event: str, image: str = "null", beside: str = "null") -> list[str]:
        """Note them. `image` is what to keep of such a row, `held`; `beside` stands beside it."""
        # before an update SQLite knows what is generated only of columns that a trigger names
        others = ", ".join(f"new.{quoted(name)}" for name in self._other_columns)
        return [
            *([f"select {others}"] if others and event == "update" else []),
            f"delete from replication_replaced where {self._mine} and ({self._is_over(event)})",
            "insert into replication_replaced (article, key_image, row_image, version,"
            " is_key_clash, beside, noted_at, row_number)\n"
            f"        select {literal(self._article.name)}, {self._key_image('held')}, {image},"
            f" held.{self._version}, {equal('held', 'new', self._key)}, {beside}, {NOW},"
            f" {f'held.{self._number}' if self._number else 'null'}\n"
            f"        from {self._table} held where {self.condition(event)}",
        ]

    def gone(self) -> str:
        """A source of those that have gone, as `gone`, now that the other row is written."""
        return f"from replication_replaced gone where gone.{self._mine} and ({self._is_gone()})"

    def forgotten(self) -> str:
        """Those that have gone are noted no longer."""
        return f"delete from replication_replaced where rowid in (select gone.rowid {self.gone()})"

    def deleted(self, is_version: str = "true") -> str:
        """A row has gone, and a trigger has seen it."""
        return (
            f"delete from replication_replaced where {self._mine}"
            f" and key_image = {self._key_image('old')} and {is_version}"
        )

    def _is_over(self, event: str) -> str:
        """Of what has been noted before: a row that is there, or that an earlier statement found.

        Without numbers nothing can be told apart, but where another trigger writes a row that is
        not captured yet: what has been noted is of the statement that has called that trigger.
        """
        if self._number:
            return f"noted_at is not {NOW} or {self._is_held('replication_replaced')}"
        return f"old.{self._version} is not null" if event == "update" else "true"

    def _is_gone(self) -> str:
        """Whether `gone` is not there any more: the row that is written may have its key.

        Before an insert SQLite may not know the key yet, so that a clash of keys is asked again. A
        partial index may not have the row that is written: then nothing was in its way.
        """
        has_its_key = f"gone.key_image = {self._key_image('new')}"
        if self._number:
            return f"gone.is_key_clash and {has_its_key} or not {self._is_held('gone')}"
        clashes = " or ".join(f"({one})" for one in self._clashes()) or "false"
        return (
            f"case when gone.is_key_clash then {has_its_key}"
            f" else not exists (select 1 from {self._table} held where ({clashes})"
            f" and gone.key_image = {self._key_image('held')}) end"
        )

    def _is_held(self, noted: str) -> str:
        return (
            f"exists (select 1 from {self._table} held where held.{self._number} ="
            f" {noted}.row_number and held.{self._version} = {noted}.version)"
        )

    def _clashes(self) -> list[str]:
        return [one.clash("new") for one in self._indexes]

    def _key_image(self, alias: str) -> str:
        return image_sql(self._article, "sqlite", alias, self._key)


def equal(left: str, right: str, columns: Sequence[str]) -> str:
    """Whether two rows have the same values in some columns."""
    return " and ".join(f"{left}.{quoted(name)} = {right}.{quoted(name)}" for name in columns)


class _Written:
    """The bodies of an article's triggers."""

    def __init__(self, publication: str, article: NodeArticle, unique: Uniqueness) -> None:
        self._publication = publication
        self._article = article
        self._in_the_way = RowsInTheWay(article, unique)
        self._table = quoted(article.name)
        self._version = quoted(article.shape.version_column)
        self._key = article.shape.primary_key

    def trigger(self, event: str, when: str, body: Sequence[str]) -> str:
        statements = "\n".join(f"    {statement};" for statement in body)
        return (
            f"create trigger {trigger_name(self._article.name, event)} {when} on {self._table}\n"
            f"when {IS_NODES_OWN}\nbegin\n{statements}\nend"
        )

    def before(self, event: str) -> list[str]:
        """Refuse what the article cannot hold; note the rows that `or replace` would delete."""
        return [
            *refused_values(self._article, event),
            *self._in_the_way.noted(event),
            *([self._note_new_key()] if event == "update" else []),
        ]

    def after_insert(self) -> list[str]:
        return [*self._queue_replaced(), self._queue_written("false", "null"), *self._stamp()]

    def after_update(self) -> list[str]:
        return [
            *self._queue_replaced(),
            self._queue(
                "delete",
                f"old.{self._version}",
                "null",
                self._key_image("old"),
                f"where not ({self._key_is_kept()}) and {self._was_known()}",
            ),
            self._queue_written(
                f"{self._key_is_kept()} and {self._was_known()}", f"old.{self._version}"
            ),
            *self._stamp(),
            f"delete from replication_new_key where {self._is_noted('new')}",
        ]

    def after_other_update(self) -> list[str]:
        """The row is as it was to the publication; those that were in its way are gone."""
        return self._queue_replaced()

    def after_delete(self) -> list[str]:
        old_key = self._key_image("old")
        return [
            self._queue(
                "delete", f"old.{self._version}", "null", old_key, f"where {self._was_known()}"
            ),
            # where `or replace` calls this trigger, the row is not deleted unseen; another trigger
            # may delete the row that has replaced it
            self._in_the_way.deleted(f"version = old.{self._version}"),
        ]

    def _key_is_kept(self) -> str:
        # byte by byte, however the column is compared otherwise
        return " and ".join(
            f"old.{quoted(name)} is new.{quoted(name)} collate binary" for name in self._key
        )

    def _note_new_key(self) -> str:
        """Another trigger may write the row under its new key before that is captured."""
        clash = f"{equal('held', 'new', self._key)} and held.{self._version} is old.{self._version}"
        return (
            "insert into replication_new_key (article, version, key_image)\n"
            f"        select {literal(self._article.name)}, old.{self._version},"
            f" {self._key_image('new')}\n"
            f"        where not ({self._key_is_kept()}) and old.{self._version} is not null\n"
            f"            and not exists (select 1 from {self._table} held where {clash})\n"
            f"            and not exists (select 1 from replication_new_key"
            f" where {self._is_noted('new')})"
        )

    def _was_known(self) -> str:
        """Whether the row that was is captured: with its version, under its key."""
        noted = f"select 1 from replication_new_key where {self._is_noted('old')}"
        return f"old.{self._version} is not null and not exists ({noted})"

    def _is_noted(self, alias: str) -> str:
        return (
            f"article = {literal(self._article.name)} and version = old.{self._version}"
            f" and key_image = {self._key_image(alias)}"
        )

    def _queue_written(self, is_update: str, old: str) -> str:
        """The row as it is; nothing where another trigger has deleted it, or given it another key.

        Where another trigger has written the row, that was captured, and has given it a version.
        """
        held = f"held.{self._version}"
        is_written = f"{held} is not null and {held} is not new.{self._version}"
        return self._queue(
            f"case when {is_written} or {is_update} then 'update' else 'insert' end",
            f"case when {is_written} then {held} when {is_update} then {old} end",
            NEW_GUID,
            "null",
            f"from {self._table} held where {equal('held', 'new', self._key)}",
        )

    def _queue(self, operation: str, old: str, new: str, image: str, where: str = "") -> str:
        word = operation if " " in operation else literal(operation)
        return (
            "insert into replication_queue (publication, article, change_id, operation,"
            " changed_at, old_version, new_version, row_image, transaction_key)\n"
            f"        select {literal(self._publication)}, {literal(self._article.name)},"
            f" {NEW_GUID}, {word}, {NOW},\n"
            f"            {old}, {new}, {image}, {TRANSACTION} {where}"
        ).rstrip()

    def _queue_replaced(self) -> list[str]:
        """Once the row is written, what was in its way is gone."""
        gone = self._in_the_way.gone()
        return [
            self._queue("delete", "gone.version", "null", "gone.key_image", gone),
            self._in_the_way.forgotten(),
        ]

    def _stamp(self) -> list[str]:
        """Give the row its version, and only then write down how it is.

        The row's other triggers may change it because of that update, or delete it. Where there is
        no entry of the row, because it has gone, the last one is another one, which has its image.
        """
        is_row = equal(self._table, "new", self._key)
        return [
            f"update {self._table} set {self._version} = (select new_version"
            f" from replication_queue where queue_id = last_insert_rowid()) where {is_row}",
            f"update replication_queue set row_image = coalesce((select {self._image('held')}"
            f" from {self._table} held where {equal('held', 'new', self._key)}),"
            f" {self._image('new')}) where queue_id = last_insert_rowid() and row_image is null",
        ]

    def _image(self, alias: str) -> str:
        return image_sql(self._article, "sqlite", alias)

    def _key_image(self, alias: str) -> str:
        return image_sql(self._article, "sqlite", alias, self._key)
