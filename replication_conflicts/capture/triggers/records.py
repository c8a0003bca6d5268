"""Logical records in SQL: the rows of a record, by the parents that stand beside each row.

A row leads to its record by its parents; where the parent is deleted, by what it last was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replication_conflicts.capture.triggers.words import Words
from replication_conflicts.database.articles import NodePublication
from replication_conflicts.database.images import quoted
from replication_conflicts.database.metadata import LINEAGE, PARENT, metadata_name, parent_names
from replication_conflicts.publication.publication import LogicalRecord

MEMBER = "member"


class RecordSql:
    """Queries about one logical record of a publication."""

    def __init__(self, words: Words, publication: NodePublication, record: LogicalRecord) -> None:
        self.record = record
        self._words = words
        self._publication = publication

    def top(self, article: str, columns: Sequence[str]) -> tuple[str, ...]:
        """The key of a row's top row; `columns` say which row is its parent (at the top: its key).

        Expressions that are NULL for a row that belongs to no record.
        """
        joins, key = self._ladder(article, columns)
        if joins:
            key = [f"(select {one} from (select 1) as one {joins})" for one in key]
        return tuple(key)

    def members(self, article: str, prefix: str = PARENT) -> tuple[str, tuple[str, ...]]:
        """A source of an article's rows, as `member`, and the key of their top row.

        `prefix` names the columns that say which row is the parent.
        """
        of = self._publication.article(article)
        columns = parent_names(of, prefix) or tuple(map(quoted, of.shape.primary_key))
        joins, key = self._ladder(article, [f"{MEMBER}.{one}" for one in columns])
        return f"{quoted(metadata_name(article))} {MEMBER} {joins}".rstrip(), tuple(key)

    def lineage(self, own: str, tops: Iterable[Sequence[str]]) -> str:
        """What is known of a row and of whole records: of every node the highest number."""
        sources = [f"{self._words.entries.format(lineage=own)} as entry"]
        entries = self._words.entries.format(lineage=f"{MEMBER}.{LINEAGE}")
        for top in dict.fromkeys(map(tuple, tops)):
            for article in self.record.articles:
                source, key = self.members(article)
                sources.append(f"{source} cross join {entries} as entry where {equal(key, top)}")
        known = " union all ".join(
            f"select entry.key as node, {self._words.entry_number} as number from {source}"
            for source in sources
        )
        return (
            f"(select {self._words.lineage} from (select node, max(number) as number"
            f" from ({known}) as entries group by node) as highest)"
        )

    def _ladder(self, article: str, columns: Sequence[str]) -> tuple[str, Sequence[str]]:
        """Joins from a row to its ancestors below the top, and the columns that name the top."""
        joins = []
        for number, step in enumerate(self.record.ancestry(article)[:-1], 1):
            parent = self._publication.article(step.parent)
            key = [f"up_{number}.{quoted(name)}" for name in parent.shape.primary_key]
            table = quoted(metadata_name(parent.name))
            joins.append(f"inner join {table} up_{number} on {equal(key, columns)}")
            columns = [f"up_{number}.{name}" for name in parent_names(parent)]
        return " ".join(joins), columns


def equal(left: Sequence[str], right: Sequence[str]) -> str:
    """Whether two rows of expressions are the same, and none of them is NULL."""
    return " and ".join(f"{one} = {other}" for one, other in zip(left, right, strict=True))
