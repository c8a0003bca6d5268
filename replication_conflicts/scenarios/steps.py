"""The steps of a case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal

import yaml

from replication_conflicts.nodes import Change
from replication_conflicts.publication.commands import BEFORE_QUEUE
from replication_conflicts.publication.feed import QUEUE_POSITION, feed_columns
from replication_conflicts.publication.publication import Article, Publication
from replication_conflicts.publication.values import (
    ColumnType,
    Key,
    ValueProblem,
    parse_timestamp,
    parse_type,
)
from replication_conflicts.scenarios.reading import Entry, Place

OPERATIONS = ("insert", "update", "delete")
DECISIONS = ("submit_winner", "submit_loser", "remove")
SUBSCRIPTION_OPTIONS = ("type", "priority", "republisher", "below")
# what a node had downloaded, in words: no place of any queue, or all of it, and that far enough
# from the largest bigint to calculate with
_KNOWN_POSITIONS = {"nothing": BEFORE_QUEUE, "all": 2**62}
_STEPS = ("reinitialize", "refuse", "upload", "run", "download", "sync", "decide", "set", "error")


# what the clock of a case counts seconds from, where a step does not name its own
START = datetime(2026, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Step:
    """What all steps have: where they stand, and how they read."""

    place: Place
    written: Mapping[str, object]

    @property
    def text(self) -> str:
        """The step in one line, for people."""
        return _flow(self.written)

    @property
    def sets_queue(self) -> bool:
        """Whether the step sets a place of the queue, or another day for its clock."""
        return False


@dataclass(frozen=True)
class ChangeStep(Step):
    """Changes made at a node, transaction by transaction."""

    at: str
    transactions: tuple[tuple[Change, ...], ...]
    id: str | None
    clock: datetime | None

    @property
    def sets_queue(self) -> bool:
        """Whether a day of its own is given."""
        return self.clock is not None and self.clock.date() != START.date()


@dataclass(frozen=True)
class RawStep(Step):
    """A row of the change feed exactly as given."""

    at: str
    article: str
    values: Mapping[str, object]
    id: str | None

    @property
    def sets_queue(self) -> bool:
        """Whether a place of its own is given, or a day."""
        changed_at = self.values.get("changed_at")
        is_other_day = changed_at is not None and not str(changed_at).startswith(
            f"{START:%Y-%m-%d}"
        )
        known_position = self.values.get("known_position")
        names_position = known_position is not None and (
            known_position not in _KNOWN_POSITIONS.values()
        )
        return is_other_day or names_position or self.names_position

    @property
    def names_position(self) -> bool:
        """Whether the row brings its own place of the queue."""
        return self.values.get(QUEUE_POSITION) is not None


@dataclass(frozen=True)
class ReinitializeStep(Step):
    """A subscriber takes the snapshot that its command names."""

    node: str


@dataclass(frozen=True)
class RefuseStep(Step):
    """A subscriber's database will refuse the next command about a row."""

    node: str
    article: str
    key: Mapping[str, object]
    error: int


@dataclass(frozen=True)
class UploadStep(Step):
    """A node's pending changes enter the queue."""

    node: str


@dataclass(frozen=True)
class RunStep(Step):
    """One run of the pipeline."""


@dataclass(frozen=True)
class DownloadStep(Step):
    """A subscriber applies the commands that it has not applied yet."""

    node: str


@dataclass(frozen=True)
class SyncStep(Step):
    """Upload, run, download."""

    node: str


@dataclass(frozen=True)
class DecideStep(Step):
    """A person's decision about a conflict."""

    article: str
    key: Mapping[str, object]
    loser: str
    decision: str
    edited: Mapping[str, object]


@dataclass(frozen=True)
class SetStep(Step):
    """A change of configuration from here on."""

    policy: str | None
    subscriptions: Mapping[str, Mapping[str, object]]
    added: Mapping[str, Mapping[str, object]]


@dataclass(frozen=True)
class ErrorStep(Step):
    """The step before this one must fail with an error that contains these texts."""

    texts: tuple[str, ...]


