"""Rows as tables of the lakehouse deliver them, with their versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from replication_conflicts.publication.values import Row, Texts


@dataclass(frozen=True)
class StoredRow:
    """Typed values: an initial row, a published row or a row of a snapshot."""

    article: str
    row: Row
    version: str
    lineage: Mapping[str, int] = field(default_factory=dict)
    is_deleted: bool = False


@dataclass(frozen=True)
class SnapshotRow:
    """Canonical text: a row of a snapshot; `lineage` is what it knows, in merge replication."""

    article: str
    row: Texts
    version: str
    lineage: Mapping[str, int]
