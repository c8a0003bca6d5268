"""What a documented case expects, beside what came out of its play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from replication_conflicts.publication.publication import Publication
from replication_conflicts.scenarios.own_records import Named
from tests.python.sequential_reader import Command, Conflict, SequentialReader

if TYPE_CHECKING:
    from tests.python.documented_cases import Play


def conflict_record(publication: Publication, conflict: Conflict) -> dict[str, Any]:
    """A conflict of the reader as the expectations of a scenario have it."""
    return {
        "article": conflict.article,
        "key": publication.articles[conflict.article].key_row(conflict.key),
        "kind": conflict.kind,
        "type": conflict.type,
        "reason_code": conflict.reason_code,
        "loser": conflict.loser_node,
        "winner": conflict.winner_node,
        "lost": conflict.lost,
        "won": conflict.won,
    }


class Comparison:
    """Compares a play that has come to its last step."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.reader = play.reader
        self.publication = play.publication

    def differences(self) -> list[str]:
        """All that is not as the case expects."""
        expect = self.play.case.expect
        problems = []
        for node, rows in expect.rows.items():
            problems += self.rows(node, rows, "after the last step")
        if expect.conflicts is not None:
            problems += self._compare_conflicts()
        for name, expected in expect.outcomes.items():
            problems += self._compare_outcomes(name, expected)
        if expect.rejected is not None:
            found = Counter(rejection.reason for rejection in self.reader.rejected)
            if found != Counter(expect.rejected):
                problems.append(f"rejected: {dict(found)} instead of {expect.rejected}")
        for subscriber, commands in expect.commands.items():
            found_commands = self.reader.subscriber_commands(subscriber)
            kept = [self._command(c) for c in found_commands]
            if len(kept) != len(commands) or not all(
                self._fits(record, wanted) for record, wanted in zip(kept, commands, strict=False)
            ):
                problems.append(f"commands of {subscriber}: {kept} instead of {commands}")
        for subscriber, fields in expect.subscriptions.items():
            status = next(
                s for s in self.reader.subscription_status() if s.subscriber == subscriber
            )
            for field, value in fields.items():
                if getattr(status, field) != value:
                    problems.append(f"subscription {subscriber}: {status} instead of {fields}")
        return problems

    def rows(self, node: str, expected: Any, when: str) -> list[str]:
        """Where a node's rows are not those expected; `same`: those published, in its part."""
        problems = []
        for article in self.publication.articles:
            published = [
                {name: value for name, value in row.items() if name != "row_version"}
                for row in self.reader.published(article)
            ]
            held = published if node == self.play.hq.name else self.play.node(node).rows(article)
            if expected == "same":
                wanted = [row for row in published if self.play.is_inside(node, article, row)]
            else:
                wanted = expected.get(article)
            if wanted is not None and _as_set(held) != _as_set(wanted):
                problems.append(f"{when}, {node}, {article}: {held} instead of {wanted}")
        return problems

    def _compare_conflicts(self) -> list[str]:
        wanted = list(self.play.case.expect.conflicts or ())
        found = [conflict_record(self.publication, one) for one in self.reader.conflict_rows()]
        left = list(found)
        missing = []
        for one in wanted:
            fitting = next((record for record in left if self._fits(record, one)), None)
            if fitting is None:
                missing.append(one)
            else:
                left.remove(fitting)
        if missing or left:
            return [f"conflicts: missing {missing}, not expected {left}"]
        return []

    def _command(self, command: Command) -> dict[str, Any]:
        key = None
        if command.article and command.key is not None:
            key = self.publication.articles[command.article].key_row(command.key)
        return {
            "kind": command.kind,
            "article": command.article,
            "operation": command.operation,
            "key": key,
            "row": command.row,
            "origin": command.origin,
            "subscriber": addressee(self.reader, command),
            "old_version": command.old_version,
            "new_version": command.new_version,
            "lineage": dict(command.lineage) if command.lineage else None,
            "transaction_id": self._transaction(command.transaction_id),
            # a build counts from 1
            "sequence": command.sequence + 1,
            "cause": self._change(command.change_id),
        }

    def _change(self, change_id: str | None) -> Named:
        """A change, as its step is called, or by the id of a raw row."""
        return self._named({change_id}, change_id)

    def _transaction(self, transaction_id: str | None) -> Named:
        changes = {
            one.change_id for one in self.reader.outcomes if one.transaction_id == transaction_id
        }
        return self._named(changes, transaction_id)

    def _named(self, changes: Collection[str | None], own: str | None) -> Named:
        if own is None:
            return Named()
        steps = [
            name
            for name, references in self.play.references.items()
            if any(one.change_id in changes for one in references)
        ]
        return Named((*steps, own))

    def _fits(self, record: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
        """The record has what is wanted; rows and keys by value, as their article types them."""
        for name, value in wanted.items():
            if isinstance(record[name], Named):
                if not record[name].has(value):
                    return False
                continue
            if isinstance(value, Mapping) and name != "lineage":
                article = self.publication.articles[record["article"]]
                if not value.keys() <= article.columns.keys():
                    # a row of another article
                    return False
                typed = {column: article.columns[column].coerce(v) for column, v in value.items()}
                if name != "key":
                    typed = {column: typed.get(column) for column in article.columns}
                value = typed
            if record[name] != value:
                return False
        return True

    def _compare_outcomes(self, name: str, expected: Any) -> list[str]:
        problems = []
        outcomes = {outcome.change_id: outcome for outcome in self.reader.outcomes}
        for reference in self.play.references[name]:
            outcome = outcomes.get(str(reference.change_id))
            found = outcome.outcome if outcome else None
            wanted = expected
            if isinstance(expected, Mapping):
                article = self.publication.articles[reference.article]
                wanted = expected[reference.article][article.key_text(reference.key)]
            if found != wanted:
                problems.append(f"outcome of {name} ({reference}): {found} instead of {wanted}")
        return problems


def addressee(reader: SequentialReader, command: Command) -> str | None:
    """Whom a command names; None: it is for all."""
    written = {one.command_id: one.subscriber for one in reader.commands}
    return written[command.command_id]


def _as_set(rows: Any) -> Counter[Any]:
    return Counter(
        tuple(sorted((name, repr(value)) for name, value in row.items())) for row in rows
    )
