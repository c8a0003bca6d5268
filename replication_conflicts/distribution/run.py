"""What the parts of a run of the agent have in common."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database import agent_tables
from replication_conflicts.database.engine import lock_wait
from replication_conflicts.database.faults import Fault, error_text, fault_of, is_locked
from replication_conflicts.distribution import reports
from replication_conflicts.distribution.apply import AgentProblem, Node
from replication_conflicts.distribution.ports import (
    CommandSource,
    Refusal,
    ReportSink,
    SnapshotSource,
)
from replication_conflicts.publication.commands import Place

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
    """What a run has done. `refused` are reported; the last of them has ended a stopped run.

    `initial_rows`: what the tables began with; `snapshot_rows`: of snapshots that commands named.
    """

    place: Place = field(default_factory=Place)
    transactions: int = 0
    commands: Counter[str] = field(default_factory=Counter)
    changed_rows: int = 0
    initial_rows: int = 0
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
class Run:
    """One database, whose commands go there, how, and what has been done.

    `progress` is told of every batch: how many commands were in it, and the position.
    """

    engine: Engine
    node: Node
    ports: Ports
    options: Options = field(default_factory=Options)
    progress: Callable[[int, int], None] = lambda *_: None
    summary: Summary = field(default_factory=Summary)

    @property
    def publication(self) -> str:
        """The publication's name."""
        return self.node.publication.name

    @property
    def names(self) -> tuple[str, str]:
        """By which the agent's tables name the subscriber."""
        return (self.publication, self.node.name)

    @property
    def articles(self) -> Collection[str]:
        """The names of the articles, parents first."""
        return self.node.publication.articles

    def place(self) -> Place:
        """Up to which place of the queue the database has its commands."""
        with self.engine.begin() as connection:
            return agent_tables.read_position(connection, *self.names)

    def send_reports(self) -> None:
        """Send what has not been reported yet."""
        self.patiently(lambda: reports.send(self.engine, *self.names, self.ports.reports))

    def patiently(self, action: Callable[[], Result]) -> Result:
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
                    raise
                if fault is Fault.BROKEN:
                    raise _gone(error, fault) from error
                now = time.monotonic()
                waited = self._waited(error, now - began)
                deadline = deadline or now - waited + self.options.patience_seconds
                left = deadline - now
                if left < _NO_TIME_SECONDS:
                    raise _gone(error, fault) from error
                if fault is Fault.LOST:
                    self.engine.dispose()
                    self.summary.reconnections += 1
            time.sleep(min(pause, left))
            # the database pauses by itself
            if not waited:
                pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)

    def _waited(self, error: DBAPIError, taken: float) -> float:
        """How long it has waited for a lock: before that, much may have gone well."""
        return min(taken, lock_wait(self.engine)) if is_locked(error) else 0.0


def _gone(error: DBAPIError, fault: Fault) -> AgentProblem:
    what = "does not answer" if fault is Fault.LOST else "cannot go on"
    return AgentProblem(
        f"the subscriber's database {what}: {error_text(error)}. What is applied is noted there:"
        " call it again, with more patience where that helps"
    )
