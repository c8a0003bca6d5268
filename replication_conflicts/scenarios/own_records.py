"""Conflicts and commands of one case, in its own names, as its expectations speak of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from replication_conflicts.publication.publication import Article
from replication_conflicts.publication.values import Row
from replication_conflicts.scenarios.outputs import Outputs, Record
from replication_conflicts.scenarios.play import CasePlay
from replication_conflicts.scenarios.suite import CASE_COLUMN
from replication_conflicts.simulation import Command


@dataclass(frozen=True)
class Named:
    """A change or a transaction: any of these is its name. Without a name it is NULL."""

    names: tuple[str, ...] = ()

    def has(self, name: object) -> bool:
        """Whether it is called so; None stands for NULL."""
        return name in self.names if self.names else name is None

    def __str__(self) -> str:
        return " or ".join(self.names) or "null"


class OwnRecords:
    """What came out about one case; no later build has run since this was made."""

    def __init__(self, play: CasePlay, outputs: Outputs) -> None:
        self._play = play
        self._names = play.names
        self._publication = play.shared.publication
        self._outputs = outputs

    # conflicts

    def conflicts(self, *, with_won: bool) -> list[dict[str, object]]:
        """The conflicts with all keys that expectations may have, `won` only if it is asked for."""
        records = self._outputs.conflicts(self._publication.name, self._names.code)
        return [self._conflict(record, with_won) for record in records]

    def _conflict(self, record: Record, with_won: bool) -> dict[str, object]:
        article = self._publication.articles[str(record["article"])]
        row_key = article.key_from_text(str(record["row_key"]))
        return {
            "article": article.name,
            "key": self._names.strip(article.key_row(row_key)),
            "kind": record["conflict_kind"],
            "type": record["conflict_type"],
            "reason_code": record["reason_code"],
            "loser": self._names.to_own(_text(record["loser_node"])),
            "winner": self._names.to_own(_text(record["winner_node"])),
            "lost": self._lost(article, record),
            "won": self._won(article, record) if with_won else None,
        }

    def _lost(self, article: Article, record: Record) -> Row | None:
        rows = self._outputs.lost_rows(self._publication, article.name)
        lost = rows.get(str(record["conflict_id"]))
        return None if lost is None else self._names.strip(lost)

    def _won(self, article: Article, record: Record) -> Row | None:
        """What the publisher held after the decision, as people are shown it."""
        rows = self._outputs.won_rows(self._publication, article.name)
        won = rows.get(str(record["conflict_id"]))
        return None if won is None else self._names.strip(won)

    # commands

    def commands(self, subscriber: str, *, with_sequence: bool) -> list[dict[str, object]]:
        """The commands that a subscriber has been sent, in order, with all keys of expectations.

        `sequence` only if it is asked for: as the commands would be counted without other cases.
        """
        sequences = self._sequences if with_sequence else {}
        return [
            {**self._command(one), "sequence": sequences.get(one.command_id)}
            for one in self._play.commands(subscriber)
        ]

    @cached_property
    def _sequences(self) -> dict[str, int]:
        return self._outputs.sequences(
            self._publication.name, self._names.code, self._names.publisher
        )

    def _command(self, command: Command) -> dict[str, object]:
        key = None
        if command.article is not None and command.key is not None:
            article = self._publication.articles[command.article]
            key = self._names.strip(article.key_row(command.key))
        lineage = {self._names.to_own(node): number for node, number in command.lineage.items()}
        return {
            "kind": command.kind,
            "subscriber": self._names.to_own(command.addressee),
            "transaction_id": self._transaction(command.transaction_id),
            "article": command.article,
            "operation": command.operation,
            "key": key,
            "row": None if command.row is None else self._names.strip(command.row),
            "origin": self._names.to_own(command.origin),
            # a version of merge replication begins with its node
            "old_version": self._names.to_own(command.old_version),
            "new_version": self._names.to_own(command.new_version),
            "lineage": lineage or None,
            "cause": self._cause(command.cause),
            "parameters": self._parameters(command),
        }

    def _parameters(self, command: Command) -> dict[str, str | None] | None:
        if command.parameters is None:
            return None
        return {
            name: self._names.to_own(text) if name in ("old_version", "new_version") else text
            for name, text in command.parameters.items()
            if name != CASE_COLUMN
        }

    def _cause(self, cause: str | None) -> Named:
        """The change behind a command; of a conflict the change that was decided with it."""
        change_id = self._conflicting_changes.get(cause, cause) if cause else None
        if change_id is None:
            return Named()
        steps = [
            name
            for name, references in self._play.references.items()
            if any(one.change_id == change_id for one in references)
        ]
        return self._named(steps, change_id)

    @cached_property
    def _conflicting_changes(self) -> dict[str, str]:
        """By conflict the change that was decided with it."""
        outcomes = self._outputs.outcomes(self._publication.name)
        return {
            str(outcome["conflict_id"]): change_id
            for change_id, outcome in outcomes.items()
            if outcome.get("conflict_id") is not None
        }

    def _transaction(self, transaction_id: str | None) -> Named:
        """The transaction behind a command, or of merge replication the session."""
        if transaction_id is None:
            return Named()
        outcomes = self._outputs.outcomes(self._publication.name)
        steps = [
            name
            for name, references in self._play.references.items()
            if any(
                outcomes.get(str(one.change_id), {}).get("transaction_id") == transaction_id
                for one in references
            )
        ]
        return self._named(steps, transaction_id)

    def _named(self, steps: Iterable[str], id_: str) -> Named:
        """By the `id` of its steps, and by the id that a raw row gives it."""
        return Named(tuple(dict.fromkeys([*steps, self._names.to_own_id(id_)])))


def _text(value: object) -> str | None:
    return None if value is None else str(value)
