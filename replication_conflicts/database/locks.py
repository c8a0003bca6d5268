"""Keeping others from writing to tables while what is in them is looked at and replaced."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from typing import Literal

from sqlalchemy import Connection, inspect
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database.engine import DatabaseProblem, lock_wait
from replication_conflicts.database.faults import Fault, fault_of
from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.statements import run_plain

# PostgreSQL's names; who holds the second one may also change the table
Mode = Literal["share row exclusive", "exclusive", "access exclusive"]

# well below PostgreSQL's deadlock_timeout of a second, after which it ends somebody's transaction
SHORT_TRY_SECONDS = 0.2
_LONGEST_TRY_SECONDS = 5.0
_LONGEST_PAUSE_SECONDS = 1.0
# what others may hold meanwhile
_BESIDE: dict[Mode, tuple[str, ...]] = {
    "share row exclusive": ("AccessShareLock", "RowShareLock"),
    "exclusive": ("AccessShareLock",),
    "access exclusive": (),
}


def lock_tables(
    connection: Connection,
    names: Iterable[str],
    mode: Mode,
    seconds: float | None = None,
    *,
    longest_try: float | None = None,
) -> None:
    """Let nobody else write to these tables, as far as there are any, until the transaction ends.

    All take them in the order of their names, so that none waits for another in a circle. SQLite
    has let nobody else write since the transaction began.

    Behind who waits for such a lock PostgreSQL keeps everybody waiting. So this tries for a short
    while, lets others through and comes again, each time for twice as long: transactions that
    overlap, and all end some time, do not keep it away. `seconds`: in all; default: as long as for
    any lock.
    Errors: DatabaseProblem, naming who keeps the tables.
    """
    if connection.dialect.name != "postgresql":
        return
    inspector = inspect(connection)
    there = [name for name in sorted(set(names)) if inspector.has_table(name)]
    if not there:
        return
    patience = lock_wait(connection.engine) if seconds is None else seconds
    deadline = time.monotonic() + patience
    longest = _LONGEST_TRY_SECONDS if longest_try is None else longest_try
    trying = SHORT_TRY_SECONDS
    while not _has_locked(connection, there, mode, trying):
        left = deadline - time.monotonic()
        if left <= 0:
            raise DatabaseProblem(_kept(connection, there, mode, patience))
        time.sleep(min(trying, _LONGEST_PAUSE_SECONDS, left))
        trying = min(2 * trying, longest, max(left, SHORT_TRY_SECONDS))


def _has_locked(connection: Connection, names: Collection[str], mode: Mode, seconds: float) -> bool:
    """Try for so long; a lock_timeout would be each table's own, and add up."""
    before = run_plain(connection, "show statement_timeout").scalar_one()
    try:
        with connection.begin_nested():
            run_plain(connection, f"set local statement_timeout = {round(1000 * seconds)}")
            tables = ", ".join(map(quoted, names))
            run_plain(connection, f"lock table {tables} in {mode} mode")
            run_plain(connection, f"set local statement_timeout = {literal(before)}")
    except DBAPIError as error:
        if fault_of(error) is not Fault.BUSY:
            raise
        return False
    return True


def _kept(connection: Connection, names: Collection[str], mode: Mode, seconds: float) -> str:
    others = _others(connection, names, mode)
    who = f" PostgreSQL's process {', '.join(map(str, others))};" if others else ""
    return (
        f"transactions of others have kept {', '.join(names)} for {seconds:g} s:{who}"
        " pg_stat_activity says whose they are. End them, and call it again"
    )


def _others(connection: Connection, names: Collection[str], mode: Mode) -> list[int]:
    """The processes that hold what this waits for, first whose transaction is the oldest."""
    relations = ", ".join(f"cast({literal(quoted(name))} as regclass)" for name in names)
    beside = ", ".join(map(literal, _BESIDE[mode])) or "''"
    query = (
        "select pid from pg_locks inner join pg_stat_activity using (pid)"
        " where locktype = 'relation' and granted"
        f" and relation in ({relations}) and mode not in ({beside})"
        " and database = (select oid from pg_database where datname = current_database())"
        " and pid <> pg_backend_pid() group by pid order by min(xact_start), pid"
    )
    return [int(pid) for pid in run_plain(connection, query).scalars()]
