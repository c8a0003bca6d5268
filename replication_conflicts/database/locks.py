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
    locks = _locks_of_others(connection, names, mode)
    processes = (
        f"select cast(pid as text) from ({locks}) held inner join pg_stat_activity using (pid)"
        " group by pid order by min(xact_start), pid"
    )
    # such a transaction is of no process any more, and is known by the lock on its number
    prepared = (
        f"select distinct gid from ({locks}) held"
        " inner join pg_locks own on own.virtualtransaction = held.virtualtransaction"
        " and own.locktype = 'transactionid' and own.pid is null and held.pid is null"
        " inner join pg_prepared_xacts on transaction = own.transactionid order by gid"
    )
    who = ""
    for what, query in (("PostgreSQL's process", processes), ("prepared transaction", prepared)):
        found = run_plain(connection, query).scalars().all()
        who += f" {what} {', '.join(found)};" if found else ""
    return (
        f"transactions of others have kept {', '.join(names)} for {seconds:g} s:{who}"
        " pg_stat_activity or pg_prepared_xacts says whose they are. End them, and call it again"
    )


def _locks_of_others(connection: Connection, names: Collection[str], mode: Mode) -> str:
    """A query for locks that this waits for."""
    relations = ", ".join(f"cast({literal(quoted(name))} as regclass)" for name in names)
    beside = ", ".join(map(literal, _BESIDE[mode])) or "''"
    return (
        "select pid, virtualtransaction from pg_locks where locktype = 'relation' and granted"
        f" and relation in ({relations}) and mode not in ({beside})"
        " and database = (select oid from pg_database where datname = current_database())"
        " and pid is distinct from pg_backend_pid()"
    )
