"""Everything that the project writes about a case, against the sequential reader's result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import groupby
from typing import Any

from replication_conflicts.statements import NEW_VERSION, OLD_VERSION, parameter_name
from tests.python.differential.builds import Builds, Played, Record
from tests.python.sequential_reader import Command, Held, Key, SequentialReader
from tests.python.sequential_reader.merge_state import MergeHeld
from tests.python.strategies.cases import Delivery
from tests.python.strategies.replicas import ReaderPipeline, Rows, differences, replay

OUTCOME_FIELDS: tuple[str, ...] = (
    "article",
    "node",
    "transaction_id",
    "transaction_position",
    "queue_position",
    "operation",
    "old_version",
    "new_version",
    "comparison",
    "held_version",
    "held_change_id",
    "outcome",
    "publisher_version",
    "is_written",
    "conflict_kind",
    "conflict_type",
    "reason_code",
    "loser_node",
    "loser_change_id",
    "winner_node",
    "winner_change_id",
)
INTERVENTIONS = frozenset({"submit_winner", "submit_loser", "remove", "refused_command"})
CONFLICT_FIELDS = (
    "conflict_kind",
    "conflict_type",
    "reason_code",
    "transaction_id",
    "loser_node",
    "loser_change_id",
    "winner_node",
    "winner_change_id",
)
COMMAND_FIELDS = (
    "position",
    "kind",
    "transaction_id",
    "article",
    "operation",
    "key",
    "row",
    "old_version",
    "new_version",
)


def expected_reader(played: Played) -> SequentialReader:
    """The sequential reader after all deliveries of the case."""
    pipeline = ReaderPipeline(played.case)
    for delivery in played.case.deliveries:
        pipeline.run(delivery)
    return pipeline.reader


def compare(builds: Builds, played: Played, is_rebuilt: bool = False) -> list[str]:
    """What is not as the reader has it; `is_rebuilt`: after a full refresh.

    Which commands lie behind a snapshot depends on how runs were cut: after a full refresh the
    commands of subscriptions that were ever marked are not compared.
    """
    reader = expected_reader(played)
    marked = {mark.subscriber for mark in reader.marks} if is_rebuilt else set()
    problems = _outcomes(builds, played, reader)
    problems += _rejected(builds, played, reader)
    problems += _rows(builds, played, reader)
    problems += _conflicts(builds, played, reader)
    problems += _status(builds, played, reader)
    for subscriber in played.case.subscribers:
        if subscriber not in marked:
            problems += _commands(builds, played, reader, subscriber)
    # nodes of merge replication are simulated where a case is made: equal commands are enough
    if not is_rebuilt and not played.publication.is_merge:
        problems += _convergence(builds, played, reader)
    return problems


# --- relations ---------------------------------------------------------------------------------


def _outcomes(builds: Builds, played: Played, reader: SequentialReader) -> list[str]:
    # what a run made of its own has no outcome; what people decided, and what subscribers refused,
    # are no changes: the reader has them in rows, conflicts and commands
    records = [
        one
        for one in builds.records("change_outcomes", played)
        if one["outcome"] and one["rule"] not in INTERVENTIONS
    ]
    names = OUTCOME_FIELDS
    if played.publication.is_merge:
        # the log also names the change behind a version of the run's own, and notes down what
        # tombstones are known by
        names = tuple(name for name in names if name not in ("held_change_id", "is_written"))
    expected = {}
    for outcome in reader.outcomes:
        values = {
            **vars(outcome),
            "queue_position": outcome.position,
            "comparison": outcome.comparison
            or ("descendant" if outcome.is_clean else "concurrent"),
        }
        expected[outcome.change_id] = {
            "row_key": key_text(played, outcome.article, outcome.key),
            **{name: values[name] for name in names},
        }
    problems = [
        f"change_outcomes: {change_id} stands {count} times"
        for change_id, count in Counter(one["change_id"] for one in records).items()
        if count > 1
    ]
    actual = {
        record["change_id"]: {name: record[name] for name in ("row_key", *names)}
        for record in records
    }
    return problems + by_name("change_outcomes", expected, actual)


def _rejected(builds: Builds, played: Played, reader: SequentialReader) -> list[str]:
    """Every one as it came, with the reason."""
    names = (
        "article",
        "change_id",
        "queue_position",
        "node",
        "transaction_id",
        "transaction_change_count",
        "operation",
        "old_version",
        "new_version",
        "lineage",
        "known_position",
        "changed_columns",
        "previous_values",
        "priority",
        "reason",
    )
    expected = Counter(
        (
            one.change.article,
            one.change.change_id,
            one.change.position,
            one.change.node,
            one.change.transaction_id,
            one.change.change_count,
            one.change.operation,
            one.change.old_version,
            one.change.new_version,
            _hashable(one.change.lineage),
            one.change.known_position,
            one.change.changed_columns,
            _hashable(one.change.previous_values),
            one.change.stamped_priority,
            one.reason,
        )
        for one in reader.rejected
    )
    actual = Counter(
        tuple(_hashable(record[name]) for name in names)
        for record in builds.records("rejected_changes", played)
    )
    return as_multiset("rejected_changes", expected, actual)


def _rows(builds: Builds, played: Played, reader: SequentialReader) -> list[str]:
    problems = []
    for article, options in played.publication.articles.items():
        held = reader.rows[article]
        published = {
            key: (one.version, one.row, _lineage(one))
            for key, one in held.items()
            if one.row is not None
        }
        relation = f"{played.name}__{article}"
        by_key = {
            options.key_of(record["row"]): (record["row_version"], record["row"])
            for record in builds.article_records(played, relation, article, ["row_version"])
        }
        # the version of a tombstone is the change that deleted the row, or what is known of it
        tombstones = {
            key_text(played, article, key): _lineage(one) or one.change_id
            for key, one in held.items()
            if one.row is None
        }
        version_of = "lineage" if played.publication.is_merge else "version_change_id"
        columns = ["row_key", "is_deleted", version_of]
        relation += "__versions"
        records = builds.article_records(played, relation, article, columns)
        found_tombstones = {
            record["row_key"]: record[version_of] for record in records if record["is_deleted"]
        }
        lineages = {
            options.key_of(record["row"]): record["lineage"]
            for record in records
            if played.publication.is_merge
        }
        found = {key: (*one, lineages.get(key)) for key, one in by_key.items()}
        problems += by_name(relation, published, found)
        problems += by_name(f"tombstones of {relation}", tombstones, found_tombstones)
        if len(records) != len(held):
            problems.append(f"{relation}: {len(records)} rows instead of {len(held)}")
    return problems


def _lineage(held: Held) -> dict[str, int] | None:
    """What went into a row, under merge replication."""
    return held.lineage if isinstance(held, MergeHeld) else None


def _conflicts(builds: Builds, played: Played, reader: SequentialReader) -> list[str]:
    expected: Counter[Any] = Counter(
        (
            one.article,
            key_text(played, one.article, one.key),
            one.kind,
            one.type,
            one.reason_code,
            one.transaction_id,
            one.loser_node,
            one.loser_change_id,
            one.winner_node,
            one.winner_change_id,
            text(one.lost),
            text(one.won),
        )
        for one in reader.conflict_rows()
    )
    lost: dict[str, list[tuple[str, Any]]] = {}
    for article in played.publication.articles:
        relation = f"conflict_{played.name}_{article}"
        columns = ["conflict_id", "origin_datasource_id"]
        for record in builds.article_records(played, relation, article, columns):
            place = lost.setdefault(record["conflict_id"], [])
            place.append((record["origin_datasource_id"], record["row"]))
    won: dict[str, Any] = {}
    for article in played.publication.articles:
        won |= builds.outputs.won_rows(played.publication, article)
    problems: list[str] = []
    actual: Counter[Any] = Counter()
    for record in builds.records("conflicts_info", played):
        rows = lost.pop(record["conflict_id"], [])
        if len(rows) > 1:
            problems.append(f"conflict {record['conflict_id']} has {len(rows)} rows")
        if rows and rows[0][0] != record["loser_node"]:
            problems.append(f"conflict {record['conflict_id']}: its row is of {rows[0][0]}")
        values = tuple(record[name] for name in CONFLICT_FIELDS)
        row = rows[0][1] if rows else None
        sides = (text(row), text(won[record["conflict_id"]]))
        actual[(record["article"], record["row_key"], *values, *sides)] += 1
    problems += [f"conflict row {name} has no record" for name in lost]
    return problems + as_multiset("conflicts", expected, actual)


def _status(builds: Builds, played: Played, reader: SequentialReader) -> list[str]:
    names = ("status", "reinitialize_since", "last_position")
    expected = {
        one.subscriber: {name: getattr(one, name) for name in names}
        for one in reader.subscription_status()
    }
    actual = {
        record["subscriber"]: {name: record[name] for name in names}
        for record in builds.records("subscription_status", played)
    }
    return by_name("subscription_status", expected, actual)


def _commands(
    builds: Builds, played: Played, reader: SequentialReader, subscriber: str
) -> list[str]:
    def described(commands: Iterable[Command]) -> list[str]:
        found: list[str] = []
        for (_, is_record), some in groupby(
            commands, key=lambda one: (one.position, one.kind == "log_conflict")
        ):
            texts = [
                text({name: getattr(one, name) for name in COMMAND_FIELDS}, sort=False)
                for one in some
            ]
            # records of the conflicts of one transaction change no row: their order says nothing
            found += sorted(texts) if is_record else texts
        return found

    expected = described(reader.subscriber_commands(subscriber))
    records = builds.commands(played, subscriber)
    actual = described(builds.typed_command(played, record) for record in records)
    problems = []
    if len({record["command_id"] for record in records}) != len(records):
        problems.append(f"commands of {subscriber}: a command_id stands twice")
    if any(record["parameters"] != parameters_of(record) for record in records):
        problems.append(f"commands of {subscriber}: parameters do not carry row and versions")
    if expected == actual:
        return problems
    first = next(
        number
        for number in range(len(expected) + 1)
        if expected[number : number + 1] != actual[number : number + 1]
    )
    problems.append(
        f"commands of {subscriber}: {len(actual)} instead of {len(expected)}, from the "
        f"{first + 1}. on\n    expected {expected[first : first + 3]}\n"
        f"    actual   {actual[first : first + 3]}"
    )
    return problems


def parameters_of(record: Record) -> dict[str, str | None] | None:
    """The values for a command's statement, by the names that the statement has for them."""
    if record["operation"] is None:
        return None
    row = record["row"] or record["key"]
    values = {parameter_name(column): value for column, value in row.items()}
    return values | {OLD_VERSION: record["old_version"], NEW_VERSION: record["new_version"]}


