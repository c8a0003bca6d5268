"""The loop of the Distribution Agent."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import Engine

from replication_conflicts.database import agent_tables
from replication_conflicts.distribution.apply import AgentProblem, Node
from replication_conflicts.distribution.beginning import Beginning
from replication_conflicts.distribution.commits import Commits, Stop
from replication_conflicts.distribution.run import Options, Ports, Run, Summary
from replication_conflicts.distribution.transactions import Upcoming, in_batches, in_transactions
from replication_conflicts.publication.commands import REINITIALIZE, AgentCommand, Place

__all__ = ["Agent", "Options", "Ports", "Summary"]


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
        self._run = Run(engine, node, ports, options or Options(), progress)
        self._beginning = Beginning(self._run)
        self._commits = Commits(self._run)

    def place(self) -> Place:
        """Up to which place of the queue the database has its commands."""
        return self._run.place()

    def prepare(self) -> None:
        """Make the agent's tables, unless they are there; a lost database is not waited for."""
        agent_tables.create_tables(self._run.engine)

    def initialize(self) -> int:
        """Fill the tables with what every node starts with; the number of rows.

        Errors: AgentProblem when the database has commands already, or changes that wait for
        their upload, or rows that nobody has said to replace.
        """
        self._run.summary.initial_rows += self._beginning.initialize()
        return self._run.summary.initial_rows

    def run(self) -> Summary:
        """Carry out everything that there is."""
        run, summary = self._run, self._run.summary
        started = time.monotonic()
        run.send_reports()
        summary.initial_rows += self._beginning.begin()
        try:
            while self._round():
                pass
            # what people did since the last run may let a command act that could not then
            self._commits.settle(Upcoming())
        except Stop as stop:
            summary.is_stopped = True
            summary.refused.extend(stop.refused)
            self._commits.keep(stop.refused)
        run.send_reports()
        summary.place = run.patiently(run.place)
        summary.seconds = time.monotonic() - started
        return summary

    def _round(self) -> bool:
        """Take commands until there are none, or until a snapshot makes the rest obsolete."""
        run = self._run
        place = run.patiently(run.place)
        has_begun = place > Place()
        upcoming = Upcoming(in_transactions(run.ports.commands.after(place)))
        while batch := next(in_batches(upcoming.ahead(), run.options.most_transactions), None):
            command = batch[0].reinitialize
            if command is not None:
                self._reinitialize(command)
                if run.patiently(run.place) <= place:
                    raise AgentProblem(f"command {command.command_id} does not lead on")
                return True
            if not has_begun:
                run.patiently(self._beginning.check_no_snapshot_is_awaited)
                has_begun = True
            self._commits.take(batch, upcoming)
        return False

    def _reinitialize(self, command: AgentCommand) -> None:
        run, position = self._run, command.snapshot_position
        assert position is not None
        # once the snapshot is in the tables, what is made on top of it waits for the report
        run.ports.reports.check_takes_events()
        run.summary.snapshot_rows += run.patiently(
            lambda: self._beginning.start_over(command, position)
        )
        run.summary.transactions += 1
        run.summary.commands[REINITIALIZE] += 1
        run.progress(1, position)
        run.send_reports()
