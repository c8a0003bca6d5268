"""The other rows of the logical records that a session changes, where winners are whole records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import Connection

from replication_conflicts.capture.triggers import merge_words
from replication_conflicts.capture.triggers.merge_bodies import (
    IS_PENDING,
    IS_SENT_AGAIN,
    IS_WAITING,
    OPERATION,
)
from replication_conflicts.capture.triggers.records import MEMBER, RecordSql, equal
from replication_conflicts.database.articles import NodePublication
from replication_conflicts.database.engine import dialect_of
from replication_conflicts.database.images import image_sql, literal, quoted
from replication_conflicts.database.metadata import LINEAGE, UNDECIDED
from replication_conflicts.database.statements import run_plain
from replication_conflicts.publication.feed import INSERT
from replication_conflicts.publication.publication import LogicalRecord
from replication_conflicts.publication.sessions import image_values, with_record

# an article's name has no blank: these hide none of the tables
_TOUCHED = '"touched records"'
_RECORD = '"numbered record"'
# the others are numbered from 1
_NO_RECORD = 0
_LEFT = '"left records"'
_IS_IN_SESSION = IS_WAITING.format(row=MEMBER)
# of {row}: whether a change of the session was made to a row that was there
_WAS_THERE = f"(({IS_PENDING} and {{row}}.{OPERATION} <> '{INSERT}') or ({IS_SENT_AGAIN}))"


@dataclass(frozen=True)
class Image:
    """A row as the node holds it, unchanged; `merge_record` as in the queue."""

    article: str
    row_image: str
    merge_record: Mapping[str, object]


def images(
    connection: Connection, publication: NodePublication, node: str, priority: str | None
) -> Iterator[Image]:
    """The images of the session that consists of what is pending, and of what goes again."""
    for record in publication.options.logical_records:
        if record.resolution:
            yield from _images(connection, publication, record, node, priority)


def _images(
    connection: Connection,
    publication: NodePublication,
    record: LogicalRecord,
    node: str,
    priority: str | None,
) -> Iterator[Image]:
    words = merge_words(dialect_of(connection.engine), publication.name)
    sql = RecordSql(words, publication, record)
    found = run_plain(connection, _query(sql, publication, words.dialect)).mappings()
    for number, group in groupby(found, key=lambda row: row["record_number"]):
        members = [(row, json.loads(row["lineage"])) for row in group]
        is_known_together = record.detection and number != _NO_RECORD
        known = [lineage for _, lineage in members] if is_known_together else []
        for row, lineage in members:
            if row["row_image"] is not None:
                lineage = with_record(node, lineage, known)
                if record.detection and row["undecided"] is not None:
                    # what others have done to the row since then is not in it
                    lineage = json.loads(row["undecided"])
                yield Image(row["article"], row["row_image"], image_values(lineage, priority))


def _query(sql: RecordSql, publication: NodePublication, dialect: str) -> str:
    """All rows of the records that the session changes; those without an image are in it, or gone.

    A row that has moved from one record to another changes both. Rows below one that has left
    every record have been in what it has left.
    """
    tops: list[str] = []
    for name in sql.record.articles:
        source, key = sql.members(name)
        tops.append(f"select {_named(key)} from {source} where {_IS_IN_SESSION}")
        if name != sql.record.top:
            source, key = sql.members(name, _WAS_THERE)
            was_there = _WAS_THERE.format(row=MEMBER)
            tops.append(f"select {_named(key)} from {source} where {was_there}")
    rows = [
        _members(sql, publication, number, name, dialect)
        for number, name in enumerate(sql.record.articles)
    ]
    left = [
        query
        for number, name in enumerate(sql.record.articles)
        for above in sql.record.articles
        if (query := _left_behind(sql, publication, number, name, above, dialect))
    ]
    if left:
        rows.append(f"select * from ({' union '.join(left)}) as {_LEFT}")
    return (
        f"with {_TOUCHED} as ({' union '.join(tops)}), {_RECORD} as"
        f" (select {_TOUCHED}.*, row_number() over () as record_number from {_TOUCHED}) "
        f"{' union all '.join(rows)} order by record_number, place, key_image"
    )


def _members(
    sql: RecordSql, publication: NodePublication, place: int, name: str, dialect: str
) -> str:
    source, top = sql.members(name)
    touched = equal([f"{_RECORD}.top_{n}" for n, _ in enumerate(top)], top)
    number = f"{_RECORD}.record_number"
    numbered = f"{source} inner join {_RECORD} on {touched}"
    return _rows(publication, name, place, number, numbered, dialect)


def _left_behind(
    sql: RecordSql, publication: NodePublication, place: int, name: str, above: str, dialect: str
) -> str | None:
    """The rows below those of the article `above` that the session has taken out of every record.

    None where there can be none.
    """
    source = None if above == sql.record.top else sql.below(name, above, _LEFT)
    if source is None:
        return None
    top = sql.top(above, sql.parent(above, _LEFT))
    top_before = sql.top(above, sql.parent(above, _LEFT, _WAS_THERE), _WAS_THERE)
    is_left = [_WAS_THERE.format(row=_LEFT)]
    is_left.append(f"({' or '.join(f'{one} is null' for one in top)})")
    is_left += [f"{one} is not null" for one in top_before]
    rows = _rows(publication, name, place, str(_NO_RECORD), source, dialect)
    return f"{rows} where {' and '.join(is_left)}"


def _rows(
    publication: NodePublication, name: str, place: int, number: str, source: str, dialect: str
) -> str:
    article = publication.article(name)
    key = article.shape.primary_key
    row = equal(_columns("held", key), _columns(MEMBER, key))
    is_image = f"held.{quoted(key[0])} is not null and not {_IS_IN_SESSION}"
    return (
        f"select {number} as record_number, {place} as place,"
        f" {literal(name)} as article, {image_sql(article, dialect, MEMBER, key)} as key_image,"
        f" {MEMBER}.{LINEAGE} as lineage, {MEMBER}.{UNDECIDED} as undecided,"
        f" case when {is_image} then {image_sql(article, dialect, 'held')} end as row_image"
        f" from {source} left join {quoted(name)} held on {row}"
    )


def _named(key: tuple[str, ...]) -> str:
    return ", ".join(f"{column} as top_{number}" for number, column in enumerate(key))


def _columns(alias: str, names: tuple[str, ...]) -> list[str]:
    return [f"{alias}.{quoted(name)}" for name in names]