# --- convergence -------------------------------------------------------------------------------


class _Recorded:
    """The builds of a case as a pipeline that runs again, with what it said after each run."""

    def __init__(self, builds: Builds, played: Played) -> None:
        self._builds = builds
        self._played = played
        self._told: dict[str, list[Record]] = {name: [] for name in played.case.subscribers}
        self._runs = iter(played.commands)

    def run(self, delivery: Delivery) -> None:
        self._told = next(self._runs)

    def commands(self, subscriber: str) -> Sequence[Command]:
        told = self._told[subscriber]
        return [self._builds.typed_command(self._played, record) for record in told]

    def snapshot(self, subscriber: str) -> Rows:
        last = [one for one in self._told[subscriber] if one["kind"] == "reinitialize"][-1]
        return self._builds.snapshot(self._played, last)


def _convergence(builds: Builds, played: Played, reader: SequentialReader) -> list[str]:
    """The subscribers do again what they did, with what the builds told them."""
    if not played.case.steps:
        return []
    nodes = replay(played.case, _Recorded(builds, played))
    return [f"convergence: {one}" for one in differences(played.case, reader, nodes)]


# --- words -------------------------------------------------------------------------------------


def key_text(played: Played, article: str, key: Key) -> str:
    """A key as `row_key` has it: texts joined with |, where \\ and | inside are escaped with \\."""
    return "|".join(canonical(value).replace("\\", "\\\\").replace("|", "\\|") for value in key)


