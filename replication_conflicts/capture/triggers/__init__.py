"""The triggers that capture changes, as statements for a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replication_conflicts.capture.triggers import postgres_queued, sqlite_queued
from replication_conflicts.distribution.articles import NodeArticle


@dataclass(frozen=True)
class Ddl:
    """Statements that create, and statements that take away again what they created."""

    create: tuple[str, ...]
    drop: tuple[str, ...]


def queued_triggers(
    dialect: str, publication: str, article: NodeArticle, unique_keys: Sequence[Sequence[str]]
) -> Ddl:
    """The triggers of one article; `unique_keys` are its unique indexes beside the key."""
    if dialect == "sqlite":
        return Ddl(
            sqlite_queued.create(publication, article, unique_keys), sqlite_queued.drop(article)
        )
    return Ddl(postgres_queued.create(publication, article), postgres_queued.drop(article))
