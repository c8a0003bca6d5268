"""A publication as a node's database has it: the articles with their statements and types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from replication_conflicts.publication.configuration import (
    ConfigurationProblem,
    publication_settings,
)
from replication_conflicts.publication.publication import Publication, publication_from_vars
from replication_conflicts.publication.values import ColumnType, ValueProblem
from replication_conflicts.statements import ArticleShape, article_shapes


@dataclass(frozen=True)
class NodeArticle:
    """One published table: `depth` counts how far it stands below its topmost parent.

    `parent_columns` name the parent row in a logical record with detection or resolution.
    """

    shape: ArticleShape
    kinds: Mapping[str, ColumnType]
    depth: int
    parent_columns: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The table's name."""
        return self.shape.name


@dataclass(frozen=True)
class NodePublication:
    """A publication; `articles` go parents first."""

    name: str
    options: Publication
    articles: Mapping[str, NodeArticle]

    @property
    def is_merge(self) -> bool:
        """Whether nodes send net changes with lineages; else versions and transactions."""
        return self.options.is_merge

    def article(self, name: str | None) -> NodeArticle:
        """Errors: ConfigurationProblem when the publication has no such article."""
        if name is None or name not in self.articles:
            known = ", ".join(self.articles)
            raise ConfigurationProblem(
                f"publication '{self.name}' has no article '{name}', only: {known}"
            )
        return self.articles[name]


def node_publication(name: str, publications: Mapping[str, Any]) -> NodePublication:
    """A publication from vars: publications:. Errors: ConfigurationProblem."""
    settings = publication_settings(publications, name)
    try:
        options = publication_from_vars(name, settings)
    except ValueProblem as error:
        raise ConfigurationProblem(f"publication '{name}': {error}") from error
    try:
        shapes = {shape.name: shape for shape in article_shapes({name: settings})}
    except ValueError as error:
        raise ConfigurationProblem(str(error)) from error
    ordered = sorted(shapes, key=lambda article: (options.depth(article), article))
    articles = {
        article: NodeArticle(
            shapes[article],
            options.articles[article].columns,
            options.depth(article),
            _parent_columns(options, article),
        )
        for article in ordered
    }
    return NodePublication(name, options, articles)


def _parent_columns(options: Publication, article: str) -> tuple[str, ...]:
    record = options.record_of(article)
    if record is None or not record.is_by_record or article == record.top:
        return ()
    return record.members[article].columns
