"""Commands to a subscriber, as the view `subscriber_commands` gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from replication_conflicts.nodes.publication import Publication
from replication_conflicts.nodes.values import Key, Row

REPLICATED = "replicated"
COMPENSATING = "compensating"
REINITIALIZE = "reinitialize"
NOT_APPLIED = "not_applied"
LOG_CONFLICT = "log_conflict"

# from this bit on, `sequence` counts what acts behind a position of the queue; below, the commands
BEHIND_BITS = 32


@dataclass(frozen=True)
class SnapshotTable:
    """A table of a snapshot: the relation, and its Delta version to read."""

    article: str
    relation: str
    table_version: int


@dataclass(frozen=True)
class Command:
    """What one subscriber must do about one row; `row` None is a row that is gone."""

    command_id: str
    subscriber: str
    kind: str
    queue_position: int = 0
    sequence: int = 0
    origin: str | None = None
    transaction_id: str | None = None
    article: str | None = None
    operation: str | None = None
    key: Key | None = None
    row: Row | None = None
    old_version: str | None = None
    new_version: str | None = None
    lineage: Mapping[str, int] = field(default_factory=dict)
    cause: str | None = None
    snapshot: tuple[SnapshotTable, ...] = ()
    snapshot_position: int | None = None

    @property
    def order(self) -> tuple[int, int]:
        """Commands act in this order."""
        return (self.queue_position, self.sequence)

    @property
    def behind(self) -> int:
        """0: what the queue has at its place; else a decision or a report that acts behind it."""
        return self.sequence >> BEHIND_BITS

    @property
    def row_name(self) -> tuple[str, Key]:
        """Article and key of the row that the command is about."""
        if self.article is None or self.key is None:
            raise ValueError(f"command {self.command_id} ({self.kind}) is about no row")
        return (self.article, self.key)


def command_from_record(publication: Publication, record: Mapping[str, object]) -> Command:
    """A command from a row of `subscriber_commands`; maps of canonical text become values."""
    article_name = _optional_text(record.get("article"))
    article = publication.articles[article_name] if article_name else None
    key_texts, row_texts = record.get("key"), record.get("row")
    key = row = None
    if article is not None and isinstance(key_texts, Mapping):
        key = article.key_of(article.from_texts(key_texts))
    if article is not None and isinstance(row_texts, Mapping):
        row = article.from_texts(row_texts)
    return Command(
        command_id=str(record["command_id"]),
        subscriber=str(record["subscriber"]),
        kind=str(record["kind"]),
        queue_position=_number(record.get("queue_position")) or 0,
        sequence=_number(record.get("sequence")) or 0,
        origin=_optional_text(record.get("origin")),
        transaction_id=_optional_text(record.get("transaction_id")),
        article=article_name,
        operation=_optional_text(record.get("operation")),
        key=key,
        row=row,
        old_version=_optional_text(record.get("old_version")),
        new_version=_optional_text(record.get("new_version")),
        lineage=_lineage(record.get("lineage")),
        cause=_optional_text(record.get("cause")),
        snapshot=_snapshot(record.get("snapshot")),
        snapshot_position=_number(record.get("snapshot_position")),
    )


def _optional_text(value: object) -> str | None:
    return None if value is None else str(value)


def _number(value: object) -> int | None:
    return None if value is None else int(str(value))


def _lineage(value: object) -> dict[str, int]:
    return (
        {str(node): int(number) for node, number in value.items()}
        if isinstance(value, Mapping)
        else {}
    )


def _snapshot(value: object) -> tuple[SnapshotTable, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    return tuple(
        SnapshotTable(str(one["article"]), str(one["relation"]), int(one["table_version"]))
        for one in value
    )
