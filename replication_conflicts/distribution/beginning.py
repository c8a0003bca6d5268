"""What comes before commands, or instead of them: the rows that a node begins with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from itertools import islice

from sqlalchemy import Connection

from replication_conflicts.database import agent_tables
from replication_conflicts.database.engine import DatabaseProblem, agent_transaction
from replication_conflicts.database.locks import lock_tables
from replication_conflicts.distribution import reports
from replication_conflicts.distribution.apply import AgentProblem, Node, check_columns, naming
from replication_conflicts.distribution.later_rows import add_rows
from replication_conflicts.distribution.ports import CommandSource, Reinitialized
from replication_conflicts.distribution.run import Run
from replication_conflicts.distribution.snapshot import (
    check_is_free,
    check_is_new,
    check_no_snapshot_is_awaited,
    replace_rows,
)
from replication_conflicts.publication.commands import (
    LOG_CONFLICT,
    REINITIALIZE,
    AgentCommand,
    Place,
)

_RECORDS_AT_ONCE = 1_000


def check_is_not_ahead(node: Node, commands: CommandSource, place: Place) -> None:
    """Errors: AgentProblem where a database has more commands than there are.

    It would be told nothing until the queue has come so far once more.
    """
    if place > Place() and not commands.reach(place):
        raise AgentProblem(
            f"{node.name} has its commands up to position {place}, and nothing has been decided"
            " there or after it: its commands came from another schema, or what was decided has"
            " been begun anew. Correct the schema (option --published), or start over: `capture"
            " remove --discard`, `capture install --existing-rows snapshot`, `distribute"
            " --initialize`"
        )


class Beginning:
    """The start of one subscriber's database, and each time that it starts over."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def initialize(self) -> int:
        """Fill the tables with what every node starts with; the number of rows.

        Errors: AgentProblem when the database has commands already, or changes that wait for
        their upload, or rows that nobody has said to replace.
        """
        node, names = self._run.node, self._run.names
        with self._starting_over() as connection:
            check_is_new(connection, node)
            self._lock_tables(connection)
            check_is_free(connection, node, is_replacing=self._run.options.is_replacing_rows)
            first = self._run.ports.snapshots.first_rows()
            rows = replace_rows(connection, node, first.rows)
            node.capture.sent_before(connection, self._last_number())
            agent_tables.move_position(connection, *names, first.place)
            agent_tables.note_start(connection, *names, self._run.articles)
            if first.place > Place():
                self._keep_records(connection, first.place)
        return rows

    def begin(self) -> int:
        """What comes before the first command: articles that have come since the last run.

        The number of their rows. Errors: AgentProblem where commands alone would not make the
        published rows, or would not be carried out.
        """
        run = self._run
        if run.patiently(self._can_begin):
            check_is_not_ahead(run.node, run.ports.commands, run.patiently(run.place))
        else:
            self._check_commands_are_whole()
            last = self._last_number()
            run.patiently(lambda: self._start(last))
        return run.patiently(self._take_later_articles)

    def check_no_snapshot_is_awaited(self) -> None:
        """Errors: AgentProblem where rows are there that the first snapshot was to replace."""
        with self._run.engine.begin() as connection:
            if not agent_tables.is_known(connection, *self._run.names):
                check_no_snapshot_is_awaited(connection, self._run.node)

    def start_over(self, command: AgentCommand, position: int) -> int:
        """Replace the tables by a snapshot, which stands for a position; the number of rows."""
        run, event = self._run, self._reinitialized(position)
        with self._starting_over() as connection:
            if agent_tables.lock_position(connection, *run.names) >= Place(position):
                # after a lost answer: the snapshot is in the tables
                return 0
            # a row that came meanwhile would go, and what is noted of it would stay
            self._lock_tables(connection)
            count = replace_rows(connection, run.node, run.ports.snapshots.rows(command))
            agent_tables.move_position(connection, *run.names, Place(position))
            agent_tables.note_start(connection, *run.names, run.articles)
            reports.keep_event(connection, run.publication, event)
        return count

    def _can_begin(self) -> bool:
        """Whether a snapshot or a command has come."""
        with self._run.engine.begin() as connection:
            check_columns(connection, self._run.node)
            return agent_tables.is_known(connection, *self._run.names)

    def _check_commands_are_whole(self) -> None:
        if not self._run.ports.commands.are_whole:
            raise AgentProblem(
                f"the commands for {self._run.node.name} do not begin with the first decision:"
                " where a publication has row filters, only runs that know a subscription write"
                " some for it. `distribute --initialize` fills the tables with what was decided"
                " before"
            )

    def _last_number(self) -> int:
        node = self._run.node
        return self._run.ports.snapshots.last_number(node.name) if node.publication.is_merge else 0

    def _start(self, last_number: int) -> None:
        """A database that starts with the first command gives no version number again."""
        with self._run.engine.begin() as connection:
            self._run.node.capture.sent_before(connection, last_number)
            agent_tables.note_start(connection, *self._run.names, self._run.articles)

    def _take_later_articles(self) -> int:
        """Their initial rows, beside what people have written meanwhile; the number of rows."""
        names, snapshots = self._run.names, self._run.ports.snapshots
        with self._starting_over() as connection:
            agent_tables.lock_position(connection, *names)
            later = agent_tables.later_articles(connection, *names, self._run.articles)
            if not later:
                return 0
            added = add_rows(connection, self._run.node, snapshots.initial_rows(later))
            agent_tables.note_start(connection, *names, later)
        return added

    def _keep_records(self, connection: Connection, place: Place) -> None:
        """What is not in rows that stand for a place: conflicts, and that it has started over."""
        records = self._run.ports.commands.records(place)
        while some := list(islice(records, _RECORDS_AT_ONCE)):
            lost = [one for one in some if one.kind == LOG_CONFLICT]
            reports.log_conflicts(connection, self._run.publication, lost)
            for one in some:
                if one.kind == REINITIALIZE and one.snapshot_position is not None:
                    event = self._reinitialized(one.snapshot_position)
                    reports.keep_event(connection, self._run.publication, event)

    def _reinitialized(self, position: int) -> Reinitialized:
        return Reinitialized(self._run.node.name, position, datetime.now(timezone.utc))

    def _lock_tables(self, connection: Connection) -> None:
        """Nobody else writes. Errors: AgentProblem when patience ends."""
        patience = self._run.options.patience_seconds
        try:
            lock_tables(connection, self._run.articles, "exclusive", patience)
        except DatabaseProblem as problem:
            raise AgentProblem(str(problem)) from problem

    @contextmanager
    def _starting_over(self) -> Iterator[Connection]:
        # some constraints are checked by the commit alone
        with (
            naming("the snapshot is refused as a whole"),
            agent_transaction(self._run.engine) as connection,
        ):
            yield connection
