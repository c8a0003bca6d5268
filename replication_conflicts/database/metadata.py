"""Names of what a merge subscriber keeps beside an article: versions and lineages by key."""

from __future__ import annotations

import hashlib

from replication_conflicts.database.articles import NodeArticle
from replication_conflicts.statements import ArticleShape

VERSION = "replication_version"
LINEAGE = "replication_lineage"
# what the row's last uploaded change knew of its record, until commands say what became of it
UNDECIDED = "replication_undecided"
# the row's parent in its logical record: the row that it names, or last named
PARENT = "replication_parent"
# the parent before the net change; of an insert, what was known of an earlier row of that key
BEFORE_PARENT = "replication_before_parent"
# no row: a deleted one whose lineage is kept, or one that never was
NO_ROW = ""
_LONGEST_NAME = 63


def metadata_name(article: str) -> str:
    """The table beside an article."""
    return short_name(f"replication_row_{article}")


def short_name(name: str) -> str:
    """PostgreSQL cuts names at 63 bytes, and two of them could become one."""
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    digest = hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()
    return f"{name.encode()[:30].decode(errors='ignore')}_{digest}"


def parent_names(article: NodeArticle, prefix: str = PARENT) -> tuple[str, ...]:
    """Columns that hold a row's parent in its logical record, also when the row is deleted."""
    return tuple(f"{prefix}_{number}" for number, _ in enumerate(article.parent_columns, 1))


def metadata_shape(article: NodeArticle, *, is_deleting: bool = False) -> ArticleShape:
    """That table as an article's, so that it takes the same conditional statements.

    What is deleted keeps its place in its logical record.
    """
    shape = article.shape
    parents = (
        {} if is_deleting else dict(zip(parent_names(article), article.parent_columns, strict=True))
    )
    return ArticleShape(
        shape.publication,
        metadata_name(article.name),
        {
            **{name: shape.columns[name] for name in shape.primary_key},
            **{name: shape.columns[column] for name, column in parents.items()},
            LINEAGE: "string",
            UNDECIDED: "string",
        },
        shape.primary_key,
        VERSION,
    )
