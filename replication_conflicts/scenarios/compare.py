"""Comparing what a case expects with what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Context, Decimal

from replication_conflicts.nodes import ChangeReference, Command
from replication_conflicts.publication.publication import Article
from replication_conflicts.publication.values import (
    Row,
    Value,
    ValueProblem,
    timestamp_text,
)
from replication_conflicts.scenarios.expectations import COMMAND_KEYS, CONFLICT_KEYS, SAME
from replication_conflicts.scenarios.outputs import Outputs, Record
from replication_conflicts.scenarios.play import CasePlay
from replication_conflicts.scenarios.suite import CASE_COLUMN

# no decimal of Spark has more digits
_EXACT = Context(prec=38)

Matcher = Callable[[Mapping[str, object], Mapping[str, object]], bool]


@dataclass(frozen=True)
class Difference:
    """Something that did not come out as expected, line by line; equal lines stand in both.
    `is_ordered`: the order of the lines counts."""

    what: str
    expected: Sequence[str] = field(default=())
    actual: Sequence[str] = field(default=())
    is_ordered: bool = False


class Comparison:
    """Compares the expectations of one case with the outputs of the builds so far."""

    def __init__(self, play: CasePlay, outputs: Outputs) -> None:
        self._play = play
        self._case = play.case
        self._publication = play.shared.publication
        self._outputs = outputs

    def differences(self, is_rebuilt: bool = False) -> list[Difference]:
        """All differences. After a full refresh (`is_rebuilt`) a subscriber that has been
        reinitialized may find other commands behind its snapshot: those are not compared."""
        found: list[Difference] = []
        found += self._rows()
        found += self._conflicts()
        found += self._outcomes()
        found += self._rejected()
        found += self._commands(is_rebuilt)
        found += self._subscriptions()
        return found

    def convergence(self) -> list[Difference]:
        """Subscribers whose rows are not the publisher's, their partition of them."""
        found: list[Difference] = []
        for name in self._play.subscribers:
            if not self._play.is_waiting(name):
                found += self._same(name, "after two more synchronizations")
        return found

    # rows

    def _rows(self) -> list[Difference]:
        found: list[Difference] = []
        for node, expected in self._case.expect.rows.items():
            if isinstance(expected, str):
                assert expected == SAME
                found += self._same(node, "same as the publisher")
                continue
            for article, rows in expected.items():
                actual = self._node_rows(node, article)
                found += _row_difference(f"rows of {article} at {node}", rows, actual)
        return found

    def _same(self, node: str, why: str) -> list[Difference]:
        found: list[Difference] = []
        for article in self._publication.articles:
            published = self._shared_published(article)
            flags = self._play.in_partition(node, article, published)
            inside = [row for row, flag in zip(published, flags, strict=True) if flag]
            expected = [self._play.names.strip(row) for row in inside]
            actual = self._node_rows(node, article)
            found += _row_difference(f"rows of {article} at {node}, {why}", expected, actual)
        return found

    def _node_rows(self, node: str, article: str) -> list[Row]:
        if node == self._play.names.publisher:
            rows = self._shared_published(article)
        else:
            rows = self._play.subscribers[node].rows(article)
        return [self._play.names.strip(row) for row in rows]

    def _shared_published(self, article: str) -> list[Row]:
        published = self._outputs.published_rows(self._publication, article)
        return published.get(self._play.names.code, [])

    # conflicts

    def _conflicts(self) -> list[Difference]:
        expected = self._case.expect.conflicts
        if expected is None:
            return []
        records = self._outputs.conflicts(self._publication.name, self._play.names.code)
        keys = {name for one in expected for name in one}
        actual = [self._conflict(record, "won" in keys) for record in records]
        unmatched_expected, unmatched_actual = match(expected, actual, self._matches)
        if not unmatched_expected and not unmatched_actual:
            return []
        named = [name for name in CONFLICT_KEYS if name in keys]
        named = named or [name for name in CONFLICT_KEYS if name != "won"]
        return [
            Difference(
                f"conflicts ({len(expected)} expected, {len(actual)} found)",
                _lines(self._shown(one, CONFLICT_KEYS) for one in expected),
                _lines(self._shown(one, named) for one in actual),
            )
        ]

    def _conflict(self, record: Record, with_won: bool) -> dict[str, object]:
        article = self._publication.articles[str(record["article"])]
        names = self._play.names
        return {
            "article": article.name,
            "key": names.strip(article.key_row(article.key_from_text(str(record["row_key"])))),
            "kind": record["conflict_kind"],
            "type": record["conflict_type"],
            "reason_code": record["reason_code"],
            "loser": names.to_own(_text(record["loser_node"])),
            "winner": names.to_own(_text(record["winner_node"])),
            "lost": self._lost(article, record),
            "won": self._won(article, record) if with_won else None,
        }

    def _lost(self, article: Article, record: Record) -> Row | None:
        rows = self._outputs.lost_rows(self._publication, article.name)
        lost = rows.get(str(record["conflict_id"]))
        return None if lost is None else self._play.names.strip(lost)

    def _won(self, article: Article, record: Record) -> Row | None:
        """What the publisher held after the decision, as people are shown it."""
        rows = self._outputs.won_rows(self._publication, article.name)
        won = rows.get(str(record["conflict_id"]))
        return None if won is None else self._play.names.strip(won)

    # outcomes

    def _outcomes(self) -> list[Difference]:
        found = []
        for name, expected in self._case.expect.outcomes.items():
            references = self._play.references.get(name, [])
            actual = {id(one): self._outcome(one) for one in references}
            missing: list[str] = []
            if isinstance(expected, str):
                wanted = {id(one): expected for one in references}
            else:
                wanted = {
                    id(one): expected.get(one.article, {}).get(self._key_text(one), "not expected")
                    for one in references
                }
                missing = self._outcomes_of_nothing(expected, references)
            if actual != wanted or missing or not references:
                found.append(
                    Difference(
                        f"outcome of {name}",
                        [f"{self._named(one)}: {wanted[id(one)]}" for one in references] + missing,
                        [f"{self._named(one)}: {actual[id(one)]}" for one in references],
                    )
                )
        return found

    def _outcomes_of_nothing(
        self,
        expected: Mapping[str, Mapping[str, str]],
        references: Sequence[ChangeReference],
    ) -> list[str]:
        """Expected outcomes of rows that nothing of this name has changed."""
        changed = {(one.article, self._key_text(one)) for one in references}
        return [
            f"{article} {key}: {outcome}"
            for article, by_key in expected.items()
            for key, outcome in by_key.items()
            if (article, key) not in changed
        ]

    def _outcome(self, reference: ChangeReference) -> str:
        if reference.change_id is None:
            return "nothing was uploaded"
        outcomes = self._outputs.outcomes(self._publication.name)
        record = outcomes.get(reference.change_id)
        return "no outcome" if record is None else str(record["outcome"])

    def _named(self, reference: ChangeReference) -> str:
        return f"{reference.article} {self._key_text(reference)}"

    def _key_text(self, reference: ChangeReference) -> str:
        article = self._publication.articles[reference.article]
        return article.key_text(reference.key).removeprefix(f"{self._play.names.code}|")

    # the other relations

    def _rejected(self) -> list[Difference]:
        expected = self._case.expect.rejected
        if expected is None:
            return []
        records = self._outputs.rejected(self._publication.name, self._play.names.code)
        actual = sorted(str(record["reason"]) for record in records)
        if sorted(expected) == actual:
            return []
        return [Difference("rejected changes", sorted(expected), actual)]

    def _commands(self, is_rebuilt: bool) -> list[Difference]:
        found = []
        for subscriber, expected in self._case.expect.commands.items():
            if is_rebuilt and subscriber in self._play.reinitialized:
                continue
            actual = [self._command(one) for one in self._play.commands(subscriber)]
            named = [name for name in COMMAND_KEYS if any(name in one for one in expected)]
            pairs = zip(expected, actual, strict=False)
            if len(expected) == len(actual) and all(self._matches(*pair) for pair in pairs):
                continue
            found.append(
                Difference(
                    f"commands to {subscriber} ({len(expected)} expected, {len(actual)} found)",
                    [self._shown(one, COMMAND_KEYS) for one in expected],
                    [self._shown(one, named) for one in actual],
                    is_ordered=True,
                )
            )
        return found

    def _command(self, command: Command) -> dict[str, object]:
        names = self._play.names
        key = None
        if command.article is not None and command.key is not None:
            article = self._publication.articles[command.article]
            key = names.strip(article.key_row(command.key))
        return {
            "kind": command.kind,
            "article": command.article,
            "operation": command.operation,
            "key": key,
            "row": None if command.row is None else names.strip(command.row),
            "origin": names.to_own(command.origin),
            "subscriber": names.to_own(command.addressee),
            # a version of merge replication begins with its node
            "old_version": names.to_own(command.old_version),
            "new_version": names.to_own(command.new_version),
            "lineage": {names.to_own(node): number for node, number in command.lineage.items()}
            or None,
            "parameters": self._parameters(command),
        }

    def _parameters(self, command: Command) -> dict[str, str | None] | None:
        if command.parameters is None:
            return None
        names = self._play.names
        return {
            name: names.to_own(text) if name in ("old_version", "new_version") else text
            for name, text in command.parameters.items()
            if name != CASE_COLUMN
        }

    def _subscriptions(self) -> list[Difference]:
        found = []
        for subscriber, expected in self._case.expect.subscriptions.items():
            shared_name = self._play.names.to_shared(subscriber)
            record = self._outputs.status(self._publication.name, shared_name) or {}
            actual = {name: self._status_value(name, record.get(name)) for name in expected}
            if actual != dict(expected):
                what = f"subscription {subscriber}"
                found.append(Difference(what, [_inline(expected)], [_inline(actual)]))
        return found

    def _status_value(self, name: str, value: object) -> object:
        if name == "status" or not isinstance(value, int):
            return value
        return self._play.local_positions.get(value, value)

    # matching

    def _matches(self, expected: Mapping[str, object], actual: Mapping[str, object]) -> bool:
        return all(self._value_matches(name, value, actual) for name, value in expected.items())

    def _value_matches(self, name: str, value: object, actual: Mapping[str, object]) -> bool:
        found = actual[name]
        if name == "parameters" and isinstance(value, Mapping):
            return self._parameter_texts(value, actual["article"]) == found
        if name not in ("key", "lost", "won", "row") or not isinstance(value, Mapping):
            return value == found
        if not isinstance(found, Mapping) or actual["article"] is None:
            return False
        article = self._publication.articles[str(actual["article"])]
        try:
            wanted = article.part(value)
        except ValueProblem:
            return False
        if name != "key":
            missing = [column for column in article.columns if column != CASE_COLUMN]
            wanted = {column: wanted.get(column) for column in missing}
        return wanted == found or _identity(wanted) == _identity(found)

    def _parameter_texts(
        self, expected: Mapping[str, object], article_name: object
    ) -> dict[str, str | None] | None:
        """Expected parameters as canonical text; None where a column cannot have such a value."""
        columns = self._publication.articles[str(article_name)].columns if article_name else {}
        try:
            return {
                name: kind.to_text(kind.coerce(value))
                if (kind := columns.get(name)) is not None
                else _text(value)
                for name, value in expected.items()
            }
        except ValueProblem:
            return None

    def _shown(self, entry: Mapping[str, object], names: Iterable[str]) -> str:
        return _inline({name: entry[name] for name in names if name in entry})


