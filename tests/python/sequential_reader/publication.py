"""The configuration of a publication, as the sequential reader understands it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.python.sequential_reader.records import Key, Row

Check = Callable[[Row], bool | None]
"""A check of an article: True or None passes, False fails."""


@dataclass(frozen=True)
class ForeignKey:
    """`columns` of the child name the row of `parent` whose columns `to` have the same values."""

    columns: tuple[str, ...]
    parent: str
    to: tuple[str, ...]


@dataclass(frozen=True)
class Article:
    """One published table."""

    name: str
    columns: dict[str, str]
    primary_key: tuple[str, ...]
    foreign_keys: tuple[ForeignKey, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    not_null: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    conflict_logging: str = "both"

    def key_of(self, row: Mapping[str, Any]) -> Key:
        """The primary key of a row or of a feed row; a column that is missing is NULL."""
        return tuple(row.get(column) for column in self.primary_key)

    def row_of(self, feed_row: Mapping[str, Any]) -> Row:
        """The article's own columns of a feed row, every one of them."""
        return {column: feed_row.get(column) for column in self.columns}


@dataclass(frozen=True)
class Publication:
    """A named set of articles with its rules."""

    name: str
    replication: str
    policy: str
    publisher: str
    retention_days: float
    articles: dict[str, Article] = field(default_factory=dict)

    def depth(self, article: str) -> int:
        """How far an article is from its topmost parent: the longest path of foreign keys upwards.

        An article that refers to itself is no deeper for that.
        """
        return self._depth(article, frozenset())

    def _depth(self, article: str, below: frozenset[str]) -> int:
        parents = {
            foreign_key.parent
            for foreign_key in self.articles[article].foreign_keys
            if foreign_key.parent != article and foreign_key.parent not in below
        }
        return max((1 + self._depth(parent, below | {article}) for parent in parents), default=0)


def read_publication(
    name: str,
    configuration: Mapping[str, Any],
    checks: Mapping[str, list[Check]] | None = None,
) -> Publication:
    """Read the configuration in the form of `vars: publications:` in dbt_project.yml.

    Check expressions are SQL there and cannot be evaluated here: the caller gives them as Python
    callables, per article.
    """
    articles = {}
    for article, options in configuration["articles"].items():
        articles[article] = Article(
            name=article,
            columns=dict(options["columns"]),
            primary_key=tuple(options["primary_key"]),
            foreign_keys=tuple(
                ForeignKey(tuple(key["columns"]), key["references"], tuple(key["to"]))
                for key in options.get("foreign_keys") or []
            ),
            unique=tuple(tuple(columns) for columns in options.get("unique") or []),
            not_null=tuple(options.get("not_null") or []),
            checks=tuple((checks or {}).get(article, [])),
            conflict_logging=options.get("conflict_logging", "both"),
        )
    return Publication(
        name=name,
        replication=configuration["replication"],
        policy=configuration.get("policy") or "publisher_wins",
        publisher=configuration["publisher"],
        retention_days=configuration.get("retention_days", 14),
        articles=articles,
    )
