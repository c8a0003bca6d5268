"""The sequential reader: runs, one after the other, over whatever has arrived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any

from tests.python.sequential_reader.commands import commands_of
from tests.python.sequential_reader.contract import Intake, Transaction
from tests.python.sequential_reader.publication import Check, Publication, read_publication
from tests.python.sequential_reader.queued import Party, Rows, Verdict, decide
from tests.python.sequential_reader.records import (
    Change,
    Command,
    Conflict,
    Event,
    FeedRow,
    Held,
    Key,
    Outcome,
    Rejection,
    Row,
    SubscriptionStatus,
)

Place = tuple[int, int]
"""A place in the queue, and 1 for what acts just after it."""


class PolicyChangeRefused(Exception):
    """The policy of a publication that has subscriptions may not change."""


@dataclass(frozen=True)
class Mark:
    """A subscription that has to be reinitialized, from the transaction at `position` on.

    `snapshot` is the publisher's live rows as the run left them that made the mark.
    """

    subscriber: str
    position: int
    snapshot_position: int | None = None
    snapshot: Mapping[str, Mapping[Key, Held]] | None = None


class SequentialReader:
    """A queue reader that takes one transaction at a time.

    `publication`: a name and the configuration in the form of dbt_project.yml; `initial`: per
    article the rows to start with, the article's columns and `row_version`; `checks`: per article
    Python callables in place of its check expressions; `judges_constraints` False: foreign keys
    only give the order of commands, and nothing fails.  Times are aware of their zone.
    """

    def __init__(
        self,
        name: str,
        configuration: Mapping[str, Any],
        subscribers: Iterable[str],
        initial: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
        checks: Mapping[str, list[Check]] | None = None,
        judges_constraints: bool = True,
    ) -> None:
        self.publication: Publication = read_publication(name, configuration, checks)
        self.subscribers: list[str] = list(subscribers)
        self.rows: Rows = {article: {} for article in self.publication.articles}
        self.outcomes: list[Outcome] = []
        self.conflicts: list[Conflict] = []
        self.rejected: list[Rejection] = []
        self.commands: list[Command] = []
        self.marks: list[Mark] = []
        self.events: list[tuple[Event, Place]] = []
        self.runs = 0
        self._judges_constraints = judges_constraints
        self._intake = Intake(self.publication)
        for article, rows in (initial or {}).items():
            self._start_with(article, rows)

    def _start_with(self, article_name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Rows that an article starts with: versions of the publisher's, made by no change."""
        article = self.publication.articles[article_name]
        for row in rows:
            self.rows[article_name][article.key_of(row)] = Held(
                row=article.row_of(row),
                version=row["row_version"],
                node=self.publication.publisher,
                change_id=None,
            )

    # --- results -------------------------------------------------------------------------------

    @property
    def waiting(self) -> list[Change]:
        """Changes of transactions that are not complete yet."""
        return self._intake.waiting

    @property
    def last_position(self) -> int | None:
        """The last place in the queue that a run has taken."""
        return self._intake.last_position

    def published(self, article: str) -> list[Row]:
        """The live rows of an article, with their `row_version`."""
        return [
            {**held.row, "row_version": held.version}
            for held in self.rows[article].values()
            if held.row is not None
        ]

    def conflict_rows(self) -> list[Conflict]:
        """The conflicts that the publisher keeps a record of."""
        return [conflict for conflict in self.conflicts if conflict.is_kept_at_publisher]

    def subscription_status(self) -> list[SubscriptionStatus]:
        """Every subscription: waiting for its reinitialization or not, and the last place taken."""
        statuses = []
        for subscriber in self.subscribers:
            mark = self._last_mark(subscriber)
            is_waiting = mark is not None and self._lifting_event(mark) is None
            statuses.append(
                SubscriptionStatus(
                    subscriber=subscriber,
                    status="reinitialize" if is_waiting else "active",
                    reinitialize_since=mark.position if mark and is_waiting else None,
                    last_position=max(
                        (
                            outcome.position
                            for outcome in self.outcomes
                            if outcome.node == subscriber
                        ),
                        default=None,
                    ),
                )
            )
        return statuses

    def subscriber_commands(self, subscriber: str) -> list[Command]:
        """What one subscriber gets, in order.

        From its `reinitialize` command on nothing else, until it reports the snapshot that it took;
        then what was decided after the place that the snapshot stands for.
        """
        commands = []
        for command in self.commands:
            if command.subscriber not in (None, subscriber):
                continue
            if command.kind == "reinitialize" or not self._is_behind_snapshot(subscriber, command):
                commands.append(replace(command, subscriber=subscriber))
        return sorted(commands, key=lambda command: (command.position, command.sequence))

    def _is_behind_snapshot(self, subscriber: str, command: Command) -> bool:
        for mark in self.marks:
            if mark.subscriber != subscriber or command.position < mark.position:
                continue
            event = self._lifting_event(mark)
            if event is None:
                return True
            snapshot_position = event[0].snapshot_position
            if snapshot_position is None:
                snapshot_position = event[1][0]
            if command.position <= snapshot_position:
                return True
        return False

    # --- one run -------------------------------------------------------------------------------

    def set_policy(self, policy: str) -> None:
        """A policy may change only while the publication has no subscriptions."""
        if policy != self.publication.policy and self.subscribers:
            raise PolicyChangeRefused(
                f"{self.publication.name}: {self.publication.policy} -> {policy}, "
                f"subscriptions: {', '.join(self.subscribers)}"
            )
        self.publication = replace(self.publication, policy=policy)
        self._intake.publication = self.publication

    def add_subscriber(self, subscriber: str) -> None:
        """One more subscription from here on."""
        self.subscribers.append(subscriber)

    def remove_conflicts(self, article: str, key: Key, loser: str) -> None:
        """A person's decision to drop the record of a row's conflicts that a node lost.

        The decision leaves the outcomes as they were.  In queued updating nothing else can be
        decided.
        """
        self.conflicts = [
            conflict
            for conflict in self.conflicts
            if (conflict.article, conflict.key, conflict.loser_node) != (article, key, loser)
        ]

    def run(
        self,
        delivery: Iterable[FeedRow] = (),
        events: Iterable[Event] = (),
        now: datetime | None = None,
    ) -> None:
        """Take one delivery.  `now`: the time of the run, for changes that come from the future."""
        run = self.runs
        self.runs += 1
        # before the changes: an event acts at a place in the queue, and this run may pass that
        # place
        for event in events:
            self._receive_event(event)
        new, other_content = self._intake.receive(run, delivery)
        transactions, rejected = self._intake.take(
            self._intake.complete_transactions(new),
            other_content,
            {self.publication.publisher, *self.subscribers},
            run,
            now or datetime.now(timezone.utc),
        )
        self.rejected.extend(Rejection(change, reason, run) for change, reason in rejected)
        first_new_mark = len(self.marks)
        for transaction in transactions:
            self._take(transaction, run)
        self._complete_snapshots(first_new_mark)

    def _receive_event(self, event: Event) -> None:
        """An event acts at the place that it names, else after the last one taken before."""
        if any(event == known for known, _ in self.events):
            return
        place = (event.position, 0)
        if event.position is None:
            place = (self.last_position or 0, 1)
        self.events.append((event, (place[0] or 0, place[1])))

    def _take(self, transaction: Transaction, run: int) -> None:
        """Decide one transaction, and record what was decided."""
        publication = self.publication
        node = str(transaction.changes[0].node)
        position = transaction.position
        assert position is not None
        is_waiting = self._is_waiting(node, position)
        verdicts = decide(publication, self.rows, transaction, is_waiting, self._judges_constraints)
        is_condemned = any(verdict.outcome in ("rejected", "failed") for verdict in verdicts)
        is_reinitialized = is_condemned and publication.policy == "publisher_wins_reinitialize"
        for verdict in verdicts:
            self._record_outcome(verdict, position, run)
            self._record_conflict(verdict, position, run)
        commands = commands_of(
            publication, verdicts, position, set(self.subscribers), is_reinitialized, run
        )
        if is_reinitialized and not is_waiting:
            self.marks.append(Mark(node, position))
            commands = [_reinitialize(node, position, transaction, run), *commands]
            commands = [replace(c, sequence=number) for number, c in enumerate(commands)]
        self.commands.extend(commands)

    def _record_outcome(self, verdict: Verdict, position: int, run: int) -> None:
        change = verdict.change
        held = verdict.held
        loser = verdict.loser or Party("", None)
        winner = verdict.winner or Party("", None)
        assert change.change_id is not None
        assert change.position is not None
        self.outcomes.append(
            Outcome(
                article=change.article,
                key=change.key,
                change_id=change.change_id,
                node=str(change.node),
                transaction_id=change.transaction_id,
                transaction_position=position,
                position=change.position,
                operation=str(change.operation),
                old_version=change.old_version,
                new_version=change.new_version,
                held_version=held.version if held else None,
                held_node=held.node if held else None,
                held_change_id=held.change_id if held else None,
                is_clean=verdict.is_clean,
                outcome=verdict.outcome,
                publisher_version=verdict.after.version if verdict.after else None,
                is_written=verdict.outcome in ("applied", "won"),
                conflict_kind=verdict.kind,
                conflict_type=verdict.type,
                reason_code=verdict.reason_code,
                loser_node=loser.node or None,
                loser_change_id=loser.change_id,
                winner_node=winner.node or None,
                winner_change_id=winner.change_id,
                run=run,
            )
        )

    def _record_conflict(self, verdict: Verdict, position: int, run: int) -> None:
        """Where the record is kept is the article's choice."""
        if not verdict.has_conflict_row:
            return
        change = verdict.change
        assert verdict.kind
        assert verdict.type
        assert verdict.reason_code
        assert verdict.loser
        assert verdict.winner
        assert change.position is not None
        logging = self.publication.articles[change.article].conflict_logging
        self.conflicts.append(
            Conflict(
                article=change.article,
                key=change.key,
                kind=verdict.kind,
                type=verdict.type,
                reason_code=verdict.reason_code,
                loser_node=verdict.loser.node,
                loser_change_id=verdict.loser.change_id,
                winner_node=verdict.winner.node,
                winner_change_id=verdict.winner.change_id,
                lost=verdict.lost.row if verdict.lost else None,
                transaction_id=change.transaction_id,
                transaction_position=position,
                position=change.position,
                is_kept_at_publisher=logging in ("publisher", "both"),
                run=run,
            )
        )

    # --- subscriptions that wait for their reinitialization --------------------------------------

    def _last_mark(self, subscriber: str) -> Mark | None:
        marks = [mark for mark in self.marks if mark.subscriber == subscriber]
        return marks[-1] if marks else None

    def _lifting_event(self, mark: Mark) -> tuple[Event, Place] | None:
        """The first event of the subscriber that acts after the transaction that made the mark."""
        lifting = [
            (event, place)
            for event, place in self.events
            if event.subscriber == mark.subscriber and place > (mark.position, 0)
        ]
        return min(lifting, key=lambda pair: pair[1], default=None)

    def _is_waiting(self, node: str, position: int) -> bool:
        """Marked, and no event yet that acts before this place in the queue."""
        mark = self._last_mark(node)
        if mark is None:
            return False
        event = self._lifting_event(mark)
        return event is None or (position, 0) <= event[1]

    def _complete_snapshots(self, first_new_mark: int) -> None:
        """A snapshot is the published tables as the run leaves them."""
        for number in range(first_new_mark, len(self.marks)):
            mark = replace(
                self.marks[number],
                snapshot_position=self.last_position,
                snapshot={
                    article: {key: held for key, held in rows.items() if held.row is not None}
                    for article, rows in self.rows.items()
                },
            )
            self.marks[number] = mark
            self.commands = [
                replace(command, snapshot_position=self.last_position)
                if command.kind == "reinitialize"
                and command.subscriber == mark.subscriber
                and command.position == mark.position
                else command
                for command in self.commands
            ]


def _reinitialize(node: str, position: int, transaction: Transaction, run: int) -> Command:
    return Command(
        position=position,
        sequence=0,
        subscriber=node,
        kind="reinitialize",
        origin=None,
        transaction_id=transaction.changes[0].transaction_id,
        article=None,
        operation=None,
        key=None,
        row=None,
        old_version=None,
        new_version=None,
        change_id=transaction.changes[0].change_id,
        run=run,
    )
