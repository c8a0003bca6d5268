"""What a node must know of a publication: its articles, their keys and their records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from replication_conflicts.publication.configuration import ConfigurationProblem
from replication_conflicts.publication.values import (
    ColumnType,
    Key,
    Row,
    Value,
    ValueProblem,
    join_key_texts,
    parse_type,
    split_key_text,
)

DEFAULT_PRIORITY = Decimal("75.00")
# of a subscription; it lies below the publisher's
HIGHEST_PRIORITY = Decimal("99.99")
# of queued updating; the first is the default
POLICIES = ("publisher_wins", "publisher_wins_reinitialize", "subscriber_wins")


@dataclass(frozen=True)
class ForeignKey:
    """Columns of an article that name a row of another one."""

    columns: tuple[str, ...]
    references: str
    to: tuple[str, ...]


@dataclass(frozen=True)
class Article:
    """A table of a publication.

    `row_filters`: which part of the rows a subscriber gets, by its name, as Spark SQL.
    `has_initial_rows`: nodes begin with rows that no change has made.
    """

    name: str
    columns: Mapping[str, ColumnType]
    primary_key: tuple[str, ...]
    foreign_keys: tuple[ForeignKey, ...] = ()
    row_filters: Mapping[str, str] = field(default_factory=dict)
    has_initial_rows: bool = False

    @property
    def other_columns(self) -> tuple[str, ...]:
        """The columns outside the primary key."""
        return tuple(name for name in self.columns if name not in self.primary_key)

    def key_of(self, row: Mapping[str, Value]) -> Key:
        """The key values of a row, in the order of the primary key."""
        return tuple(row[name] for name in self.primary_key)

    def key_row(self, key: Key) -> Row:
        """A key as a row that holds the key columns only."""
        return dict(zip(self.primary_key, key, strict=True))

    def key_text(self, key: Key) -> str:
        """A key as the pipeline's `row_key`."""
        return join_key_texts(
            self.columns[name].to_text(value)
            for name, value in zip(self.primary_key, key, strict=True)
        )

    def key_from_text(self, text: str) -> Key:
        """The key of a `row_key`."""
        parts = split_key_text(text)
        return tuple(
            self.columns[name].from_text(part)
            for name, part in zip(self.primary_key, parts, strict=True)
        )

    def row(self, values: Mapping[str, object]) -> Row:
        """A whole row of typed values; what is not named is NULL. Errors: ValueProblem."""
        self.check_columns(values)
        return {name: kind.coerce(values.get(name)) for name, kind in self.columns.items()}

    def part(self, values: Mapping[str, object]) -> Row:
        """Typed values of the named columns only. Errors: ValueProblem."""
        self.check_columns(values)
        return {name: self.columns[name].coerce(value) for name, value in values.items()}

    def check_columns(self, values: Mapping[str, object]) -> None:
        """Errors: ValueProblem when a name is no column of the article."""
        for name in values:
            if name not in self.columns:
                known = ", ".join(self.columns)
                raise ValueProblem(f"article {self.name!r} has no column {name!r}, only: {known}")

    def to_texts(self, row: Mapping[str, Value]) -> dict[str, str | None]:
        """Canonical texts of the named columns."""
        return {name: self.columns[name].to_text(value) for name, value in row.items()}

    def from_texts(self, texts: Mapping[str, str | None]) -> Row:
        """Typed values of canonical texts; what is no column of the article is left out."""
        return {
            name: kind.from_text(texts[name])
            for name, kind in self.columns.items()
            if name in texts
        }


@dataclass(frozen=True)
class Member:
    """An article of a logical record below its top: the parent, and the columns that name it."""

    parent: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class LogicalRecord:
    """Articles that form one record, with the two options of merge replication."""

    top: str
    members: Mapping[str, Member]
    detection: bool = False
    resolution: bool = False

    @property
    def articles(self) -> tuple[str, ...]:
        """The top article and all members."""
        return (self.top, *self.members)

    @property
    def is_by_record(self) -> bool:
        """Whether changes are more than changes of single rows."""
        return self.detection or self.resolution

    def ancestry(self, article: str) -> tuple[Member, ...]:
        """The steps from an article up to the top, whose columns name the next row; none there."""
        steps: list[Member] = []
        while article != self.top:
            steps.append(self.members[article])
            article = steps[-1].parent
        return tuple(steps)


