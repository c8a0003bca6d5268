"""Net changes of merge replication: what a node's changes since its last upload come to, by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from replication_conflicts.publication.feed import DELETE, UPDATE, FeedRow
from replication_conflicts.publication.publication import Article
from replication_conflicts.publication.values import Key, Row
from replication_conflicts.simulation.commands import Command
from replication_conflicts.simulation.node import ChangeReference, PlannedChange, RowName
from replication_conflicts.simulation.records import Deleted


@dataclass
class NetChange:
    """One row's net change since the node's last upload.

    The version number and the lineage are those of its first change; `base` is the row before it.
    `changed` None stands for all columns.
    """

    article: Article
    key: Key
    operation: str
    number: int
    version: str
    lineage: Mapping[str, int]
    base: Row | None
    before: Deleted | None
    priority: Decimal | None
    changed_at: datetime
    changed: set[str] | None
    references: list[ChangeReference] = field(default_factory=list)
    passed_over: list[Command] = field(default_factory=list)

    @property
    def name(self) -> RowName:
        """The article and key."""
        return (self.article.name, self.key)

    @property
    def changed_columns(self) -> list[str] | None:
        """The changed columns by name, as the feed has them; None stands for all."""
        return None if self.changed is None else sorted(self.changed)

    @property
    def previous_values(self) -> dict[str, str | None] | None:
        """Of an update the changed columns before it, as canonical text; else None."""
        if self.operation != UPDATE or self.base is None:
            return None
        names = self.article.other_columns if self.changed is None else sorted(self.changed)
        return self.article.to_texts({name: self.base[name] for name in names})

    def add(self, planned: PlannedChange, at: datetime) -> None:
        """A later change of the row becomes part of this one.

        A delete of what this change has inserted leaves no net change at all: that is the node's
        to see.
        """
        self.changed_at = at
        if planned.operation == DELETE:
            self.operation, self.changed = DELETE, None
        elif self.operation == DELETE:
            self.operation, self.changed = UPDATE, None
        elif self.operation == UPDATE and self.changed is not None:
            self.changed |= set(planned.changed)


@dataclass(frozen=True)
class UndecidedChange:
    """What a row's last uploaded change knew, of which no command has said what became of it.

    `version`: None after a delete, for what is decided about that leads from no row, or to none.
    """

    version: str | None
    lineage: Mapping[str, int]


@dataclass(frozen=True)
class UploadedChange:
    """A net change as it was uploaded, in case that it has to be uploaded again.

    `base`: its row before it; `touches`: how often that had been changed until then.
    """

    row: FeedRow
    name: RowName
    base: Row | None
    touches: int
    references: tuple[ChangeReference, ...]
