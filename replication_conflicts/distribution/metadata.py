"""Names of what a merge subscriber keeps beside an article: versions and lineages by key."""

from __future__ import annotations

from replication_conflicts.distribution.articles import NodeArticle
from replication_conflicts.statements import ArticleShape

VERSION = "replication_version"
LINEAGE = "replication_lineage"
# no row: a deleted one whose lineage is kept, or one that never was
NO_ROW = ""


def metadata_name(article: str) -> str:
    """The table beside an article."""
    return f"replication_row_{article}"


def metadata_shape(article: NodeArticle) -> ArticleShape:
    """That table as an article's, so that it takes the same conditional statements."""
    shape = article.shape
    return ArticleShape(
        shape.publication,
        metadata_name(article.name),
        {**{name: shape.columns[name] for name in shape.primary_key}, LINEAGE: "string"},
        shape.primary_key,
        VERSION,
    )
