"""Sessions that no simulated node sends: without lineages, twice the same row, out of contract."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.publication import Publication
from tests.python.strategies.merge_publication import value_of


@dataclass(frozen=True)
class RawSession:
    """One session; its rows may be about the same key, and images of rows that nobody holds."""

    random: Random
    publication: Publication
    keys: int
    number: int

    def rows(
        self, node: str, known_position: int, clock: datetime, misbehaves: bool
    ) -> list[FeedRow]:
        """Its rows, as they enter the queue."""
        count = self.random.choice((1, 1, 2, 3, 4))
        common = {
            "node": node,
            "transaction_id": f"raw-session-{self.number}",
            "transaction_change_count": count,
            "changed_at": clock,
            "known_position": known_position,
        }
        return [self._row(place, common, misbehaves) for place in range(count)]

    def _row(self, place: int, common: dict[str, Any], misbehaves: bool) -> FeedRow:
        random = self.random
        article = random.choice(list(self.publication.articles.values()))
        columns = list(article.other_columns)
        operations = ["insert", "update", "update", "delete"]
        if self.publication.record_of(article.name):
            operations.append("image")
        row = {
            **common,
            "change_id": f"raw-{self.number}-{place}",
            "operation": random.choice(operations),
            "changed_columns": random.choice((None, random.sample(columns, 2))),
            **{column: value_of(random, column, self.keys) for column in columns},
            article.primary_key[0]: random.randrange(self.keys),
        }
        if misbehaves and random.random() < 0.4:
            row |= random.choice(self._faults(article.primary_key[0], common["changed_at"]))
        return FeedRow(article.name, row)

    def _faults(self, key: str, clock: datetime) -> list[dict[str, Any]]:
        return [
            {"known_position": None},
            {"node": "nobody"},
            {"operation": "merge"},
            {"changed_columns": ["nothing"]},
            {"lineage": {"HQ": 3}},
            {"changed_at": clock - timedelta(days=40)},
            {"change_id": f"raw-{max(1, self.number - 1)}-0"},
            {key: None},
        ]
