"""Commands as simulated nodes take them: with typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from replication_conflicts.publication.commands import (
    BEHIND_BITS,
    SnapshotTable,
    fields_of_record,
    optional_text,
    texts,
)
from replication_conflicts.publication.publication import Publication
from replication_conflicts.publication.values import Key, Row, Texts


@dataclass(frozen=True)
class Command:
    """What one subscriber must do about one row; `row` None is a row that is gone.

    `addressee`: the subscriber that the command names; None: it is for all of them.
    """

    command_id: str
    subscriber: str
    kind: str
    addressee: str | None = None
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
    parameters: Texts | None = None

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
    fields = fields_of_record(record)
    article = publication.articles[fields["article"]] if fields["article"] else None
    key_texts, row_texts = record.get("key"), record.get("row")
    key = row = None
    if article is not None and isinstance(key_texts, Mapping):
        key = article.key_of(article.from_texts(key_texts))
    if article is not None and isinstance(row_texts, Mapping):
        row = article.from_texts(row_texts)
    return Command(
        **fields,
        subscriber=str(record["subscriber"]),
        addressee=optional_text(record.get("addressee")),
        origin=optional_text(record.get("origin")),
        transaction_id=optional_text(record.get("transaction_id")),
        key=key,
        row=row,
        parameters=texts(record.get("parameters")),
    )
