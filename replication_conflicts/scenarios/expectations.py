"""What a case expects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from replication_conflicts.publication.commands import KINDS
from replication_conflicts.publication.publication import Article, Publication
from replication_conflicts.publication.values import Row
from replication_conflicts.scenarios.reading import Entry
from replication_conflicts.statements import OPERATIONS

SAME = "same"
OUTCOMES = (
    "applied",
    "merged",
    "won",
    "lost",
    "rejected",
    "already_known",
    "already_deleted",
    "same_value",
    "failed",
    "waiting",
)
CONFLICT_KINDS = (
    "update_update",
    "insert_insert",
    "update_delete",
    "delete_update",
    "condemned",
    "failed_insert",
    "failed_update",
    "failed_delete",
)
CONFLICT_KEYS = ("article", "key", "kind", "type", "reason_code", "loser", "winner", "lost", "won")
COMMAND_KEYS = (
    "kind",
    "subscriber",
    "transaction_id",
    "sequence",
    "article",
    "operation",
    "key",
    "row",
    "origin",
    "old_version",
    "new_version",
    "lineage",
    "cause",
    "parameters",
)
SUBSCRIPTION_KEYS = ("status", "reinitialize_since", "last_position")


@dataclass(frozen=True)
class Expectations:
    """The `expect` of a case; None is what the case does not speak of.

    `rows`: per node 'same' or typed rows per article. `conflicts` and `commands`: entries with the
    keys that the case gives, values as the file has them; transactions and causes of commands by
    the `id` of their step, or by that of a raw row. `outcomes`: per id an outcome, or a
    mapping of article and key text.
    """

    rows: Mapping[str, str | Mapping[str, tuple[Row, ...]]]
    conflicts: tuple[Mapping[str, object], ...] | None
    outcomes: Mapping[str, str | Mapping[str, Mapping[str, str]]]
    rejected: tuple[str, ...] | None
    commands: Mapping[str, tuple[Mapping[str, object], ...]]
    subscriptions: Mapping[str, Mapping[str, object]]


class ExpectationReader:
    """Reads the `expect` of a case."""

    def __init__(
        self, publication: Publication, subscribers: Collection[str], ids: set[str]
    ) -> None:
        self._publication = publication
        self._subscribers = tuple(subscribers)
        self._ids = ids

    def read(self, entry: Entry) -> Expectations:
        """Errors: SuiteProblem for what the format, the article or the case does not know."""
        allowed = ("rows", "conflicts", "outcomes", "rejected", "commands", "subscriptions")
        parts = entry.mapping(allowed)
        conflicts = rejected = None
        if "conflicts" in parts:
            conflicts = tuple(self._conflict(one) for one in parts["conflicts"].entries())
        if "rejected" in parts:
            rejected = tuple(one.text() for one in parts["rejected"].entries())
        return Expectations(
            rows=self._rows(parts["rows"]) if "rows" in parts else {},
            conflicts=conflicts,
            outcomes=self._outcomes(parts["outcomes"]) if "outcomes" in parts else {},
            rejected=rejected,
            commands=self._commands(parts["commands"]) if "commands" in parts else {},
            subscriptions=self._statuses(parts["subscriptions"])
            if "subscriptions" in parts
            else {},
        )

    def _rows(self, entry: Entry) -> dict[str, str | Mapping[str, tuple[Row, ...]]]:
        nodes = (self._publication.publisher, *self._subscribers)
        read: dict[str, str | Mapping[str, tuple[Row, ...]]] = {}
        for node, value in entry.mapping(nodes).items():
            if value.value == SAME:
                if node == self._publication.publisher:
                    raise value.problem("'same' means equal to the publisher's rows")
                read[node] = SAME
                continue
            by_article = value.mapping(self._publication.articles)
            read[node] = {name: self._article_rows(name, rows) for name, rows in by_article.items()}
        return read

    def _article_rows(self, name: str, entry: Entry) -> tuple[Row, ...]:
        article = self._publication.articles[name]
        return tuple(whole_row(article, one) for one in entry.entries())

    def _conflict(self, entry: Entry) -> Mapping[str, object]:
        parts = entry.mapping(CONFLICT_KEYS)
        for name in ("loser", "winner"):
            if name in parts and parts[name].value is not None:
                parts[name].text((self._publication.publisher, *self._subscribers))
        for name in ("type", "reason_code"):
            if name in parts:
                parts[name].whole_number()
        if "kind" in parts:
            parts["kind"].text(CONFLICT_KINDS)
        self._check_rows(parts, ("key", "lost", "won"))
        return dict(entry.value)

    def _commands(self, entry: Entry) -> dict[str, tuple[Mapping[str, object], ...]]:
        read: dict[str, tuple[Mapping[str, object], ...]] = {}
        for subscriber, commands in entry.mapping(self._subscribers).items():
            read[subscriber] = tuple(self._command(subscriber, one) for one in commands.entries())
        return read

    def _command(self, subscriber: str, entry: Entry) -> Mapping[str, object]:
        parts = entry.mapping((*COMMAND_KEYS, "publication"))
        given = {name: part for name, part in parts.items() if part.value is not None}
        if "publication" in parts:
            # commands of other publications are not looked at
            parts["publication"].text((self._publication.name,))
        words = (("subscriber", (subscriber,)), ("kind", KINDS), ("operation", OPERATIONS))
        for name, allowed in words:
            if name in given:
                given[name].text(allowed)
        if "sequence" in parts:
            parts["sequence"].whole_number()
        if "parameters" in given:
            given["parameters"].mapping()
        self._check_rows(parts, ("key", "row"))
        ids = {name: given[name].label() for name in ("transaction_id", "cause") if name in given}
        return {name: one for name, one in entry.value.items() if name != "publication"} | ids

    def _check_rows(self, parts: Mapping[str, Entry], names: Iterable[str]) -> None:
        articles = list(self._publication.articles.values())
        if "article" in parts and parts["article"].value is not None:
            name = parts["article"].text(self._publication.articles)
            articles = [self._publication.articles[name]]
        for name in names:
            if name not in parts or parts[name].value is None:
                continue
            columns = {column for article in articles for column in article.columns}
            for column, value in parts[name].mapping(columns).items():
                if len(articles) == 1:
                    value.checked(articles[0].columns[column].coerce)

    def _outcomes(self, entry: Entry) -> dict[str, str | Mapping[str, Mapping[str, str]]]:
        read: dict[str, str | Mapping[str, Mapping[str, str]]] = {}
        for name, value in Entry(entry.labels(), entry.place).mapping(self._ids).items():
            if not isinstance(value.value, Mapping):
                read[name] = value.text(OUTCOMES)
                continue
            by_article = value.mapping(self._publication.articles)
            read[name] = {
                article: {
                    key: one.text(OUTCOMES)
                    for key, one in Entry(keys.labels(), keys.place).mapping().items()
                }
                for article, keys in by_article.items()
            }
        return read

    def _statuses(self, entry: Entry) -> dict[str, Mapping[str, object]]:
        read: dict[str, Mapping[str, object]] = {}
        for subscriber, status in entry.mapping(self._subscribers).items():
            status.mapping(SUBSCRIPTION_KEYS)
            read[subscriber] = dict(status.value)
        return read


def whole_row(article: Article, entry: Entry) -> Row:
    """A row with all columns of its article, typed; what is not named is NULL."""
    values = entry.mapping(article.columns)
    typed = {name: value.checked(article.columns[name].coerce) for name, value in values.items()}
    return {name: typed.get(name) for name in article.columns}
