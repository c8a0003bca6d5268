"""One upload of a merge subscriber: what is pending at its rows becomes a session of the feed."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from replication_conflicts.capture import tables
from replication_conflicts.capture.record_images import Image, images
from replication_conflicts.capture.triggers import merge_words
from replication_conflicts.capture.triggers.merge_bodies import (
    BASE,
    CHANGED,
    CHANGED_AT,
    IS_AGAIN,
    IS_PENDING,
    IS_SENT_AGAIN,
    NET,
    NUMBER,
    OPERATION,
    PENDING,
    PRIORITY,
    UPLOADED_ID,
    UPLOADED_RECORD,
    UPLOADED_VERSION,
    MergeBodies,
)
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.engine import dialect_of, mark_as_agent, unmark_as_agent
from replication_conflicts.database.images import image_sql, json_text, quoted, texts_of
from replication_conflicts.database.metadata import UNDECIDED, VERSION, metadata_name
from replication_conflicts.database.statements import escaped, run_plain
from replication_conflicts.publication.feed import DELETE, IMAGE, INSERT, UPDATE
from replication_conflicts.publication.sessions import session_order


@dataclass(frozen=True)
class Pending:
    """A net change, ready for the queue: `record` is what goes there and may have to go again."""

    article: NodeArticle
    number: int
    record: Mapping[str, Any]
    key: str
    is_again: bool = False

    def order(self) -> tuple[bool, bool, int, int]:
        """What was not applied goes first."""
        place = session_order(self.record["operation"], self.article.depth)
        return (not self.is_again, *place, self.number)


def seal_session(
    connection: Connection,
    publication: NodePublication,
    batch: int,
    node: str,
    priority: str | None,
) -> int:
    """Move what is pending to the queue, as one session; the number of changes and images."""
    dialect = dialect_of(connection.engine)
    words = merge_words(dialect, publication.name)
    found: list[Pending] = []
    for article in publication.articles.values():
        for statement in MergeBodies(words, publication, node, article).vanished():
            run_plain(connection, statement)
        found.extend(_to_repeat(connection, article, dialect))
        found.extend(_net_changes(connection, article, dialect))
    found.sort(key=Pending.order)
    # before the rows are noted as uploaded
    unchanged = list(images(connection, publication, node, priority)) if found else []
    records = []
    for one in found:
        change_id = str(uuid.uuid4())
        _note_upload(connection, one, change_id)
        records.append({**one.record, "article": one.article.name, "change_id": change_id})
    records += [_image_record(one, _moment(found)) for one in unchanged]
    if records:
        session = str(uuid.uuid4())
        common = {
            "publication": publication.name,
            "transaction_key": session,
            "batch": batch,
            "transaction_id": session,
            "transaction_change_count": len(records),
        }
        rows = [{**one, **common, "transaction_order": place} for place, one in enumerate(records)]
        connection.execute(tables.queue.insert(), rows)
        _forget_passed_over(connection, publication, found)
    return len(records)


def _moment(found: Sequence[Pending]) -> str:
    """When the session's last change was made; what goes again counts where nothing else does."""
    fresh = [one for one in found if not one.is_again]
    return max(str(one.record["changed_at"]) for one in fresh or found)


def _image_record(image: Image, at: str) -> dict[str, Any]:
    return {
        "operation": IMAGE,
        "changed_at": at,
        "row_image": image.row_image,
        "merge_record": json.dumps(dict(image.merge_record), ensure_ascii=False),
        "article": image.article,
        "change_id": str(uuid.uuid4()),
    }


def insert_existing(
    connection: Connection, publication: NodePublication, article: NodeArticle, node: str
) -> None:
    """Rows without a version, which were there before capture, become inserts of this node."""
    words = merge_words(dialect_of(connection.engine), publication.name)
    mark_as_agent(connection)
    for statement in MergeBodies(words, publication, node, article).existing():
        run_plain(connection, statement)
    unmark_as_agent(connection)


