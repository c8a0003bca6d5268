"""Statements that carry a command to a subscriber's database, one per article, operation and
dialect.

A statement says itself when it may act: an update or delete only where the row still has the
version that the command names, an insert only where there is no row (commands of queued updating
and merge).
"""

from replication_conflicts.statements.articles import VERSION_COLUMN, ArticleShape, article_shapes
from replication_conflicts.statements.rendering import (
    DIALECTS,
    NEW_VERSION,
    OLD_VERSION,
    OPERATIONS,
    Statement,
    parameter_name,
    statements,
)

__all__ = [
    "DIALECTS",
    "NEW_VERSION",
    "OLD_VERSION",
    "OPERATIONS",
    "VERSION_COLUMN",
    "ArticleShape",
    "Statement",
    "article_shapes",
    "parameter_name",
    "statements",
]
