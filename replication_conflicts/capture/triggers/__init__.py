"""The triggers that capture changes, as statements for a database."""

from __future__ import annotations

from replication_conflicts.capture.triggers import (
    postgres_merge,
    postgres_queued,
    sqlite_merge,
    sqlite_queued,
)
from replication_conflicts.capture.triggers.sqlite_unique import Uniqueness
from replication_conflicts.capture.triggers.words import Words
from replication_conflicts.database.articles import NodeArticle, NodePublication


def triggers_for(
    dialect: str,
    publication: NodePublication,
    node: str,
    article: NodeArticle,
    unique: Uniqueness,
) -> tuple[str, ...]:
    """The triggers of one article; `unique` is what else is unique in its table (SQLite)."""
    if dialect == "sqlite":
        if publication.is_merge:
            return sqlite_merge.create(publication, node, article, unique)
        return sqlite_queued.create(publication.name, article, unique)
    if publication.is_merge:
        return postgres_merge.create(publication, node, article)
    return postgres_queued.create(publication.name, article)


def no_triggers(dialect: str, article: str) -> tuple[str, ...]:
    """Statements that take an article's triggers away, whatever the publication has become."""
    return sqlite_merge.drop(article) if dialect == "sqlite" else postgres_queued.drop(article)


def trigger_names(dialect: str, article: str, *, is_merge: bool) -> frozenset[str]:
    """The triggers that every article has, as the database's catalog has their names."""
    if dialect == "postgres":
        return frozenset(postgres_queued.plain_names(article))
    events = sqlite_merge.EVENTS if is_merge else sqlite_queued.EVENTS
    return frozenset(sqlite_queued.plain_name(article, event) for event in events)


def own_triggers(dialect: str, article: str, *, is_merge: bool) -> frozenset[str]:
    """The same, and those that only some tables need."""
    needed = trigger_names(dialect, article, is_merge=is_merge)
    if dialect == "postgres":
        return needed
    return needed | {sqlite_queued.plain_name(article, sqlite_queued.AFTER_OTHER_UPDATE)}


def merge_words(dialect: str, publication: str) -> Words:
    """What a database says differently in the triggers of merge replication."""
    if dialect == "sqlite":
        return sqlite_merge.words(publication)
    return postgres_merge.words(publication)
