"""Rows of the change feed: what nodes send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from replication_conflicts.publication.publication import Publication

QUEUE_POSITION = "queue_position"

# operations
INSERT = "insert"
UPDATE = "update"
DELETE = "delete"
# no change: a row as its node holds it, beside others of its logical record
IMAGE = "image"

# Columns of the feed beside the article's own, with their types in Spark SQL.
COMMON_COLUMNS = {
    "change_id": "string",
    QUEUE_POSITION: "bigint",
    "node": "string",
    "transaction_id": "string",
    "transaction_change_count": "int",
    "operation": "string",
    "changed_at": "timestamp",
}
QUEUED_COLUMNS = {"old_version": "string", "new_version": "string"}
MERGE_COLUMNS = {
    "lineage": "map<string,bigint>",
    "known_position": "bigint",
    "changed_columns": "array<string>",
    "previous_values": "map<string,string>",
    "priority": "decimal(5,2)",
}


def feed_columns(publication: Publication) -> dict[str, str]:
    """Name and type of every feed column beside the article's own."""
    return COMMON_COLUMNS | (MERGE_COLUMNS if publication.is_merge else QUEUED_COLUMNS)


@dataclass(frozen=True)
class FeedRow:
    """One row of an article's change feed; `values` may lack the queue position until delivery."""

    article: str
    values: Mapping[str, object]

    def at(self, position: int) -> FeedRow:
        """The row with its place in the queue, unless it brings one (or an explicit NULL)."""
        if QUEUE_POSITION in self.values:
            return self
        return FeedRow(self.article, {**self.values, QUEUE_POSITION: position})
