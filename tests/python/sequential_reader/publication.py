"""The configuration of a publication, as the sequential reader understands it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.python.sequential_reader.records import Key, Row
from tests.python.sequential_reader.subscriptions import Subscription

Check = Callable[[Row], bool | None]
"""A check of an article (True or None passes) or a row filter (only True is inside)."""


@dataclass(frozen=True)
class ForeignKey:
    """`columns` of the child name the row of `parent` whose columns `to` have the same values."""

    columns: tuple[str, ...]
    parent: str
    to: tuple[str, ...]


@dataclass(frozen=True)
class Resolver:
    """Who decides about the conflicts of an article, by a column where it needs one."""

    name: str = "priority"
    column: str = ""
    separator: str = ""


@dataclass(frozen=True)
class LogicalRecord:
    """Articles that form one record: per member its parent, and the columns that name it."""

    top: str
    members: dict[str, tuple[str, tuple[str, ...]]]
    detection: bool
    resolution: bool

    @property
    def articles(self) -> tuple[str, ...]:
        """The top article and all members."""
        return (self.top, *self.members)


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
    tracking: str = "row"
    resolver: Resolver = Resolver()
    ignore_equal_values: bool = False
    compensate_for_errors: bool = False
    row_filters: Mapping[str, Check] = field(default_factory=dict)
    """Per subscriber the rows of its partition; no entry: all rows."""

    @property
    def is_column_tracked(self) -> bool:
        """Whether changes of different columns are merged."""
        return self.tracking == "column"

    @property
    def is_downloaded(self) -> bool:
        """Whether subscribers get what others changed."""
        return self.resolver.name != "upload_only"

    def is_inside(self, subscriber: str, row: Row) -> bool:
        """Whether a row lies in the subscriber's partition; a filter that gives NULL is outside."""
        row_filter = self.row_filters.get(subscriber)
        return row_filter is None or row_filter(row) is True

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
    conflict_retention_days: float
    articles: dict[str, Article] = field(default_factory=dict)
    logical_records: tuple[LogicalRecord, ...] = ()
    subscriptions: Mapping[str, Subscription] = field(default_factory=dict)

    @property
    def is_merge(self) -> bool:
        """Merge replication; else queued updating."""
        return self.replication == "merge"

    @property
    def own_node(self) -> str:
        """The node under which the versions count that a run makes itself."""
        return f"{self.publisher}*"

    def record_of(self, article: str) -> LogicalRecord | None:
        """The logical record that an article belongs to."""
        return next((one for one in self.logical_records if article in one.articles), None)

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
        record = self.record_of(article)
        if record and article in record.members:
            parents.add(record.members[article][0])
        return max((1 + self._depth(parent, below | {article}) for parent in parents), default=0)


def read_publication(
    name: str,
    configuration: Mapping[str, Any],
    checks: Mapping[str, list[Check]] | None = None,
    row_filters: Mapping[str, Mapping[str, Check]] | None = None,
) -> Publication:
    """Read the configuration in the form of `vars: publications:` in dbt_project.yml.

    Check expressions and row filters are SQL there and cannot be evaluated here: the caller gives
    them as Python callables, per article (and subscriber).
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
            tracking=options.get("tracking", "row"),
            resolver=Resolver(**(options.get("resolver") or {})),
            ignore_equal_values=bool(options.get("ignore_equal_values")),
            compensate_for_errors=bool(options.get("compensate_for_errors")),
            row_filters=(row_filters or {}).get(article, {}),
        )
    return Publication(
        name=name,
        replication=configuration["replication"],
        policy=configuration.get("policy") or "publisher_wins",
        publisher=configuration["publisher"],
        retention_days=configuration.get("retention_days", 14),
        conflict_retention_days=configuration.get("conflict_retention_days", 14),
        articles=articles,
        logical_records=tuple(
            LogicalRecord(
                top=record["top"],
                members={
                    member: (one["parent"], tuple(one["columns"]))
                    for member, one in record["members"].items()
                },
                detection=bool(record.get("detection")),
                resolution=bool(record.get("resolution")),
            )
            for record in configuration.get("logical_records") or []
        ),
    )