@dataclass(frozen=True)
class Publication:
    """A named set of articles, as far as nodes need it."""

    name: str
    replication: str
    publisher: str
    articles: Mapping[str, Article]
    logical_records: tuple[LogicalRecord, ...] = field(default=())

    @property
    def has_row_filters(self) -> bool:
        """Whether an article is cut for a subscriber: its commands are then of one each."""
        return any(article.row_filters for article in self.articles.values())

    @property
    def is_merge(self) -> bool:
        """Whether nodes send net changes with lineages; else versions and transactions."""
        return self.replication == "merge"

    def article(self, name: str) -> Article:
        """Errors: ValueProblem when the publication has no such article."""
        if name not in self.articles:
            known = ", ".join(self.articles)
            raise ValueProblem(f"publication {self.name!r} has no article {name!r}, only: {known}")
        return self.articles[name]

    def record_of(self, article: str) -> LogicalRecord | None:
        """The logical record that the article belongs to."""
        return next((one for one in self.logical_records if article in one.articles), None)

    def is_detected_by_record(self, article: str) -> bool:
        """Whether a change anywhere in the article's logical record is one of the whole record."""
        record = self.record_of(article)
        return record is not None and record.detection

    def depth(self, article: str) -> int:
        """How far below its topmost parent an article stands: parents come first by it."""
        return self._depth(article, frozenset())

    def _depth(self, article: str, seen: frozenset[str]) -> int:
        parents = [name for name in self._parents(article) if name != article and name not in seen]
        return max((self._depth(name, seen | {article}) + 1 for name in parents), default=0)

    def _parents(self, article: str) -> Iterator[str]:
        for foreign_key in self.articles[article].foreign_keys:
            if foreign_key.references in self.articles:
                yield foreign_key.references
        for record in self.logical_records:
            if article in record.members:
                yield record.members[article].parent


def parse_priority(text: str) -> Decimal:
    """A subscription's priority, exactly as it is said. Errors: ValueProblem."""
    try:
        value = ColumnType("decimal", 4, 2).coerce(text)
    except ValueProblem:
        value = None
    if not isinstance(value, Decimal) or value < 0:
        raise ValueProblem(
            f"'{text}' must be a number from 0.00 to {HIGHEST_PRIORITY}, with two digits behind the"
            " point at most"
        )
    return value


def publication_from_vars(name: str, options: Mapping[str, object]) -> Publication:
    """A publication from its entry under `vars: publications:` (or from a suite of scenarios).

    Only what nodes need is read; options that do not concern them are left alone.

    Errors: ConfigurationProblem where a logical record does not lead to its top; ValueProblem for a
    type of a column that is not known.
    """
    raw_articles = _mapping(options.get("articles"))
    articles = {key: _article(key, _mapping(value)) for key, value in raw_articles.items()}
    records = tuple(_record(_mapping(entry)) for entry in _list(options.get("logical_records")))
    for record in records:
        _check_record(name, record, articles)
    return Publication(
        name=name,
        replication=str(options.get("replication", "queued")),
        publisher=str(options.get("publisher")),
        articles=articles,
        logical_records=records,
    )


def _article(name: str, options: Mapping[str, object]) -> Article:
    columns = {
        column: _column_type(name, column, str(text))
        for column, text in _mapping(options.get("columns")).items()
    }
    foreign_keys = tuple(
        ForeignKey(_names(one.get("columns")), str(one.get("references")), _names(one.get("to")))
        for one in map(_mapping, _list(options.get("foreign_keys")))
    )
    row_filters = {
        str(subscriber): str(condition)
        for subscriber, condition in _mapping(options.get("row_filter")).items()
    }
    return Article(
        name,
        columns,
        _names(options.get("primary_key")),
        foreign_keys,
        row_filters,
        options.get("initial_snapshot") is True,
    )


def _column_type(article: str, column: str, text: str) -> ColumnType:
    try:
        return parse_type(text)
    except ValueProblem as problem:
        raise ValueProblem(f"article '{article}', column '{column}': {problem}") from problem


def _record(options: Mapping[str, object]) -> LogicalRecord:
    members = {
        name: Member(str(_mapping(one).get("parent")), _names(_mapping(one).get("columns")))
        for name, one in _mapping(options.get("members")).items()
    }
    return LogicalRecord(
        top=str(options.get("top")),
        members=members,
        detection=bool(options.get("detection")),
        resolution=bool(options.get("resolution")),
    )


def _check_record(publication: str, record: LogicalRecord, articles: Mapping[str, Article]) -> None:
    """Every member leads to the top, step by step."""
    where = f"publication '{publication}', logical record of '{record.top}'"
    for name in record.articles:
        if name not in articles:
            raise ConfigurationProblem(f"{where}: there is no article '{name}'")
    for name in record.members:
        seen = [name]
        while seen[-1] != record.top:
            parent = record.members[seen[-1]].parent
            if parent not in record.articles:
                raise ConfigurationProblem(
                    f"{where}: '{seen[-1]}' has the parent '{parent}', which is not of the record"
                )
            if parent in seen:
                raise ConfigurationProblem(f"{where}: the parents of '{name}' go round in a circle")
            seen.append(parent)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _names(value: object) -> tuple[str, ...]:
    return tuple(str(name) for name in _list(value))
