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


def rows_in_the_way(
    article: NodeArticle,
    unique: Uniqueness,
    event: str,
    image: str,
    beside: str = "null",
    was_known: str = "true",
) -> list[str]:
    """Note the rows that an `or replace` would delete without calling a trigger.

    `image` is what to keep of such a row, `held`, and `beside` names the row that stands beside it.
    Where `was_known` says of an update that its row is not captured yet, another trigger writes the
    row: what has been noted is of the statement that has called that trigger.
    """
    name, version = literal(article.name), quoted(article.shape.version_column)
    key = article.shape.primary_key
    key_clash = equal("held", "new", key)
    clashes = " or ".join(
        f"({clash})" for clash in (key_clash, *(one.clash("new") for one in unique.indexes))
    )
    is_itself = f"({equal('held', 'old', key)})" if event == "update" else "false"
    return [
        f"delete from replication_replaced where article = {name} and {was_known}",
        "insert into replication_replaced"
        " (article, key_image, row_image, version, is_key_clash, beside)\n"
        f"        select {name}, {image_sql(article, 'sqlite', 'held', key)}, {image},"
        f" held.{version}, {key_clash}, {beside}\n"
        f"        from {quoted(article.name)} held where ({clashes}) and not {is_itself}",
    ]


def is_gone(article: NodeArticle, unique: Uniqueness) -> str:
    """Whether a row that was in the way, `gone`, has gone, now that the other one is written.

    Before an insert SQLite may not know the key yet, so that a clash of keys is asked again. A
    partial index may not have the row that is written: then nothing was in its way.
    """
    key = article.shape.primary_key
    gone = "gone.is_key_clash"
    if unique.indexes:
        clashes = " or ".join(f"({one.clash('new')})" for one in unique.indexes)
        return (
            f"case when {gone} then gone.key_image = {image_sql(article, 'sqlite', 'new', key)}"
            f" else not exists (select 1 from {quoted(article.name)} held where ({clashes})"
            f" and gone.key_image = {image_sql(article, 'sqlite', 'held', key)}) end"
        )
    return f"(not {gone} or gone.key_image = {image_sql(article, 'sqlite', 'new', key)})"


def equal(left: str, right: str, columns: Sequence[str]) -> str:
    """Whether two rows have the same values in some columns."""
    return " and ".join(f"{left}.{quoted(name)} = {right}.{quoted(name)}" for name in columns)


class _Written:
    """The bodies of an article's triggers."""

    def __init__(self, publication: str, article: NodeArticle, unique: Uniqueness) -> None:
        self._publication = publication
        self._article = article
        self._unique = unique
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
        is_update = event == "update"
        was_known = self._was_known() if is_update else "true"
        return [
            *refused_values(self._article, event),
            *rows_in_the_way(self._article, self._unique, event, "null", was_known=was_known),
            *([self._note_new_key()] if is_update else []),
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
            f"delete from replication_replaced where article = {literal(self._article.name)}"
            f" and key_image = {old_key} and version is old.{self._version}",
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
        source = (
            f"from replication_replaced as gone where gone.article = {literal(self._article.name)}"
            f" and {is_gone(self._article, self._unique)}"
        )
        return [
            self._queue("delete", "gone.version", "null", "gone.key_image", source),
            f"delete from replication_replaced where rowid in (select gone.rowid {source})",
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
