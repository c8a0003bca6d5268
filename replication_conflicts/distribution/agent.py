"""The loop of the Distribution Agent."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from replication_conflicts.distribution import reports, tables
from replication_conflicts.distribution.apply import AgentProblem, Node, apply, refusal, try_each
from replication_conflicts.distribution.commands import (
    AgentCommand,
    Place,
    Transaction,
    in_batches,
    in_transactions,
)
from replication_conflicts.distribution.database import agent_transaction
from replication_conflicts.distribution.faults import Fault, error_text, fault_of
from replication_conflicts.distribution.ports import (
    CommandSource,
    Refusal,
    Reinitialized,
    ReportSink,
    SnapshotRow,
    SnapshotSource,
)
from replication_conflicts.distribution.snapshot import replace_rows
from replication_conflicts.nodes.commands import REINITIALIZE

_LONGEST_PAUSE_SECONDS = 5.0

Result = TypeVar("Result")


@dataclass(frozen=True)
class Options:
    """`most_transactions` are committed together; `is_skipping`: refused commands are left out
    instead of ending the run; a lost database is waited for up to `patience_seconds`.
    """

    most_transactions: int = 100
    is_skipping: bool = False
    patience_seconds: float = 60.0


@dataclass
class Summary:
    """What a run has done. `refused` are reported; the last of them has ended a stopped run."""

    position: int = 0
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


class _Stop(Exception):
    """Ends the database transaction of a refused command without a trace."""

    def __init__(self, refused: Refusal) -> None:
        super().__init__(refused.error_text)
        self.refused = refused


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

    @property
    def _names(self) -> tuple[str, str]:
        return (self._node.publication.name, self._node.name)

    def place(self) -> Place:
        """Up to which place of the queue the database has its commands."""
        with self._engine.begin() as connection:
            return tables.read_position(connection, *self._names)

    def prepare(self) -> None:
        """Make the agent's tables, unless they are there; a lost database is not waited for."""
        tables.create_tables(self._engine)

    def initialize(self) -> int:
        """Fill the tables with what every node starts with; the number of rows.

        Errors: AgentProblem when the database has commands already.
        """
        with self._engine.begin() as connection:
            if tables.is_known(connection, *self._names):
                raise AgentProblem(
                    f"{self._node.name} is initialized already; its tables stay as they are"
                )
        rows = self._ports.snapshots.initial_rows()
        self._summary.snapshot_rows += self._start_over(rows, 0, None)
        return self._summary.snapshot_rows

    def run(self) -> Summary:
        """Carry out everything that there is."""
        started = time.monotonic()
        self._send_reports()
        self._patiently(self._resume)
        try:
            while self._round():
                pass
        except _Stop as stop:
            self._summary.is_stopped = True
            self._summary.refused.append(stop.refused)
        self._send_reports()
        self._summary.position = self._patiently(self.place).position
        self._summary.seconds = time.monotonic() - started
        return self._summary

    def _resume(self) -> None:
        """What people did since the last run may let a command act that could not then."""
        with agent_transaction(self._engine) as connection:
            self._node.capture.applied(connection, ())

    def _round(self) -> bool:
        """Take commands until there are none, or until a snapshot makes the rest obsolete."""
        place = self._patiently(self.place)
        transactions = in_transactions(self._ports.commands.after(place))
        for batch in in_batches(transactions, self._options.most_transactions):
            command = batch[0].reinitialize
            if command is not None:
                self._reinitialize(command)
                return True
            self._take(batch)
            size = sum(len(transaction.commands) for transaction in batch)
            self._progress(size, batch[-1].place.position)
        return False

    # --- transactions

    def _take(self, batch: Sequence[Transaction]) -> None:
        """Commit a batch; where a command is refused, one transaction after the other."""
        try:
            self._patiently(lambda: self._commit(batch))
        except DBAPIError as error:
            if fault_of(error) is not Fault.REFUSED:
                raise _gone(error) from error
            if len(batch) > 1:
                for transaction in batch:
                    self._take([transaction])
                return
            self._settle(batch[0])

    def _commit(self, batch: Sequence[Transaction]) -> None:
        with agent_transaction(self._engine) as connection:
            place = tables.lock_position(connection, *self._names)
            # after a lost answer: the database may have committed what is tried again
            left = [one for one in batch if one.place > place]
            if not left:
                return
            commands = [command for one in left for command in one.commands]
            changed = apply(connection, self._node, commands)
            tables.move_position(connection, *self._names, left[-1].place)
        self._count(left, Counter(command.kind for command in commands), changed)

    def _settle(self, transaction: Transaction) -> None:
        """A transaction that holds a refused command: stop before it, or leave that out."""
        try:
            self._patiently(lambda: self._commit_without_refused(transaction))
        except _Stop as stop:
            refused = stop.refused
            self._patiently(lambda: self._keep(refused))
            raise
        except DBAPIError as error:
            if fault_of(error) is not Fault.REFUSED:
                raise _gone(error) from error
            # no single command was refused, only all of them together, at the commit
            at_commit = error
            self._patiently(lambda: self._give_up(transaction, at_commit))

    def _commit_without_refused(self, transaction: Transaction) -> None:
        is_skipping = self._options.is_skipping
        with agent_transaction(self._engine) as connection:
            if tables.lock_position(connection, *self._names) >= transaction.place:
                return
            trial = try_each(connection, self._node, transaction, is_skipping=is_skipping)
            if trial.refusals and not is_skipping:
                raise _Stop(trial.refusals[0])
            reports.keep_refusals(connection, self._names[0], trial.refusals, is_skipped=True)
            tables.move_position(connection, *self._names, transaction.place)
        self._count([transaction], trial.kinds, trial.changed)
        self._summary.refused.extend(trial.refusals)

    def _give_up(self, transaction: Transaction, error: DBAPIError) -> None:
        changes = [one for one in transaction.commands if one.changes_a_row]
        if not changes:
            raise AgentProblem(error_text(error)) from error
        command = changes[-1]
        with agent_transaction(self._engine) as connection:
            tables.lock_position(connection, *self._names)
            refused = refusal(connection, self._node, command, error)
            is_skipping = self._options.is_skipping
            reports.keep_refusals(connection, self._names[0], [refused], is_skipping)
            if is_skipping:
                tables.move_position(connection, *self._names, transaction.place)
        if not is_skipping:
            raise _Stop(refused)
        self._count([transaction], Counter(), 0)
        self._summary.refused.append(refused)

    def _keep(self, refused: Refusal) -> None:
        with self._engine.begin() as connection:
            reports.keep_refusals(connection, self._names[0], [refused], is_skipped=False)

    def _count(self, transactions: Sequence[Transaction], kinds: Counter[str], rows: int) -> None:
        self._summary.transactions += len(transactions)
        self._summary.commands += kinds
        self._summary.changed_rows += rows

    # --- snapshots

    def _reinitialize(self, command: AgentCommand) -> None:
        position = command.snapshot_position
        if position is None:
            raise AgentProblem(f"command {command.command_id} does not say what its snapshot holds")
        event = Reinitialized(self._node.name, position, datetime.now(timezone.utc))

        def take() -> int:
            return self._start_over(self._ports.snapshots.rows(command), position, event)

        self._summary.snapshot_rows += self._patiently(take)
        self._summary.transactions += 1
        self._summary.commands[REINITIALIZE] += 1
        self._progress(1, position)
        self._send_reports()

    def _start_over(
        self, rows: Iterable[SnapshotRow], position: int, event: Reinitialized | None
    ) -> int:
        with agent_transaction(self._engine) as connection:
            held = tables.lock_position(connection, *self._names)
            if event is not None and held >= Place(position):
                # after a lost answer: the snapshot is in the tables
                return 0
            count = replace_rows(connection, self._node.tables, self._node.capture, rows)
            tables.move_position(connection, *self._names, Place(position))
            if event is not None:
                reports.keep_event(connection, self._names[0], event)
        return count

    def _send_reports(self) -> None:
        self._patiently(lambda: reports.send(self._engine, *self._names, self._ports.reports))

    # --- a database that is away for a while

    def _patiently(self, action: Callable[[], Result]) -> Result:
        """Do something that may be repeated, until the database lets it.

        Errors: those of refused commands, and AgentProblem when patience ends.
        """
        waited, pause = 0.0, 0.1
        while True:
            try:
                return action()
            except DBAPIError as error:
                fault = fault_of(error)
                if fault is Fault.REFUSED:
                    raise
                if waited >= self._options.patience_seconds:
                    raise _gone(error) from error
                if fault is Fault.LOST:
                    self._engine.dispose()
                    self._summary.reconnections += 1
            time.sleep(pause)
            waited += pause
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)


def _gone(error: DBAPIError) -> AgentProblem:
    return AgentProblem(f"the subscriber's database does not answer: {error_text(error)}")