class StepReader:
    """Reads the steps of a case; knows which nodes there are, those added on the way included."""

    def __init__(self, publication: Publication, subscribers: set[str]) -> None:
        self._publication = publication
        self._subscribers = set(subscribers)

    def read(self, entry: Entry) -> tuple[Step, ...]:
        """All steps of a case. Errors: SuiteProblem."""
        steps = tuple(self._step(one) for one in entry.entries())
        for index, step in enumerate(steps):
            if isinstance(step, ErrorStep):
                self._check_error(entry, steps, index)
        return steps

    @staticmethod
    def _check_error(entry: Entry, steps: tuple[Step, ...], index: int) -> None:
        where = entry.entries()[index]
        if index == 0:
            raise where.problem("'error' must follow the step that fails")
        if index != len(steps) - 1:
            raise where.problem("'error' must be the last step of its case")

    def _step(self, entry: Entry) -> Step:
        if not isinstance(entry.value, Mapping):
            raise entry.problem(f"a step must be a mapping, is {entry.value!r}")
        if "at" in entry.value:
            return self._change_step(entry)
        name, value = entry.single(_STEPS, "step")
        place, written = entry.place, entry.value
        if name == "run":
            if value.value is not True:
                raise value.problem("must be true")
            return RunStep(place, written)
        if name == "error":
            return self._error_step(place, written, value)
        if name == "refuse":
            return self._refuse_step(place, written, value)
        if name == "decide":
            return self._decide_step(place, written, value)
        if name == "set":
            return self._set_step(place, written, value)
        return self._node_step(name, place, written, value)

    @staticmethod
    def _error_step(place: Place, written: Mapping[str, object], entry: Entry) -> ErrorStep:
        texts = tuple(one.label() for one in entry.one_or_more())
        if not texts:
            raise entry.problem("must be a text that the error has, or several")
        return ErrorStep(place, written, texts)

    def _node_step(
        self, name: str, place: Place, written: Mapping[str, object], value: Entry
    ) -> Step:
        if name == "upload":
            return UploadStep(place, written, self._node(value))
        node = self._subscriber(value)
        kinds = {"download": DownloadStep, "sync": SyncStep, "reinitialize": ReinitializeStep}
        return kinds[name](place, written, node)

    def _change_step(self, entry: Entry) -> Step:
        allowed = ("at", "id", "clock", "transaction", "raw", *OPERATIONS)
        parts = entry.mapping(allowed)
        actions = [name for name in parts if name not in ("at", "id", "clock")]
        if len(actions) != 1:
            raise entry.problem("must hold one of: insert, update, delete, transaction, raw")
        action = actions[0]
        node = self._node(parts["at"])
        name = parts["id"].label() if "id" in parts else None
        clock = parts["clock"].checked(parse_timestamp) if "clock" in parts else None
        written = entry.value
        if action == "raw":
            if clock is not None:
                raise parts["clock"].problem("a raw row gives its own changed_at")
            return self._raw_step(entry.place, written, node, name, parts["raw"])
        transactions: list[tuple[Change, ...]]
        if action == "transaction":
            changes = [change for one in parts[action].entries() for change in self._operation(one)]
            transactions = [tuple(changes)] if changes else []
        else:
            transactions = [(change,) for change in self._changes(action, parts[action])]
        return ChangeStep(entry.place, written, node, tuple(transactions), name, clock)

    def _operation(self, entry: Entry) -> list[Change]:
        operation, rows = entry.single(OPERATIONS, "operation")
        return self._changes(operation, rows)

    def _changes(self, operation: str, entry: Entry) -> list[Change]:
        changes = []
        for name, rows in entry.mapping(self._publication.articles).items():
            article = self._publication.articles[name]
            for row in rows.one_or_more():
                columns = row.mapping(article.columns, required=article.primary_key)
                for column, value in columns.items():
                    value.checked(article.columns[column].coerce)
                extra = [column for column in columns if column not in article.primary_key]
                if operation == "delete" and extra:
                    raise columns[extra[0]].problem("a delete names the key columns only")
                if operation == "update" and not extra:
                    raise row.problem("an update names the changed columns beside the key")
                changes.append(Change(operation, name, dict(row.value)))
        return changes

    def _raw_step(
        self, place: Place, written: Mapping[str, object], node: str, name: str | None, entry: Entry
    ) -> RawStep:
        article_name, row = entry.single(self._publication.articles, "article")
        article = self._publication.articles[article_name]
        kinds = feed_columns(self._publication)
        columns = row.mapping({*kinds, *article.columns})
        values: dict[str, object] = {}
        for column, value in columns.items():
            if column in article.columns:
                values[column] = value.checked(article.columns[column].coerce)
            elif column == "previous_values" and value.value is not None:
                values[column] = _previous_values(article, value)
            else:
                values[column] = _feed_value(column, kinds[column], value)
        return RawStep(place, written, node, article_name, values, name)

    def _refuse_step(self, place: Place, written: Mapping[str, object], entry: Entry) -> RefuseStep:
        keys = ("node", "article", "key", "error")
        parts = entry.mapping(keys, required=keys)
        article = parts["article"].text(self._publication.articles)
        return RefuseStep(
            place,
            written,
            self._subscriber(parts["node"]),
            article,
            self._key(article, parts["key"]),
            parts["error"].whole_number(),
        )

    def _decide_step(self, place: Place, written: Mapping[str, object], entry: Entry) -> DecideStep:
        required = ("article", "key", "loser", "decision")
        parts = entry.mapping((*required, "edited"), required=required)
        article = parts["article"].text(self._publication.articles)
        edited: dict[str, object] = {}
        if "edited" in parts and parts["edited"].value is not None:
            kinds = self._publication.articles[article].columns
            for column, value in parts["edited"].mapping(kinds).items():
                edited[column] = value.checked(kinds[column].coerce)
        return DecideStep(
            place,
            written,
            article,
            self._key(article, parts["key"]),
            self._node(parts["loser"]),
            parts["decision"].text(DECISIONS),
            edited,
        )

    def _set_step(self, place: Place, written: Mapping[str, object], entry: Entry) -> SetStep:
        parts = entry.mapping(("policy", "subscription", "add_subscription"))
        changed: dict[str, Mapping[str, object]] = {}
        added: dict[str, Mapping[str, object]] = {}
        if "subscription" in parts:
            for name, options in parts["subscription"].mapping(self._subscribers).items():
                changed[name] = subscription_options(options)
        if "add_subscription" in parts:
            for name, options in parts["add_subscription"].mapping().items():
                if name in self._subscribers or name == self._publication.publisher:
                    raise options.problem(f"{name!r} is there already")
                added[name] = subscription_options(options)
                self._subscribers.add(name)
        policy = parts["policy"].text() if "policy" in parts else None
        return SetStep(place, written, policy, changed, added)

    def _key(self, article: str, entry: Entry) -> dict[str, object]:
        names = self._publication.articles[article].primary_key
        parts = entry.mapping(names, required=names)
        kinds = self._publication.articles[article].columns
        return {name: value.checked(kinds[name].coerce) for name, value in parts.items()}

    def _node(self, entry: Entry) -> str:
        return entry.text((self._publication.publisher, *sorted(self._subscribers)))

    def _subscriber(self, entry: Entry) -> str:
        return entry.text(sorted(self._subscribers))


