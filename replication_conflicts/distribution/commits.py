"""Committing transactions of the queue, each exactly once, whatever answer is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database import agent_tables
from replication_conflicts.database.engine import agent_transaction
from replication_conflicts.database.faults import error_text
from replication_conflicts.distribution import reports
from replication_conflicts.distribution.apply import AgentProblem, apply, refusal
from replication_conflicts.distribution.ports import Refusal
from replication_conflicts.distribution.run import Run
from replication_conflicts.distribution.transactions import Transaction, Upcoming
from replication_conflicts.distribution.trial import Trial
from replication_conflicts.publication.commands import AgentCommand, Place

# how many transactions are tried together; a refused command waits for half as many at least
MOST_AHEAD = 1_000

Result = TypeVar("Result")


class Stop(Exception):
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


class Commits:
    """The transactions of one run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        # refused commands that nothing in the queue has let act, by id
        self._hopeless: set[str] = set()
        # until the database says that it is committed
        self._in_doubt: _Work | None = None

    def take(self, batch: Sequence[Transaction], upcoming: Upcoming) -> None:
        """Commit a batch; where a command is refused, one transaction after the other.

        Errors: Stop.
        """
        end = batch[-1].place
        try:
            self._patiently(lambda: self._commit(batch))
        except DBAPIError:
            while self.settle(upcoming) < end:
                pass
        upcoming.done(end)

    def settle(self, upcoming: Upcoming) -> Place:
        """Commit the next transaction, and those behind it that its refused commands wait for.

        What is refused to the last is left out, or ends the run before the transaction.
        Errors: Stop.
        """
        hopeless = set(self._hopeless)
        place: Place | None = None
        while place is None:
            place = self._settled(upcoming, hopeless)
        upcoming.done(place)
        return place

    def keep(self, refused: Sequence[Refusal]) -> None:
        """Keep the refused commands that have ended the run."""

        def keep() -> None:
            with self._run.engine.begin() as connection:
                reports.keep_refusals(connection, self._run.publication, refused, is_skipped=False)

        self._patiently(keep)

    def _patiently(self, action: Callable[[], Result]) -> Result:
        try:
            return self._run.patiently(action)
        except DBAPIError:
            # that is an answer
            self._in_doubt = None
            raise

    def _commit(self, batch: Sequence[Transaction]) -> None:
        with agent_transaction(self._run.engine) as connection:
            start = self._take_up(connection)
            # after a lost answer: the database may have committed what is tried again
            left = [one for one in batch if one.place > start.place]
            commands = [command for one in left for command in one.commands]
            changed = apply(connection, self._run.node, [*start.freed, *commands])
            self._leave(connection, start.work(left, changed))
        self._count()

    def _take_up(self, connection: Connection) -> _Start:
        """The first thing that a transaction does.

        What is in doubt after a lost answer counts now, if it was committed: the database is past
        its place, and gives none of its earlier commands once more.
        """
        place = agent_tables.lock_position(connection, *self._run.names)
        freed = self._run.node.capture.freed(connection)
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
            agent_tables.move_position(connection, *self._run.names, work.place)
        self._in_doubt = work

    def _count(self) -> None:
        """What was in doubt is committed."""
        work, self._in_doubt = self._in_doubt, None
        if work is None:
            return
        left_out = {one.command_id for one in work.refused}
        commands = [command for one in work.transactions for command in one.commands]
        kinds = Counter(one.kind for one in commands if one.command_id not in left_out)
        summary = self._run.summary
        summary.transactions += len(work.transactions)
        summary.commands += kinds
        summary.changed_rows += work.rows
        summary.refused.extend(work.refused)
        if work.transactions:
            self._run.progress(len(commands), work.place.position)

    # --- refused commands

    def _settled(self, upcoming: Upcoming, hopeless: set[str]) -> Place | None:
        """None: it is to be tried without the commands that have turned out to be `hopeless`."""
        try:
            return self._patiently(lambda: self._try(upcoming, hopeless))
        except _StillRefused as found:
            if not self._run.options.is_skipping:
                raise Stop(found.refusals[:1]) from found
            hopeless.update(one.command_id for one in found.refusals)
            self._hopeless |= found.for_good
            return None
        except DBAPIError as error:
            at_commit = error
            return self._patiently(lambda: self._give_up(upcoming, at_commit))

    def _try(self, upcoming: Upcoming, hopeless: Collection[str]) -> Place:
        taken: list[Transaction] = []
        with agent_transaction(self._run.engine) as connection:
            start = self._take_up(connection)
            trial = Trial(connection, self._run.node, hopeless)
            trial.take(start.freed)
            for transaction in _following(upcoming, start.place):
                trial.take(transaction.commands)
                taken.append(transaction)
                if not trial.aside or self._is_over(trial):
                    break
            if self._is_over(trial):
                raise Stop(trial.refusals[:1])
            if trial.aside:
                raise _StillRefused(trial.waiting, self._for_good(trial, len(taken)))
            reports.keep_refusals(
                connection, self._run.publication, trial.refusals, is_skipped=True
            )
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
        return bool(trial.refusals) and not self._run.options.is_skipping

    def _give_up(self, upcoming: Upcoming, error: DBAPIError) -> Place:
        """The commit alone is refused, and no command can be found that it is about."""
        node = self._run.node
        with agent_transaction(self._run.engine) as connection:
            start = self._take_up(connection)
            if start.was_done:
                # the next transaction is another one, which nobody has refused
                return start.place
            taken = list(islice(_following(upcoming, start.place), 1))
            commands = [*start.freed, *(command for one in taken for command in one.commands)]
            changes = [command for command in commands if command.changes_a_row]
            if not changes:
                raise AgentProblem(error_text(error)) from error
            refused = [refusal(connection, node, one, error) for one in changes]
            if not self._run.options.is_skipping:
                raise Stop(refused)
            apply(connection, node, [one for one in commands if not one.changes_a_row])
            reports.keep_refusals(connection, self._run.publication, refused, is_skipped=True)
            work = start.work(taken, 0, refused)
            self._leave(connection, work)
        self._count()
        return work.place


def _following(upcoming: Upcoming, place: Place) -> Iterator[Transaction]:
    """What may be committed together: not a snapshot, and not more than there is time for."""
    # after a lost answer the database may have some of it
    coming = (one for one in upcoming.ahead() if one.place > place)
    return islice(takewhile(lambda one: one.reinitialize is None, coming), MOST_AHEAD)
