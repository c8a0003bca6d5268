"""A delivery as a file: one JSON object a line, values as canonical text. The same workload gives
the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from replication_conflicts.lakehouse.tables import feed_table_columns, initial_table_columns
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.publication import Publication
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.publication.values import Value, parse_type

VERSION_COLUMN = "row_version"


def write_feed(file: Path, publication: Publication, rows: Iterable[FeedRow]) -> None:
    """Write rows of change feeds, in order; the folder is made where it is missing."""
    _write(file, ((row.article, row.values, _feed_types(publication, row.article)) for row in rows))


def read_feed(file: Path, publication: Publication) -> list[FeedRow]:
    """The rows that `write_feed` wrote, typed. A place in the queue that was left out stays left
    out.
    """
    return [
        FeedRow(article, _typed(values, _feed_types(publication, article)))
        for article, values in _read(file)
    ]


def write_rows(file: Path, publication: Publication, rows: Iterable[StoredRow]) -> None:
    """Write rows of an initial snapshot."""
    _write(
        file,
        (
            (
                stored.article,
                {**stored.row, VERSION_COLUMN: stored.version},
                _row_types(publication, stored.article),
            )
            for stored in rows
        ),
    )


def read_rows(file: Path, publication: Publication) -> list[StoredRow]:
    """The rows that `write_rows` wrote."""
    rows = []
    for article, values in _read(file):
        typed = _typed(values, _row_types(publication, article))
        version = str(typed.pop(VERSION_COLUMN))
        rows.append(StoredRow(article, typed, version))
    return rows


def _feed_types(publication: Publication, article: str) -> dict[str, str]:
    return feed_table_columns(publication, publication.articles[article])


def _row_types(publication: Publication, article: str) -> dict[str, str]:
    return initial_table_columns(publication.articles[article])


def _write(file: Path, rows: Iterable[tuple[str, Mapping[str, object], dict[str, str]]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="\n") as out:
        for article, values, types in rows:
            texts = {
                name: parse_type(types[name]).to_text(value)  # type: ignore[arg-type]
                for name, value in values.items()
            }
            out.write(json.dumps({"article": article, "values": texts}, ensure_ascii=False) + "\n")


def _read(file: Path) -> Iterator[tuple[str, dict[str, str | None]]]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            yield entry["article"], entry["values"]


def _typed(texts: Mapping[str, str | None], types: Mapping[str, str]) -> dict[str, Value]:
    return {name: parse_type(types[name]).from_text(text) for name, text in texts.items()}