def match(
    expected: Sequence[Mapping[str, object]],
    actual: Sequence[Mapping[str, object]],
    matches: Matcher,
) -> tuple[list[int], list[int]]:
    """Pairs each expected entry with an actual one of its own; gives the indexes left over.

    Entries may name different keys, so an early choice can be wrong: pairs are exchanged until
    no more fit (augmenting paths).
    """
    taken: dict[int, int] = {}

    def place(index: int, tried: set[int]) -> bool:
        for other, candidate in enumerate(actual):
            if other in tried or not matches(expected[index], candidate):
                continue
            tried.add(other)
            if other not in taken or place(taken[other], tried):
                taken[other] = index
                return True
        return False

    left = [index for index in range(len(expected)) if not place(index, set())]
    return left, [index for index in range(len(actual)) if index not in taken]


def _row_difference(what: str, expected: Iterable[Row], actual: Iterable[Row]) -> list[Difference]:
    wanted = sorted((_identity(row), _inline(row)) for row in expected)
    found = sorted((_identity(row), _inline(row)) for row in actual)
    if [one for one, _ in wanted] == [one for one, _ in found]:
        return []
    return [Difference(what, [text for _, text in wanted], [text for _, text in found])]


def _identity(row: Mapping[str, Value]) -> str:
    """A row as text, equal for values that are equal: 1.50 and 1.5 are the same number."""
    return repr([(name, _normal(row[name])) for name in sorted(row)])


def _normal(value: object) -> object:
    if isinstance(value, Decimal):
        return str(value.normalize(_EXACT) if value else Decimal(0))
    # 0.0 and -0.0 are one number
    return value + 0.0 if isinstance(value, float) else value


def _lines(texts: Iterable[str]) -> list[str]:
    return sorted(texts)


def _inline(value: object) -> str:
    """A value as it would stand in a suite, on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_inline(one)}" for name, one in value.items()) + "}"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return timestamp_text(value)
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
