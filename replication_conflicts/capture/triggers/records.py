"""Logical records in SQL: the rows of a record, by the parents that stand beside each row.

A row leads to its record by its parents; where the parent is deleted, by what it last was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replication_conflicts.capture.triggers.words import Words
from replication_conflicts.database.articles import NodePublication
from replication_conflicts.database.images import quoted
from replication_conflicts.database.metadata import (
    BEFORE_PARENT,
    LINEAGE,
    metadata_name,
    parent_names,
)
from replication_conflicts.publication.publication import LogicalRecord

MEMBER = "member"


class RecordSql:
    """Queries about one logical record of a publication."""

    def __init__(self, words: Words, publication: NodePublication, record: LogicalRecord) -> None:
        self.record = record
        self._words = words
        self._publication = publication

    def top(
        self, article: str, columns: Sequence[str], was_other: str | None = None
    ) -> tuple[str, ...]:
        """The key of a row's top row; `columns` say which row is its parent (at the top: its key).

        Expressions that are NULL for a row that belongs to no record. `was_other`: as in `members`.
        """
        joins, key = self._ladder(article, columns, was_other)
        if joins:
            key = [f"(select {one} from (select 1) as one {joins})" for one in key]
        return tuple(key)

    def members(self, article: str, was_other: str | None = None) -> tuple[str, tuple[str, ...]]:
        """A source of an article's rows, as `member`, and the key of their top row.

        `was_other`: whether the row of {row} had another parent before what is captured of it; the
        key is then that of the top row before that.
        """
        joins, key = self._ladder(article, self.parent(article, MEMBER, was_other), was_other)
        return f"{quoted(metadata_name(article))} {MEMBER} {joins}".rstrip(), tuple(key)

    def below(self, article: str, above: str, alias: str) -> str | None:
        """A source of an article's rows, as `member`, with the row of the article `above`, as
        `alias`, that they lead to; None if they lead to none of it.
        """
        joins: list[str] = []
        columns = self.parent(article, MEMBER)
        for step in self.record.ancestry(article):
            is_above = step.parent == above
            name = alias if is_above else f"up_{len(joins) + 1}"
            joins.append(self._step(step.parent, name, columns))
            if is_above:
                return f"{quoted(metadata_name(article))} {MEMBER} {' '.join(joins)}"
            columns = self.parent(step.parent, name)
        return None

    def parent(self, article: str, alias: str, was_other: str | None = None) -> list[str]:
        """What names a row's parent, at the top the row itself; `was_other`: as in `members`."""
        of = self._publication.article(article)
        parents = [f"{alias}.{name}" for name in parent_names(of)]
        if not parents:
            return [f"{alias}.{quoted(name)}" for name in of.shape.primary_key]
        if was_other is None:
            return parents
        earlier = [f"{alias}.{name}" for name in parent_names(of, BEFORE_PARENT)]
        return [
            f"case when {was_other.format(row=alias)} then {before} else {now} end"
            for before, now in zip(earlier, parents, strict=True)
        ]

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

    def _ladder(
        self, article: str, columns: Sequence[str], was_other: str | None = None
    ) -> tuple[str, Sequence[str]]:
        """Joins from a row to its ancestors below the top, and the columns that name the top."""
        joins = []
        for number, step in enumerate(self.record.ancestry(article)[:-1], 1):
            joins.append(self._step(step.parent, f"up_{number}", columns))
            columns = self.parent(step.parent, f"up_{number}", was_other)
        return " ".join(joins), columns

    def _step(self, parent: str, alias: str, columns: Sequence[str]) -> str:
        shape = self._publication.article(parent).shape
        key = [f"{alias}.{quoted(name)}" for name in shape.primary_key]
        return f"inner join {quoted(metadata_name(parent))} {alias} on {equal(key, columns)}"


def equal(left: Sequence[str], right: Sequence[str]) -> str:
    """Whether two rows of expressions are the same, and none of them is NULL."""
    return " and ".join(f"{one} = {other}" for one, other in zip(left, right, strict=True))
