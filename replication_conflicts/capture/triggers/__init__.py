"""The triggers that capture changes, as statements for a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replication_conflicts.capture.triggers import (
    postgres_merge,
    postgres_queued,
    sqlite_merge,
    sqlite_queued,
)
from replication_conflicts.capture.triggers.words import Words
from replication_conflicts.distribution.articles import NodeArticle, NodePublication


@dataclass(frozen=True)
class Ddl:
    """Statements that create, and statements that take away again what they created."""

    create: tuple[str, ...]
    drop: tuple[str, ...]


def triggers_for(
    dialect: str,
    publication: NodePublication,
    node: str,
    article: NodeArticle,
    unique_keys: Sequence[Sequence[str]] = (),
) -> Ddl:
    """The triggers of one article; `unique_keys` are its unique indexes beside the key."""
    name = publication.name
    if dialect == "sqlite":
        if publication.is_merge:
            return Ddl(
                sqlite_merge.create(publication, node, article, unique_keys),
                sqlite_merge.drop(article),
            )
        return Ddl(sqlite_queued.create(name, article, unique_keys), sqlite_queued.drop(article))
    if publication.is_merge:
        return Ddl(postgres_merge.create(publication, node, article), postgres_queued.drop(article))
    return Ddl(postgres_queued.create(name, article), postgres_queued.drop(article))


def merge_words(dialect: str, publication: str) -> Words:
    """What a database says differently in the triggers of merge replication."""
    if dialect == "sqlite":
        return sqlite_merge.words(publication)
    return postgres_merge.words(publication)