def _net_changes(connection: Connection, article: NodeArticle, dialect: str) -> Iterator[Pending]:
    table, metadata = quoted(article.name), quoted(metadata_name(article.name))
    is_row = " and ".join(
        f"held.{quoted(name)} = net.{quoted(name)}" for name in article.shape.primary_key
    )
    first_key = quoted(article.shape.primary_key[0])
    query = (
        f"select {image_sql(article, dialect, 'net', article.shape.primary_key)} as key_image,"
        f" case when held.{first_key} is not null then {image_sql(article, dialect, 'held')} end"
        f" as row_image, net.{OPERATION} as operation, net.{NUMBER} as number,"
        f" net.{BASE} as base, net.{CHANGED} as changed, net.{CHANGED_AT} as changed_at,"
        f" net.{PRIORITY} as priority, net.{NET} as lineage"
        f" from {metadata} net left join {table} held on {is_row}"
        f" where {IS_PENDING.format(row='net')} order by net.{NUMBER}"
    )
    for row in run_plain(connection, query).mappings():
        changed = None if row["changed"] is None else sorted(json.loads(row["changed"]))
        is_gone = row["operation"] == DELETE or row["row_image"] is None
        merge_record = {
            "lineage": json.loads(row["lineage"]),
            "changed_columns": changed if row["operation"] == UPDATE else None,
            "previous_values": _previous_values(article, dialect, dict(row), changed),
            "priority": row["priority"],
        }
        record = {
            "operation": row["operation"],
            "changed_at": row["changed_at"],
            "row_image": row["key_image"] if is_gone else row["row_image"],
            "merge_record": json.dumps(merge_record, ensure_ascii=False),
        }
        yield Pending(article, int(row["number"]), record, row["key_image"])


def _previous_values(
    article: NodeArticle, dialect: str, row: Mapping[str, Any], changed: list[str] | None
) -> dict[str, str | None] | None:
    """The changed columns before the net change, where there was a row.

    Of a delete those that named its parent in a logical record.
    """
    names = changed or article.shape.other_columns
    if row["operation"] == DELETE:
        names = article.parent_columns
    if row["operation"] == INSERT or row["base"] is None or not names:
        return None
    base = texts_of(article, dialect, row["base"])
    # a column that has come since then had no value
    return {name: base.get(name) for name in names}


def _to_repeat(connection: Connection, article: NodeArticle, dialect: str) -> Iterator[Pending]:
    """Changes that came back as not applied, unless their row has changed since."""
    metadata = quoted(metadata_name(article.name))
    query = (
        f"select {image_sql(article, dialect, 'sent', article.shape.primary_key)} as key_image,"
        f" sent.{NUMBER} as number, sent.{UPLOADED_RECORD} as record from {metadata} sent"
        f" where {IS_SENT_AGAIN.format(row='sent')} order by sent.{NUMBER}"
    )
    for row in run_plain(connection, query).mappings():
        record = json.loads(row["record"])
        yield Pending(article, int(row["number"]), record, row["key_image"], is_again=True)


def _note_upload(connection: Connection, one: Pending, change_id: str) -> None:
    """Nothing is pending at the row any more; what was sent is kept in case it comes back."""
    metadata = quoted(metadata_name(one.article.name))
    dialect = dialect_of(connection.engine)
    key = image_sql(one.article, dialect, metadata, one.article.shape.primary_key)
    cleared = ", ".join(f"{name} = null" for name in PENDING if name != NUMBER)
    connection.execute(
        text(
            f"update {escaped(metadata)}"
            f" set {UNDECIDED} = case when {OPERATION} is null then {UNDECIDED} else {NET} end,"
            f" {cleared},"
            f" {UPLOADED_ID} = :change_id, {UPLOADED_VERSION} = {VERSION},"
            f" {UPLOADED_RECORD} = :record, {IS_AGAIN} = 0"
            # rows that an `or replace` has deleted together share a number
            f" where {NUMBER} = :number and {escaped(key)} = :key"
        ),
        {
            "change_id": change_id,
            "record": json.dumps(dict(one.record)),
            "number": one.number,
            "key": one.key,
        },
    )


def _forget_passed_over(
    connection: Connection, publication: NodePublication, found: list[Pending]
) -> None:
    """Once an insert is uploaded, its decision brings what the row lacks."""
    dialect = dialect_of(connection.engine)
    passed = tables.passed_over.c
    for one in found:
        if one.record["operation"] == INSERT:
            key = json_text(texts_of(one.article, dialect, one.key))
            connection.execute(
                tables.passed_over.delete().where(
                    passed.publication == publication.name,
                    passed.article == one.article.name,
                    passed.row_key == key,
                )
            )