def subscription_options(entry: Entry) -> Mapping[str, object]:
    """What is said of a subscription; nothing is as good as an empty mapping."""
    if entry.value is None:
        return {}
    options = entry.mapping(SUBSCRIPTION_OPTIONS)
    if "priority" in options and options["priority"].value is not None:
        options["priority"].checked(lambda value: Decimal(str(value)))
    return dict(entry.value)


def key_values(publication: Publication, article: str, key: Mapping[str, object]) -> Key:
    """The key of an article from a mapping of its columns."""
    found = publication.articles[article]
    return found.key_of(found.part(key))


def _feed_value(column: str, kind: str, entry: Entry) -> object:
    value = entry.value
    if value is None:
        return None
    if column == "known_position" and isinstance(value, str) and value in _KNOWN_POSITIONS:
        return _KNOWN_POSITIONS[value]
    if kind == "timestamp":
        return entry.checked(parse_timestamp)
    if kind == "string":
        return str(value)
    if kind == "array<string>":
        return [None if one.value is None else one.text() for one in entry.entries()]
    if kind == "map<string,bigint>":
        return {name: one.whole_number() for name, one in entry.mapping().items()}
    if column in (QUEUE_POSITION, "known_position", "transaction_change_count"):
        return entry.whole_number()
    return entry.checked(parse_type(kind).coerce)


def _previous_values(article: Article, entry: Entry) -> dict[str, str | None]:
    """Values as canonical text; what its column cannot have is taken as it is written."""
    values = {name: one.value for name, one in entry.mapping().items()}
    return {name: _text_before(article.columns.get(name), one) for name, one in values.items()}


def _text_before(kind: ColumnType | None, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    try:
        return kind.to_text(kind.coerce(value)) if kind else str(value)
    except ValueProblem:
        return str(value)


def _flow(value: object) -> str:
    """A step in one line of YAML, for people."""
    dumper = yaml.SafeDumper
    text = yaml.dump(
        _plain(value),
        Dumper=dumper,
        default_flow_style=True,
        allow_unicode=True,
        sort_keys=False,
        width=10**6,
    )
    return text.strip()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return str(value)
