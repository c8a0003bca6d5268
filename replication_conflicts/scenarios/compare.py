"""Comparing what a case expects with what came out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from replication_conflicts.publication.values import Row, ValueProblem
from replication_conflicts.scenarios.differences import (
    Difference,
    identity,
    in_one_line,
    match,
    row_differences,
)
from replication_conflicts.scenarios.expectations import COMMAND_KEYS, CONFLICT_KEYS, SAME
from replication_conflicts.scenarios.outputs import Outputs
from replication_conflicts.scenarios.own_records import Named, OwnRecords
from replication_conflicts.scenarios.play import CasePlay
from replication_conflicts.scenarios.suite import CASE_COLUMN
from replication_conflicts.simulation import ChangeReference


class Comparison:
    """Compares the expectations of one case with the outputs of the builds so far."""

    def __init__(self, play: CasePlay, outputs: Outputs) -> None:
        self._play = play
        self._case = play.case
        self._publication = play.shared.publication
        self._outputs = outputs
        self._records = OwnRecords(play, outputs)

    def differences(self, is_rebuilt: bool = False) -> list[Difference]:
        """All differences.

        After a full refresh (`is_rebuilt`) a subscriber that has been reinitialized may find other
        commands behind its snapshot: those are not compared.
        """
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
                found += row_differences(f"rows of {article} at {node}", rows, actual)
        return found

    def _same(self, node: str, why: str) -> list[Difference]:
        found: list[Difference] = []
        for article in self._publication.articles:
            published = self._shared_published(article)
            flags = self._play.in_partition(node, article, published)
            inside = [row for row, flag in zip(published, flags, strict=True) if flag]
            expected = [self._play.names.strip(row) for row in inside]
            actual = self._node_rows(node, article)
            found += row_differences(f"rows of {article} at {node}, {why}", expected, actual)
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
        keys = {name for one in expected for name in one}
        actual = self._records.conflicts(with_won="won" in keys)
        unmatched_expected, unmatched_actual = match(expected, actual, self._matches)
        if not unmatched_expected and not unmatched_actual:
            return []
        named = [name for name in CONFLICT_KEYS if name in keys]
        named = named or [name for name in CONFLICT_KEYS if name != "won"]
        return [
            Difference(
                f"conflicts ({len(expected)} expected, {len(actual)} found)",
                sorted(_shown(one, CONFLICT_KEYS) for one in expected),
                sorted(_shown(one, named) for one in actual),
            )
        ]

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
            named = [name for name in COMMAND_KEYS if any(name in one for one in expected)]
            actual = self._records.commands(subscriber, with_sequence="sequence" in named)
            pairs = zip(expected, actual, strict=False)
            if len(expected) == len(actual) and all(self._matches(*pair) for pair in pairs):
                continue
            found.append(
                Difference(
                    f"commands to {subscriber} ({len(expected)} expected, {len(actual)} found)",
                    [_shown(one, COMMAND_KEYS) for one in expected],
                    [_shown(one, named) for one in actual],
                    is_ordered=True,
                )
            )
        return found

    def _subscriptions(self) -> list[Difference]:
        found = []
        for subscriber, expected in self._case.expect.subscriptions.items():
            shared_name = self._play.names.to_shared(subscriber)
            record = self._outputs.status(self._publication.name, shared_name) or {}
            actual = {name: self._status_value(name, record.get(name)) for name in expected}
            if actual != dict(expected):
                what = f"subscription {subscriber}"
                found.append(Difference(what, [in_one_line(expected)], [in_one_line(actual)]))
        return found

    def _status_value(self, name: str, value: object) -> object:
        if name == "status" or not isinstance(value, int):
            return value
        return self._play.outbox.local_positions.get(value, value)

    # matching

    def _matches(self, expected: Mapping[str, object], actual: Mapping[str, object]) -> bool:
        return all(self._value_matches(name, value, actual) for name, value in expected.items())

    def _value_matches(self, name: str, value: object, actual: Mapping[str, object]) -> bool:
        found = actual[name]
        if isinstance(found, Named):
            return found.has(value)
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
        return wanted == found or identity(wanted) == identity(found)

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


def _shown(entry: Mapping[str, object], names: Iterable[str]) -> str:
    return in_one_line({name: entry[name] for name in names if name in entry})


def _text(value: object) -> str | None:
    return None if value is None else str(value)
