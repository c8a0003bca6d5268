"""The loop of the Distribution Agent."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import islice, takewhile
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database import agent_tables
from replication_conflicts.database.engine import (
    DatabaseProblem,
    agent_transaction,
    lock_wait,
)
from replication_conflicts.database.faults import Fault, error_text, fault_of, is_locked
from replication_conflicts.database.locks import lock_tables
from replication_conflicts.distribution import reports
from replication_conflicts.distribution.apply import AgentProblem, Node, apply, naming, refusal
from replication_conflicts.distribution.later_rows import add_rows
from replication_conflicts.distribution.ports import (
    CommandSource,
    Refusal,
    Reinitialized,
    ReportSink,
    SnapshotSource,
)
from replication_conflicts.distribution.snapshot import (
    check_is_free,
    check_is_new,
    check_no_snapshot_is_awaited,
    replace_rows,
)
from replication_conflicts.distribution.transactions import (
    Transaction,
    Upcoming,
    in_batches,
    in_transactions,
)
from replication_conflicts.distribution.trial import Trial
from replication_conflicts.publication.commands import (
    LOG_CONFLICT,
    REINITIALIZE,
    AgentCommand,
    Place,
)

# how many transactions are tried together; a refused command waits for half as many at least
MOST_AHEAD = 1_000
_LONGEST_PAUSE_SECONDS = 5.0
# a clock may be off by less
_NO_TIME_SECONDS = 0.01

Result = TypeVar("Result")


@dataclass(frozen=True)
class Options:
    """`most_transactions` are committed together; `is_skipping`: refused commands are left out
    instead of ending the run; a database that is lost or locked is waited for up to
    `patience_seconds`; `is_replacing_rows`: the first snapshot may delete rows.
    """

    most_transactions: int = 100
    is_skipping: bool = False
    patience_seconds: float = 60.0
    is_replacing_rows: bool = False


@dataclass
class Summary:
    """What a run has done. `refused` are reported; the last of them has ended a stopped run."""

    place: Place = field(default_factory=Place)
    transactions: int = 0
    commands: Counter[str] = field(default_factory=Counter)
    changed_rows: int = 0
    snapshot_rows: int = 0
    reconnections: int = 0
    refused: list[Refusal] = field(default_factory=list)
    is_stopped: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class Ports:
    """Where commands and snapshots come from and reports go."""

    commands: CommandSource
    snapshots: SnapshotSource
    reports: ReportSink


@dataclass(frozen=True)
class _Work:
    """What a transaction of the database does, up to `place`.

    `freed`: ids of earlier commands, which are given once; `rows`: how many it changes.
    """

    place: Place
    transactions: Sequence[Transaction]
    freed: frozenset[str]
    rows: int
    refused: Sequence[Refusal] = ()


@dataclass(frozen=True)
class _Start:
    """Where a transaction of the database begins: behind a place, with earlier commands that may
    act now. `was_done`: what was in doubt is committed.
    """

    place: Place
    freed: Sequence[AgentCommand]
    was_done: bool

    def work(
        self, taken: Sequence[Transaction], rows: int, refused: Sequence[Refusal] = ()
    ) -> _Work:
        """What it has done when it has taken so much."""
        end = taken[-1].place if taken else self.place
        return _Work(end, taken, frozenset(one.command_id for one in self.freed), rows, refused)


class _Stop(Exception):
    """Ends the database transaction of refused commands without a trace."""

    def __init__(self, refused: Sequence[Refusal]) -> None:
        super().__init__(refused[0].error_text)
        self.refused = refused


class _StillRefused(Exception):
    """Undoes transactions that were tried together: some commands were refused to the last.

    `for_good`: those that need not be tried once more with what comes later.
    """

    def __init__(self, refusals: Sequence[Refusal], for_good: set[str]) -> None:
        super().__init__(refusals[0].error_text)
        self.refusals = refusals
        self.for_good = for_good


class Agent:
    """Carries one subscriber's commands to one database.

    `progress` is told of every batch: how many commands were in it, and the position.
    """

    def __init__(
        self,
        engine: Engine,
        node: Node,
        ports: Ports,
        options: Options | None = None,
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> None:
        self._engine = engine
        self._node = node
        self._ports = ports
        self._options = options or Options()
        self._progress = progress
        self._summary = Summary()
        # refused commands that nothing in the queue has let act, by id
        self._hopeless: set[str] = set()
        # until the database says that it is committed
        self._in_doubt: _Work | None = None

    @property
    def _names(self) -> tuple[str, str]:
        return (self._node.publication.name, self._node.name)

    @property
    def _articles(self) -> Collection[str]:
        return self._node.publication.articles

    def place(self) -> Place:
        """Up to which place of the queue the database has its commands."""
        with self._engine.begin() as connection:
            return agent_tables.read_position(connection, *self._names)

    def prepare(self) -> None:
        """Make the agent's tables, unless they are there; a lost database is not waited for."""
        agent_tables.create_tables(self._engine)

    def initialize(self) -> int:
        """Fill the tables with what every node starts with; the number of rows.

        Errors: AgentProblem when the database has commands already, or changes that wait for
        their upload, or rows that nobody has said to replace.
        """
        with self._starting_over() as connection:
            check_is_new(connection, self._node)
            self._lock_tables(connection)
            is_replacing = self._options.is_replacing_rows
            check_is_free(connection, self._node, is_replacing=is_replacing)
            first = self._ports.snapshots.first_rows()
            rows = replace_rows(connection, self._node, first.rows)
            self._node.capture.sent_before(connection, self._last_number())
            agent_tables.move_position(connection, *self._names, first.place)
            agent_tables.note_start(connection, *self._names, self._articles)
            if first.place > Place():
                self._keep_records(connection, first.place)
        self._summary.snapshot_rows += rows
        return self._summary.snapshot_rows

    def _keep_records(self, connection: Connection, place: Place) -> None:
        """What is not in rows that stand for a place: conflicts, and that it has started over."""
        records = self._ports.commands.records(place)
        while some := list(islice(records, MOST_AHEAD)):
            lost = [one for one in some if one.kind == LOG_CONFLICT]
            reports.log_conflicts(connection, self._names[0], lost)
            for one in some:
                if one.kind == REINITIALIZE and one.snapshot_position is not None:
                    event = self._reinitialized(one.snapshot_position)
                    reports.keep_event(connection, self._names[0], event)

    def run(self) -> Summary:
        """Carry out everything that there is."""
        started = time.monotonic()
        self._send_reports()
        self._begin()
        try:
            while self._round():
                pass
            # what people did since the last run may let a command act that could not then
            self._settle(Upcoming())
        except _Stop as stop:
            refused = stop.refused
            self._summary.is_stopped = True
            self._summary.refused.extend(refused)
            self._patiently(lambda: self._keep(refused))
        self._send_reports()
        self._summary.place = self._patiently(self.place)
        self._summary.seconds = time.monotonic() - started
        return self._summary

    def _begin(self) -> None:
        """What comes before the first command: articles that have come since the last run."""
        if not self._patiently(self._is_known):
            self._check_commands_are_whole()
            last = self._last_number()
            self._patiently(lambda: self._start(last))
        self._summary.snapshot_rows += self._patiently(self._take_later_articles)

    def _is_known(self) -> bool:
        with self._engine.begin() as connection:
            return agent_tables.is_known(connection, *self._names)

    def _check_commands_are_whole(self) -> None:
        """Errors: AgentProblem where commands alone would not make the published rows."""
        if not self._ports.commands.are_whole:
            raise AgentProblem(
                f"the commands for {self._node.name} do not begin with the first decision: where a"
                " publication has row filters, only runs that know a subscription write some for"
                " it. `distribute --initialize` fills the tables with what was decided before"
            )

    def _last_number(self) -> int:
        is_merge = self._node.publication.is_merge
        return self._ports.snapshots.last_number(self._node.name) if is_merge else 0

    def _start(self, last_number: int) -> None:
        """A database that starts with the first command gives no version number again."""
        with self._engine.begin() as connection:
            self._node.capture.sent_before(connection, last_number)
            agent_tables.note_start(connection, *self._names, self._articles)

    def _take_later_articles(self) -> int:
        """Their initial rows, beside what people have written meanwhile; the number of rows."""
        with self._starting_over() as connection:
            agent_tables.lock_position(connection, *self._names)
            later = agent_tables.later_articles(connection, *self._names, self._articles)
            if not later:
                return 0
            added = add_rows(connection, self._node, self._ports.snapshots.initial_rows(later))
            agent_tables.note_start(connection, *self._names, later)
        return added

    def _round(self) -> bool:
        """Take commands until there are none, or until a snapshot makes the rest obsolete."""
        place = self._patiently(self.place)
        has_begun = place > Place()
        upcoming = Upcoming(in_transactions(self._ports.commands.after(place)))
        while batch := next(in_batches(upcoming.ahead(), self._options.most_transactions), None):
            command = batch[0].reinitialize
            if command is not None:
                self._reinitialize(command)
                if self._patiently(self.place) <= place:
                    raise AgentProblem(f"command {command.command_id} does not lead on")
                return True
            if not has_begun:
                self._patiently(self._check_no_snapshot_is_awaited)
                has_begun = True
            self._take(batch, upcoming)
        return False

    def _check_no_snapshot_is_awaited(self) -> None:
        with self._engine.begin() as connection:
            if not agent_tables.is_known(connection, *self._names):
                check_no_snapshot_is_awaited(connection, self._node)

    # --- transactions

    def _take(self, batch: Sequence[Transaction], upcoming: Upcoming) -> None:
        """Commit a batch; where a command is refused, one transaction after the other."""
        end = batch[-1].place
        try:
            self._patiently(lambda: self._commit(batch))
        except DBAPIError:
            while self._settle(upcoming) < end:
                pass
        upcoming.done(end)

    def _commit(self, batch: Sequence[Transaction]) -> None:
        with agent_transaction(self._engine) as connection:
            start = self._take_up(connection)
            # after a lost answer: the database may have committed what is tried again
            left = [one for one in batch if one.place > start.place]
            commands = [command for one in left for command in one.commands]
            changed = apply(connection, self._node, [*start.freed, *commands])
            self._leave(connection, start.work(left, changed))
        self._count()

    def _take_up(self, connection: Connection) -> _Start:
        """The first thing that a transaction does.

        What is in doubt after a lost answer counts now, if it was committed: the database is past
        its place, and gives none of its earlier commands once more.
        """
        place = agent_tables.lock_position(connection, *self._names)
        freed = self._node.capture.freed(connection)
        work = self._in_doubt
        was_done = (
            work is not None
            and work.place <= place
            and all(one.command_id not in work.freed for one in freed)
        )
        if not was_done:
            self._in_doubt = None
        self._count()
        return _Start(place, freed, was_done)

    def _leave(self, connection: Connection, work: _Work) -> None:
        """The last thing that a transaction does."""
        if work.transactions:
            agent_tables.move_position(connection, *self._names, work.place)
        self._in_doubt = work

    def _settle(self, upcoming: Upcoming) -> Place:
        """Commit the next transaction, and those behind it that its refused commands wait for.

        What is refused to the last is left out, or ends the run before the transaction.
        """
        hopeless = set(self._hopeless)
        place: Place | None = None
        while place is None:
            place = self._settled(upcoming, hopeless)
        upcoming.done(place)
        return place

    def _settled(self, upcoming: Upcoming, hopeless: set[str]) -> Place | None:
        """None: it is to be tried without the commands that have turned out to be `hopeless`."""
        try:
            return self._patiently(lambda: self._try(upcoming, hopeless))
        except _StillRefused as found:
            if not self._options.is_skipping:
                raise _Stop(found.refusals[:1]) from found
            hopeless.update(one.command_id for one in found.refusals)
            self._hopeless |= found.for_good
            return None
        except DBAPIError as error:
            at_commit = error
            return self._patiently(lambda: self._give_up(upcoming, at_commit))

    def _try(self, upcoming: Upcoming, hopeless: Collection[str]) -> Place:
        taken: list[Transaction] = []
        with agent_transaction(self._engine) as connection:
            start = self._take_up(connection)
            trial = Trial(connection, self._node, hopeless)
            trial.take(start.freed)
            for transaction in _following(upcoming, start.place):
                trial.take(transaction.commands)
                taken.append(transaction)
                if not trial.aside or self._is_over(trial):
                    break
            if self._is_over(trial):
                raise _Stop(trial.refusals[:1])
            if trial.aside:
                raise _StillRefused(trial.waiting, self._for_good(trial, len(taken)))
            reports.keep_refusals(connection, self._names[0], trial.refusals, is_skipped=True)
            work = start.work(taken, trial.changed, trial.refusals)
            self._leave(connection, work)
        self._count()
        return work.place

    def _for_good(self, trial: Trial, taken: int) -> set[str]:
        """Commands that need not wait again: all that comes is behind them, or enough of it."""
        enough = 0 if taken < MOST_AHEAD else MOST_AHEAD // 2
        ids = (one.command_id for one in trial.waiting)
        return {one for one in ids if trial.has_waited(one) >= enough}

    def _is_over(self, trial: Trial) -> bool:
        return bool(trial.refusals) and not self._options.is_skipping

    def _give_up(self, upcoming: Upcoming, error: DBAPIError) -> Place:
        """The commit alone is refused, and no command can be found that it is about."""
        with agent_transaction(self._engine) as connection:
            start = self._take_up(connection)
            if start.was_done:
                # the next transaction is another one, which nobody has refused
                return start.place
            taken = list(islice(_following(upcoming, start.place), 1))
            commands = [*start.freed, *(command for one in taken for command in one.commands)]
            changes = [command for command in commands if command.changes_a_row]
            if not changes:
                raise AgentProblem(error_text(error)) from error
            refused = [refusal(connection, self._node, one, error) for one in changes]
            if not self._options.is_skipping:
                raise _Stop(refused)
            apply(connection, self._node, [one for one in commands if not one.changes_a_row])
            reports.keep_refusals(connection, self._names[0], refused, is_skipped=True)
            work = start.work(taken, 0, refused)
            self._leave(connection, work)
        self._count()
        return work.place

    def _keep(self, refused: Sequence[Refusal]) -> None:
        with self._engine.begin() as connection:
            reports.keep_refusals(connection, self._names[0], refused, is_skipped=False)

    def _count(self) -> None:
        """What was in doubt is committed."""
        work, self._in_doubt = self._in_doubt, None
        if work is None:
            return
        left_out = {one.command_id for one in work.refused}
        commands = [command for one in work.transactions for command in one.commands]
        kinds = Counter(one.kind for one in commands if one.command_id not in left_out)
        self._summary.transactions += len(work.transactions)
        self._summary.commands += kinds
        self._summary.changed_rows += work.rows
        self._summary.refused.extend(work.refused)
        if work.transactions:
            self._progress(len(commands), work.place.position)

    # --- snapshots

    def _reinitialize(self, command: AgentCommand) -> None:
        position = command.snapshot_position
        assert position is not None
        event = self._reinitialized(position)
        # once the snapshot is in the tables, what is made on top of it waits for the report
        self._ports.reports.check_takes_events()
        self._summary.snapshot_rows += self._patiently(lambda: self._start_over(command, event))
        self._summary.transactions += 1
        self._summary.commands[REINITIALIZE] += 1
        self._progress(1, position)
        self._send_reports()

    def _reinitialized(self, position: int) -> Reinitialized:
        return Reinitialized(self._node.name, position, datetime.now(timezone.utc))

    def _start_over(self, command: AgentCommand, event: Reinitialized) -> int:
        place = Place(event.snapshot_position)
        with self._starting_over() as connection:
            if agent_tables.lock_position(connection, *self._names) >= place:
                # after a lost answer: the snapshot is in the tables
                return 0
            # a row that came meanwhile would go, and what is noted of it would stay
            self._lock_tables(connection)
            count = replace_rows(connection, self._node, self._ports.snapshots.rows(command))
            agent_tables.move_position(connection, *self._names, place)
            agent_tables.note_start(connection, *self._names, self._articles)
            reports.keep_event(connection, self._names[0], event)
        return count

    def _lock_tables(self, connection: Connection) -> None:
        """Nobody else writes. Errors: AgentProblem when patience ends."""
        try:
            lock_tables(connection, self._articles, "exclusive", self._options.patience_seconds)
        except DatabaseProblem as problem:
            raise AgentProblem(str(problem)) from problem

    @contextmanager
    def _starting_over(self) -> Iterator[Connection]:
        # some constraints are checked by the commit alone
        with (
            naming("the snapshot is refused as a whole"),
            agent_transaction(self._engine) as connection,
        ):
            yield connection

    def _send_reports(self) -> None:
        self._patiently(lambda: reports.send(self._engine, *self._names, self._ports.reports))

    # --- a database that is away for a while

    def _patiently(self, action: Callable[[], Result]) -> Result:
        """Do something that may be repeated, until the database lets it.

        Errors: those of refused commands, and AgentProblem when patience ends.
        """
        pause, deadline = 0.1, 0.0
        while True:
            began = time.monotonic()
            try:
                return action()
            except DBAPIError as error:
                fault = fault_of(error)
                if fault is Fault.REFUSED:
                    # that is an answer
                    self._in_doubt = None
                    raise
                if fault is Fault.BROKEN:
                    raise _gone(error, fault) from error
                now = time.monotonic()
                waited = self._waited(error, now - began)
                deadline = deadline or now - waited + self._options.patience_seconds
                left = deadline - now
                if left < _NO_TIME_SECONDS:
                    raise _gone(error, fault) from error
                if fault is Fault.LOST:
                    self._engine.dispose()
                    self._summary.reconnections += 1
            time.sleep(min(pause, left))
            # the database pauses by itself
            if not waited:
                pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)

    def _waited(self, error: DBAPIError, taken: float) -> float:
        """How long it has waited for a lock: before that, much may have gone well."""
        return min(taken, lock_wait(self._engine)) if is_locked(error) else 0.0


def _following(upcoming: Upcoming, place: Place) -> Iterator[Transaction]:
    """What may be committed together: not a snapshot, and not more than there is time for."""
    # after a lost answer the database may have some of it
    coming = (one for one in upcoming.ahead() if one.place > place)
    return islice(takewhile(lambda one: one.reinitialize is None, coming), MOST_AHEAD)


def _gone(error: DBAPIError, fault: Fault) -> AgentProblem:
    what = "does not answer" if fault is Fault.LOST else "cannot go on"
    return AgentProblem(
        f"the subscriber's database {what}: {error_text(error)}. What is applied is noted there:"
        " call it again, with more patience where that helps"
    )
