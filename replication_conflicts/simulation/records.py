"""Logical records at a node: which rows belong together, and what a node knows of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from replication_conflicts.publication.publication import LogicalRecord, Publication
from replication_conflicts.publication.sessions import with_record
from replication_conflicts.publication.values import Key, Row
from replication_conflicts.simulation.node import Held, RowName

NOTHING: Mapping[RowName, Row | None] = MappingProxyType({})


@dataclass(frozen=True)
class Deleted:
    """What a node keeps of a deleted row: its last values and what the node knows of it."""

    row: Row | None
    lineage: Mapping[str, int]


class RecordRows:
    """The records of the rows that a simulated node holds, and of those it knows to be deleted."""

    def __init__(
        self,
        publication: Publication,
        rows: Mapping[str, Mapping[Key, Held]],
        deleted: Mapping[str, Mapping[Key, Deleted]],
    ) -> None:
        self._publication = publication
        self._rows = rows
        self._deleted = deleted

    def lineage(
        self, node: str, article: str, rows: Sequence[Row], lineage: Mapping[str, int]
    ) -> dict[str, int]:
        """What a node knows of a row, and with detection of the records of its states `rows`."""
        record = self._publication.record_of(article)
        if record is None or not record.detection:
            return dict(lineage)
        tops = [self.top_key(record, article, row) for row in rows]
        return with_record(
            node,
            lineage,
            (
                self.known_lineage(*name)
                for top in tops
                if top is not None
                for name in self.members(record, top, deleted=True)
            ),
        )

    def known_lineage(self, article: str, key: Key) -> Mapping[str, int]:
        """What is known of one row by itself."""
        held = self._rows[article].get(key)
        deleted = self._deleted[article].get(key)
        return held.lineage if held else deleted.lineage if deleted else {}

    def members(self, record: LogicalRecord, top: Key, deleted: bool) -> list[RowName]:
        """The rows of a record, with those that are deleted or without."""
        names: list[RowName] = []
        for article in record.articles:
            keys = list(self._rows[article])
            if deleted:
                keys += [key for key in self._deleted[article] if key not in self._rows[article]]
            for key in keys:
                if self.top_key(record, article, self.last_row(article, key)) == top:
                    names.append((article, key))
        return names

    def below(self, record: LogicalRecord, name: RowName) -> list[RowName]:
        """The rows that the node holds which lead to a row of a record, from however far down."""
        return [
            (article, key)
            for article in record.articles
            for key, held in self._rows[article].items()
            if name in self._above(record, article, held.row)
        ]

    def _above(self, record: LogicalRecord, article: str, row: Row) -> Iterator[RowName]:
        above: Row | None = row
        for step in record.ancestry(article):
            if above is None:
                return
            key = tuple(above[name] for name in step.columns)
            yield (step.parent, key)
            above = self.last_row(step.parent, key)

    def top_key(
        self,
        record: LogicalRecord,
        article: str,
        row: Row | None,
        earlier: Mapping[RowName, Row | None] = NOTHING,
    ) -> Key | None:
        """The key of the record's top row; None for a row that belongs to no record.

        `earlier`: rows above it that count as they were then; the others as the node has them.
        """
        if row is None:
            return None
        key: Key = self._publication.articles[article].key_of(row)
        for step in record.ancestry(article):
            if row is None:
                return None
            key = tuple(row[name] for name in step.columns)
            if any(value is None for value in key):
                return None
            row = earlier.get((step.parent, key)) or self.last_row(step.parent, key)
        return key

    def last_row(self, article: str, key: Key) -> Row | None:
        """The row as the node holds it, or as it was when it was deleted."""
        held = self._rows[article].get(key)
        if held is not None:
            return held.row
        deleted = self._deleted[article].get(key)
        return deleted.row if deleted else None
