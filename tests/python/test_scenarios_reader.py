"""The suites of queued updating, played against the sequential reader instead of dbt builds.

No JVM: this shows that nodes, steps and comparison are right, and that the sequential reader does
what the cases say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from replication_conflicts.publication.commands import SnapshotTable
from replication_conflicts.publication.publication import Publication
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.publication.values import Row
from replication_conflicts.scenarios.compare import Comparison
from replication_conflicts.scenarios.outputs import Outputs, Record
from replication_conflicts.scenarios.play import CasePlay, SharedPublication
from replication_conflicts.scenarios.side_by_side import (
    case_names,
    shared_options,
    shared_publication,
)
from replication_conflicts.scenarios.suite import CASE_COLUMN, Suite, read_suite
from replication_conflicts.scenarios.waves import RunDone, RunDue, play_in_waves
from replication_conflicts.simulation import Command, Positions, initial_rows
from tests.python.documented_comparison import addressee
from tests.python.sequential_reader import Event, PolicyChangeRefused, SequentialReader

SCENARIOS = Path(__file__).parents[1] / "scenarios"
SUITES = (
    "contract_violations_queued",
    "queued_reinitialized",
    "queued_retention",
    "conflict_retention",
    "conflict_logging",
    "contract_violations",
    "failed_changes_order",
    "failed_changes_queued",
    "queued_default_policy",
    "queued_policy_change",
    "queued_policy_change_refused",
    "queued_publisher_wins",
    "queued_reinitialize",
    "queued_subscriber_wins",
)
CHECKS = {
    "failed_changes_queued": {
        "purchase": [lambda row: None if row["amount"] is None else row["amount"] > 0]
    }
}


class ReaderOutputs(Outputs):
    """The results of a sequential reader in the place of the pipeline's relations."""

    def __init__(self, reader: SequentialReader) -> None:
        self._reader = reader

    def published_rows(self, publication: Publication, article: str) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for stored in self._live(article):
            found.setdefault(str(stored.row[CASE_COLUMN]), []).append(dict(stored.row))
        return found

    def stored_rows(self, publication: Publication, article: str) -> dict[str, list[StoredRow]]:
        found: dict[str, list[StoredRow]] = {}
        for stored in self._live(article):
            found.setdefault(str(stored.row[CASE_COLUMN]), []).append(stored)
        return found

    def snapshot_rows(
        self, publication: Publication, tables: Sequence[SnapshotTable], code: str
    ) -> list[StoredRow]:
        mark = self._reader.marks[tables[0].table_version]
        return [
            StoredRow(article, held.row, str(held.version))
            for article, rows in (mark.snapshot or {}).items()
            for held in rows.values()
            if held.row is not None and held.row[CASE_COLUMN] == code
        ]

    def commands(self, publication: Publication, code: str, subscriber: str) -> list[Command]:
        sent = self._reader.subscriber_commands(subscriber)
        return [
            Command(
                command_id=f"{one.position}/{one.sequence}/{one.kind}",
                subscriber=subscriber,
                addressee=addressee(self._reader, one),
                kind=one.kind,
                queue_position=one.position,
                sequence=one.sequence,
                origin=one.origin,
                article=one.article,
                operation=one.operation,
                key=one.key,
                row=one.row,
                old_version=one.old_version,
                new_version=one.new_version,
                lineage=one.lineage or {},
                snapshot=self._snapshot(subscriber, one.position)
                if one.kind == "reinitialize"
                else (),
                snapshot_position=one.snapshot_position,
            )
            for one in sent
            if one.key is None or one.key[0] == code
        ]

    def _snapshot(self, subscriber: str, position: int) -> tuple[SnapshotTable, ...]:
        for number, mark in enumerate(self._reader.marks):
            if (mark.subscriber, mark.position) == (subscriber, position):
                return (SnapshotTable("", "", number),)
        return ()

    def outcomes(self, publication: str) -> dict[str, Record]:
        return {
            one.change_id: {"change_id": one.change_id, "outcome": one.outcome}
            for one in self._reader.outcomes
        }

    def conflicts(self, publication: str, code: str) -> list[Record]:
        return [
            {
                "article": one.article,
                "row_key": self._key_text(one.article, one.key),
                "conflict_kind": one.kind,
                "conflict_type": one.type,
                "reason_code": one.reason_code,
                "loser_node": one.loser_node,
                "winner_node": one.winner_node,
                "loser_change_id": one.loser_change_id,
                "conflict_id": str(number),
            }
            for number, one in enumerate(self._reader.conflict_rows())
            if one.key[0] == code
        ]

    def lost_rows(self, publication: Publication, article: str) -> dict[str, Row]:
        return {
            str(number): dict(one.lost)
            for number, one in enumerate(self._reader.conflict_rows())
            if one.article == article and one.lost is not None
        }

    def won_rows(self, publication: Publication, article: str) -> dict[str, Row | None]:
        return {
            str(number): None if one.won is None else dict(one.won)
            for number, one in enumerate(self._reader.conflict_rows())
            if one.article == article
        }

    def rejected(self, publication: str, code: str) -> list[Record]:
        return [
            {"reason": one.reason}
            for one in self._reader.rejected
            if one.change.row[CASE_COLUMN] == code
        ]

    def status(self, publication: str, subscriber: str) -> Record | None:
        for one in self._reader.subscription_status():
            if one.subscriber == subscriber:
                return {
                    "status": one.status,
                    "reinitialize_since": one.reinitialize_since,
                    "last_position": one.last_position,
                }
        return None

    def _live(self, article: str) -> Iterable[StoredRow]:
        for held in self._reader.rows[article].values():
            if held.row is not None:
                yield StoredRow(article, held.row, str(held.version))

    def _key_text(self, article: str, key: tuple[Any, ...]) -> str:
        return "|".join(str(part) for part in key)


