"""The sequential reader: runs, one after the other, over whatever has arrived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from itertools import takewhile
from typing import Any, cast

from tests.python.sequential_reader.commands import queued_commands
from tests.python.sequential_reader.contract import Intake, Transaction
from tests.python.sequential_reader.interventions import (
    PendingInterventions,
    decide_conflict,
    undo_refused,
)
from tests.python.sequential_reader.journal import Journal
from tests.python.sequential_reader.merge_session import decide_session
from tests.python.sequential_reader.merge_state import MergeRows, initial_row
from tests.python.sequential_reader.publication import Check, Publication, read_publication
from tests.python.sequential_reader.queued import Rows, decide
from tests.python.sequential_reader.recording import queued_conflict, queued_outcome
from tests.python.sequential_reader.records import (
    ApplyError,
    Change,
    Command,
    Conflict,
    ConflictDecision,
    Event,
    FeedRow,
    Held,
    Outcome,
    Rejection,
    Row,
    SubscriptionStatus,
)
from tests.python.sequential_reader.reinitialization import (
    Mark,
    Place,
    Reinitializations,
    reinitialize,
)
from tests.python.sequential_reader.retention import ConflictAges
from tests.python.sequential_reader.subscriptions import (
    ConfigurationRefused,
    problems,
    read_subscription,
)


class PolicyChangeRefused(ConfigurationRefused):
    """The policy of a publication that has subscriptions may not change."""


class SequentialReader:
    """A queue reader that takes one transaction at a time.

    `publication`: a name and the configuration in the form of dbt_project.yml; `subscribers`: their
    names, or for merge replication name to options; `initial`: per article the rows to start with,
    the article's columns and `row_version`; `checks` and `row_filters`: per article Python
    callables in place of its SQL expressions; `judges_constraints` False: foreign keys only give
    the order of commands, and nothing fails.  Times are aware of their zone.
    """

    def __init__(
        self,
        name: str,
        configuration: Mapping[str, Any],
        subscribers: Iterable[str] | Mapping[str, Mapping[str, Any]],
        initial: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
        checks: Mapping[str, list[Check]] | None = None,
        judges_constraints: bool = True,
        row_filters: Mapping[str, Mapping[str, Check]] | None = None,
    ) -> None:
        self.publication: Publication = read_publication(name, configuration, checks, row_filters)
        self.subscribers: list[str] = []
        self.rows: Rows = {article: {} for article in self.publication.articles}
        self.journal = Journal()
        self.rejected: list[Rejection] = []
        self.stale_decisions: list[ConflictDecision] = []
        self.runs = 0
        self._reinitializations = Reinitializations()
        self._judges_constraints = judges_constraints
        self._intake = Intake(self.publication)
        self._interventions = PendingInterventions()
        self._ages = ConflictAges(self.publication.conflict_retention_days)
        options = subscribers if isinstance(subscribers, Mapping) else {}
        for subscriber in subscribers:
            self.add_subscriber(subscriber, options.get(subscriber))
        for article, rows in (initial or {}).items():
            self._start_with(article, rows)

    def _start_with(self, article_name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Rows that an article starts with: versions of the publisher's, made by no change."""
        article = self.publication.articles[article_name]
        for row in rows:
            held = Held(
                row=article.row_of(row),
                version=row["row_version"],
                node=self.publication.publisher,
                change_id=None,
            )
            if self.publication.is_merge:
                held = initial_row(self.publication, article.row_of(row), row["row_version"])
            self.rows[article_name][article.key_of(row)] = held

    # --- results -------------------------------------------------------------------------------

    @property
    def outcomes(self) -> list[Outcome]:
        """What was decided about every change."""
        return self.journal.outcomes

    @property
    def conflicts(self) -> list[Conflict]:
        """All conflicts, wherever their record is kept, but those that people have settled."""
        return self.journal.conflicts

    @property
    def commands(self) -> list[Command]:
        """All commands to all subscribers."""
        return self.journal.commands

    @property
    def marks(self) -> list[Mark]:
        """Subscriptions that had, or have, to be reinitialized."""
        return self._reinitializations.marks

    @property
    def events(self) -> list[tuple[Event, Place]]:
        """Reports of snapshots taken, and where in the queue they act."""
        return self._reinitializations.events

    @property
    def waiting(self) -> list[Change]:
        """Changes of transactions that are not complete yet."""
        return self._intake.waiting

    @property
    def last_position(self) -> int | None:
        """The last place in the queue that a run has taken."""
        return self._intake.last_position

    @property
    def last_place(self) -> int:
        """The last place in the queue that was taken, by a change or by a report."""
        return max(self.last_position or 0, self._interventions.last_report)

    def published(self, article: str) -> list[Row]:
        """The live rows of an article, with their `row_version`."""
        return [
            {**held.row, "row_version": held.version}
            for held in self.rows[article].values()
            if held.row is not None
        ]

    def conflict_rows(self) -> list[Conflict]:
        """The conflicts that the publisher keeps a record of, and that are not too old."""
        return [
            conflict
            for conflict in self.conflicts
            if conflict.is_kept_at_publisher and self._ages.is_kept(conflict)
        ]

    def subscription_status(self) -> list[SubscriptionStatus]:
        """Every subscription: waiting for its reinitialization or not, and the last place taken."""
        statuses = []
        for subscriber in self.subscribers:
            mark = self._reinitializations.last_mark(subscriber)
            is_waiting = mark is not None and self._reinitializations.lifting_event(mark) is None
            statuses.append(
                SubscriptionStatus(
                    subscriber=subscriber,
                    status="reinitialize" if is_waiting else "active",
                    reinitialize_since=mark.position if mark and is_waiting else None,
                    last_position=max(
                        (
                            min(outcome.position, outcome.transaction_position)
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
            is_behind = self._reinitializations.is_behind_snapshot(subscriber, command)
            if command.kind == "reinitialize" or not is_behind:
                commands.append(replace(command, subscriber=subscriber))
        return sorted(commands, key=lambda command: (command.position, command.sequence))

    # --- configuration ---------------------------------------------------------------------------

    def set_policy(self, policy: str) -> None:
        """A policy may change only while the publication has no subscriptions."""
        if policy != self.publication.policy and self.subscribers:
            raise PolicyChangeRefused(
                f"{self.publication.name}: {self.publication.policy} -> {policy}, "
                f"subscriptions: {', '.join(self.subscribers)}"
            )
        self._configure(replace(self.publication, policy=policy))

    def add_subscriber(self, subscriber: str, options: Mapping[str, Any] | None = None) -> None:
        """One more subscription from here on."""
        self.subscribers.append(subscriber)
        known = {**self.publication.subscriptions, subscriber: read_subscription(options)}
        self._configure(replace(self.publication, subscriptions=known))

    def set_subscription(self, subscriber: str, options: Mapping[str, Any]) -> None:
        """Another priority from here on; the type of a subscription never changes."""
        changed = read_subscription(options)
        if changed.type != self.publication.subscriptions[subscriber].type:
            raise ConfigurationRefused(f"subscription {subscriber}: its type never changes")
        known = {**self.publication.subscriptions, subscriber: changed}
        self._configure(replace(self.publication, subscriptions=known))

    def _configure(self, publication: Publication) -> None:
        self.publication = publication
        self._intake.publication = publication

    # --- one run -------------------------------------------------------------------------------

    def run(
        self,
        delivery: Iterable[FeedRow] = (),
        events: Iterable[Event] = (),
        now: datetime | None = None,
        errors: Iterable[ApplyError] = (),
        decisions: Iterable[ConflictDecision] = (),
    ) -> None:
        """Take one delivery.  `now`: the time of the run, for changes that come from the future;
        `errors`: refused commands; `decisions`: what people have decided.

        Errors: ConfigurationRefused, before anything is taken.
        """
        found = problems(self.publication) if self.publication.is_merge else []
        if found:
            raise ConfigurationRefused("\n".join(found))
        run = self.runs
        self.runs += 1
        # before the changes: an event acts at a place in the queue, and this run may pass that
        # place
        for event in events:
            self._reinitializations.receive(event, self.last_position)
        last_position, last_place = self.last_position, self.last_place
        self._interventions.receive(errors, decisions, last_place)
        new, other_content = self._intake.receive(delivery)
        transactions, rejected = self._intake.take(
            self._intake.complete_transactions(new),
            other_content,
            {self.publication.publisher, *self.subscribers},
            now or datetime.now(timezone.utc),
        )
        self.rejected.extend(Rejection(change, reason, run) for change, reason in rejected)
        first_new_mark = len(self.marks)
        for transaction in transactions:
            position = transaction.position or 0
            is_passed = last_position is not None and position <= last_position
            if self.publication.is_merge and is_passed:
                self._put_behind(transaction, last_place)
                self._intervene((last_place, 2), run)
            self._intervene((position, 0), run)
            self._ages.decided(transaction.position or 0, transaction.changes)
            if self.publication.is_merge:
                self._take_session(transaction, run)
            else:
                self._take(transaction, run)
        self._intervene((self.last_place, 2), run)
        self._complete_snapshots(first_new_mark)

    def _put_behind(self, session: Transaction, place: int) -> None:
        """A session that the queue has passed is taken behind the last place that was taken."""
        session.behind = place
        for number, change in enumerate(session.changes):
            self._interventions.behind[place] += 1
            position = place + self._interventions.behind[place]
            session.changes[number] = replace(change, position=position)

    def _intervene(self, until: Place, run: int) -> None:
        """What acts in the queue before a place."""
        for place, one in self._interventions.due(until):
            if isinstance(one, ApplyError):
                self._undo(one, run)
            else:
                self._decide(one, place, run)

    def _undo(self, error: ApplyError, run: int) -> None:
        command = next(c for c in self.commands if c.command_id == error.command_id)
        rows = cast(MergeRows, self.rows)
        undone = undo_refused(self.publication, rows, command, error)
        self.journal.record(
            self.publication, undone.session, error.position, run, more=undone.drafts
        )

    def _decide(self, decision: ConflictDecision, place: int, run: int) -> None:
        """The record of a conflict goes when it is decided; the outcomes stay as they were."""
        conflict = self.journal.latest_conflict(decision.article, decision.key, decision.loser)
        rows = cast(MergeRows, self.rows)
        done = None
        if conflict is not None:
            done = decide_conflict(self.publication, rows, conflict, decision, place)
        if conflict is None or done is None:
            self.stale_decisions.append(decision)
            return
        self.conflicts.remove(conflict)
        self.journal.record(self.publication, done.session, place, run, more=done.drafts)

    def _take(self, transaction: Transaction, run: int) -> None:
        """Decide one transaction of queued updating, and record what was decided."""
        publication = self.publication
        node = str(transaction.changes[0].node)
        position = transaction.position
        assert position is not None
        is_waiting = self._reinitializations.is_waiting(node, position)
        verdicts = decide(publication, self.rows, transaction, is_waiting, self._judges_constraints)
        is_condemned = any(verdict.outcome in ("rejected", "failed") for verdict in verdicts)
        # what breaks a constraint is compensated under every policy
        is_reinitialized = (
            is_condemned
            and publication.policy == "publisher_wins_reinitialize"
            and not any(verdict.outcome == "failed" for verdict in verdicts)
        )
        for verdict in verdicts:
            self.outcomes.append(queued_outcome(verdict, position, run))
            left = self.rows[verdict.change.article].get(verdict.change.key)
            conflict = queued_conflict(publication, verdict, left, position, run)
            self.conflicts.extend([conflict] if conflict else [])
        commands = queued_commands(
            publication, verdicts, position, set(self.subscribers), is_reinitialized, run
        )
        if is_reinitialized and not is_waiting:
            self.marks.append(Mark(node, position))
            commands = [reinitialize(node, position, transaction.changes[0], run), *commands]
            commands = [replace(c, sequence=number) for number, c in enumerate(commands)]
        # where two transactions have one place, which the contract forbids, their commands share it
        before = takewhile(lambda command: command.position == position, reversed(self.commands))
        first = sum(1 for _ in before)
        self.commands.extend(replace(c, sequence=first + c.sequence) for c in commands)

    def _take_session(self, transaction: Transaction, run: int) -> None:
        """Decide one synchronization session of merge replication, and record what was decided."""
        publication = self.publication
        rows = cast(MergeRows, self.rows)
        position = transaction.position
        assert position is not None
        session = decide_session(publication, rows, transaction, self._judges_constraints)
        self.journal.record(publication, session, position, run)

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
            self.commands[:] = [
                replace(command, snapshot_position=self.last_position)
                if command.kind == "reinitialize"
                and command.subscriber == mark.subscriber
                and command.position == mark.position
                else command
                for command in self.commands
            ]
