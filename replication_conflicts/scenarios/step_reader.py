"""Reading the steps of a case."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from replication_conflicts.publication.feed import QUEUE_POSITION, feed_columns
from replication_conflicts.publication.publication import Article, Publication
from replication_conflicts.publication.values import (
    ColumnType,
    ValueProblem,
    parse_timestamp,
    parse_type,
)
from replication_conflicts.scenarios.reading import Entry, Place
from replication_conflicts.scenarios.steps import (
    KNOWN_POSITIONS,
    ChangeStep,
    DecideStep,
    DownloadStep,
    ErrorStep,
    RawStep,
    RefuseStep,
    ReinitializeStep,
    RunStep,
    SetStep,
    Step,
    SyncStep,
    UploadStep,
)
from replication_conflicts.simulation import Change
from replication_conflicts.statements import OPERATIONS

_DECISIONS = ("submit_winner", "submit_loser", "remove")
_SUBSCRIPTION_OPTIONS = ("type", "priority", "republisher", "below")
_STEPS = ("reinitialize", "refuse", "upload", "run", "download", "sync", "decide", "set", "error")


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
            parts["decision"].text(_DECISIONS),
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
    options = entry.mapping(_SUBSCRIPTION_OPTIONS)
    if "priority" in options and options["priority"].value is not None:
        options["priority"].checked(lambda value: Decimal(str(value)))
    return dict(entry.value)


def _feed_value(column: str, kind: str, entry: Entry) -> object:
    value = entry.value
    if value is None:
        return None
    if column == "known_position" and isinstance(value, str) and value in KNOWN_POSITIONS:
        return KNOWN_POSITIONS[value]
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