def canonical(value: Any) -> str:
    """The text that a key's value travels as."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        whole = value.strftime("%Y-%m-%d %H:%M:%S")
        return f"{whole}.{value.microsecond:06d}".rstrip("0") if value.microsecond else whole
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def text(value: Any, sort: bool = True) -> str:
    """A value or row in one line; equal rows give equal texts."""
    if isinstance(value, dict):
        names = sorted(value) if sort else list(value)
        return "{" + ", ".join(f"{name}: {text(value[name])}" for name in names) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(text(one) for one in value) + ")"
    if isinstance(value, str):
        return repr(value)
    return "NULL" if value is None else canonical(value)


def by_name(what: str, expected: dict[Any, Any], actual: dict[Any, Any]) -> list[str]:
    """Differences of two dictionaries, at most five."""
    problems = []
    for name in [*expected, *(name for name in actual if name not in expected)]:
        if name not in actual:
            problems.append(f"{what}: {text(name)} is missing, expected {text(expected[name])}")
        elif name not in expected:
            problems.append(f"{what}: {text(name)} is not expected: {text(actual[name])}")
        elif expected[name] != actual[name]:
            problems.append(f"{what}: {text(name)}{_unequal(expected[name], actual[name])}")
    return problems[:5]


def _unequal(expected: Any, actual: Any) -> str:
    if isinstance(expected, dict) and isinstance(actual, dict):
        unequal = [name for name in expected if expected[name] != actual.get(name)]
        outcome = f" ({expected.get('operation')}, {expected.get('outcome')})"
        parts = (
            f"{name} is {text(actual.get(name))} instead of {text(expected[name])}"
            for name in unequal
        )
        return (outcome if "outcome" in expected else "") + ": " + ", ".join(parts)
    return f": {text(actual)} instead of {text(expected)}"


def as_multiset(what: str, expected: Counter[Any], actual: Counter[Any]) -> list[str]:
    """Differences of two multisets, at most five of each."""
    missing = list((expected - actual).elements())[:5]
    surplus = list((actual - expected).elements())[:5]
    return [f"{what}: missing {text(one)}" for one in missing] + [
        f"{what}: not expected {text(one)}" for one in surplus
    ]


def _hashable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple(sorted(value.items()))
    return tuple(value) if isinstance(value, list) else value
