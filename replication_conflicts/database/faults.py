"""What an error of a subscriber's database means, and its number in SQL Server's words."""

from __future__ import annotations

from enum import Enum

from sqlalchemy.exc import DBAPIError

PRIMARY_KEY = 2627
UNIQUE = 2601
FOREIGN_KEY_OR_CHECK = 547
NOT_NULL = 515
OVERFLOW = 8115
MISSING_OBJECT = 208
OTHER = 50000

# PostgreSQL: the SQLSTATE, or its class
_SQLSTATES = {
    "23505": UNIQUE,
    "23503": FOREIGN_KEY_OR_CHECK,
    "23514": FOREIGN_KEY_OR_CHECK,
    "23P01": FOREIGN_KEY_OR_CHECK,
    "23502": NOT_NULL,
    "22003": OVERFLOW,
    "42P01": MISSING_OBJECT,
    "42703": MISSING_OBJECT,
}
# the server is gone, is another one now, or has ended the session
_SHUT_DOWN = frozenset({"57P01", "57P02", "57P03", "57P04", "57P05", "53300", "25P03", "25006"})
# no command's fault: collisions, and what a server or its machine lacks for the moment. A trigger
# may raise any other code, and means the command then
_FOR_THE_MOMENT = frozenset({"25", "26", "40", "53", "55", "57", "58", "XX"})
# other rows decide about these: a key or a reference that a later command may free or bring
_BY_OTHER_ROWS = frozenset({"23505", "23503", "23P01"})
# SQLite: its words, the same since version 3.8
_SQLITE = {
    "UNIQUE constraint failed": UNIQUE,
    "FOREIGN KEY constraint failed": FOREIGN_KEY_OR_CHECK,
    "CHECK constraint failed": FOREIGN_KEY_OR_CHECK,
    "NOT NULL constraint failed": NOT_NULL,
    "no such table": MISSING_OBJECT,
    "no such column": MISSING_OBJECT,
    "has no column named": MISSING_OBJECT,
}
_SQLITE_BY_OTHER_ROWS = ("UNIQUE constraint failed", "FOREIGN KEY constraint failed")
# what is missing in the database, or made so that no command could be carried out
_SQLITE_UNFIT = (
    "no such table",
    "no such column",
    "no such function",
    "has no column named",
    "foreign key mismatch",
    "cannot modify ",
)


# nobody has given the agent a right, or somebody has taken it; a trigger that says so means the
# command, and is named as the context
_NO_RIGHT = "42501"
_NO_ANSWER = ("OperationalError", "InterfaceError")
_POSTGRES_LOCKED = "55P03"
_SQLITE_LOCKED = "database is locked"
# what passes by itself; after a full disk SQLite has ended the transaction, and says so
_SQLITE_FOR_THE_MOMENT = (
    _SQLITE_LOCKED,
    "database table is locked",
    "database schema is locked",
    "database schema has changed",
    "database or disk is full",
    "disk I/O error",
    "unable to open database file",
    "interrupted",
    "out of memory",
    "locking protocol",
    "no such savepoint",
    "cannot commit - no transaction is active",
    "cannot rollback - no transaction is active",
)


class Fault(Enum):
    """What to do about a database error."""

    LOST = "connect again"
    BUSY = "try again"
    REFUSED = "the command itself is refused"
    BROKEN = "give up"


def fault_of(error: DBAPIError) -> Fault:
    """Sort an error. A command that is refused may be left out, so that nothing else may count as
    refused: not a full disk, and no lock.
    """
    state = str(getattr(error.orig, "sqlstate", None) or "")
    if error.connection_invalidated or state in _SHUT_DOWN or state.startswith("08"):
        return Fault.LOST
    if state == _NO_RIGHT and not getattr(getattr(error.orig, "diag", None), "context", None):
        return Fault.BROKEN
    if state:
        return Fault.BUSY if state[:2] in _FOR_THE_MOMENT else Fault.REFUSED
    name = type(error.orig).__name__
    if (type(error.orig).__module__ or "").startswith("sqlite3"):
        return _fault_of_sqlite(name, str(error.orig))
    # the driver itself has no answer from the server; it has kinds of these, such as a timeout
    kinds = {one.__name__ for one in type(error.orig).__mro__}
    return Fault.REFUSED if kinds.isdisjoint(_NO_ANSWER) else Fault.LOST


def _fault_of_sqlite(name: str, text: str) -> Fault:
    # constraints, values of another type, values that are too big: names in the text say nothing
    if name in ("IntegrityError", "DataError"):
        return Fault.REFUSED
    if text.startswith(_SQLITE_FOR_THE_MOMENT):
        return Fault.BUSY
    # a file that is none of SQLite's stays one
    return Fault.REFUSED if any(words in text for words in _SQLITE_UNFIT) else Fault.BROKEN


def is_locked(error: DBAPIError) -> bool:
    """Whether SQLite's driver or PostgreSQL has waited for others, and has given up."""
    state = getattr(error.orig, "sqlstate", None)
    return state == _POSTGRES_LOCKED or str(error.orig).startswith(_SQLITE_LOCKED)


def is_decided_by_other_rows(error: DBAPIError) -> bool:
    """Whether a refused command might act later, when another row has gone or has come."""
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return state in _BY_OTHER_ROWS
    return str(error.orig).startswith(_SQLITE_BY_OTHER_ROWS)


def error_code(error: DBAPIError) -> int:
    """The reason code: of SQL Server where the meaning is the same, else OTHER."""
    original = error.orig
    state = getattr(original, "sqlstate", None)
    if state is None:
        code = next((code for words, code in _SQLITE.items() if words in str(original)), OTHER)
        name = getattr(original, "sqlite_errorname", "")
        return PRIMARY_KEY if name in _SQLITE_PRIMARY_KEYS else code
    code = _SQLSTATES.get(str(state), OTHER)
    constraint = getattr(getattr(original, "diag", None), "constraint_name", None)
    if code == UNIQUE and str(constraint or "").endswith("_pkey"):
        return PRIMARY_KEY
    return code


_SQLITE_PRIMARY_KEYS = ("SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_ROWID")


def error_text(error: DBAPIError) -> str:
    """What the database says, in one line."""
    return " ".join(str(error.orig).split())