class ReaderRuns:
    """Runs of the sequential reader for the cases of one suite."""

    def __init__(self, suite: Suite, is_hard: bool) -> None:
        self._is_hard = is_hard
        publication = shared_publication(suite)
        options = shared_options(suite)
        shared = SharedPublication(publication, Positions(), suite.subscriptions)
        names = case_names(suite)
        identities = [one.publisher_identity(publication.name) for one in names]
        stored = [
            initial_rows(
                publication,
                {name: [one.hide(row) for row in rows] for name, rows in case.initial.items()},
                identity,
            )
            for case, one, identity in zip(suite.cases, names, identities, strict=True)
        ]
        subscribers = [one.to_shared(name) for one in names for name in suite.subscriptions]
        initial: dict[str, list[dict[str, Any]]] = {}
        for row in (row for rows in stored for row in rows):
            initial.setdefault(row.article, []).append({**row.row, "row_version": row.version})
        self.reader = SequentialReader(
            publication.name, options, subscribers, initial, CHECKS.get(suite.name)
        )
        self.outputs = ReaderOutputs(self.reader)
        self.plays = [
            CasePlay(
                case,
                one,
                shared,
                identity,
                self.outputs,
                lambda _s, _a, rows: [True] * len(rows),
                rows,
            )
            for case, one, identity, rows in zip(
                suite.cases, names, identities, stored, strict=True
            )
        ]

    def run(self, due: Mapping[CasePlay, RunDue]) -> RunDone:
        """One run for all cases that wait."""
        feed, events = [], []
        for play in due:
            delivery = play.delivery()
            feed += [(row.article, dict(row.values)) for row in delivery.feed]
            events += [
                Event(one.subscriber, one.snapshot_position, position, one.at)
                for one, position in delivery.events
            ]
            try:
                if play.policy is not None:
                    self.reader.set_policy(play.policy)
            except PolicyChangeRefused as refused:
                return RunDone(False, (str(refused),))
        if self._is_hard:
            feed = [row for row in feed for _ in range(2)]
        self.reader.run(feed, events)
        if self._is_hard:
            self.reader.run()
        return RunDone(True)


@pytest.mark.parametrize("is_hard", [False, True], ids=["plain", "hard"])
@pytest.mark.parametrize("name", SUITES)
def test_suite(name: str, is_hard: bool) -> None:
    [file] = SCENARIOS.glob(f"*/{name}.yml")
    suite = read_suite(file)
    runs = ReaderRuns(suite, is_hard)
    finished, failures = play_in_waves({play: play.steps() for play in runs.plays}, runs.run)
    found = {play.case.name: message for play, message in failures.items()}
    for play in finished:
        if play.case.name == "QP-11":
            continue  # decisions of people are no business of the reader's loop
        differences = Comparison(play, runs.outputs).differences()
        if differences:
            found[play.case.name] = str(differences)
    syncs = {
        play: play.last_synchronizations()
        for play in finished
        if play.case.converges and not play.case.expects_error
    }
    converged, failures = play_in_waves(syncs, runs.run)
    found |= {play.case.name: message for play, message in failures.items()}
    for play in converged:
        if differences := Comparison(play, runs.outputs).convergence():
            found[play.case.name] = str(differences)
    assert not found
