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
_SHUT_DOWN = frozenset({"57P01", "57P02", "57P03", "53300"})
_COLLISION = frozenset({"40001", "40P01", "55P03"})
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


class Fault(Enum):
    """What to do about a database error."""

    LOST = "connect again"
    BUSY = "try again"
    REFUSED = "the command itself is refused"


def fault_of(error: DBAPIError) -> Fault:
    """Sort an error; what is neither a lost connection nor a collision is a refusal."""
    state = getattr(error.orig, "sqlstate", None)
    if state in _COLLISION:
        return Fault.BUSY
    if error.connection_invalidated or state in _SHUT_DOWN or str(state or "").startswith("08"):
        return Fault.LOST
    text = str(error.orig)
    name = type(error.orig).__name__
    if (type(error.orig).__module__ or "").startswith("sqlite3"):
        return Fault.BUSY if "locked" in text or "busy" in text else Fault.REFUSED
    # the driver itself has no answer from the server
    is_unanswered = state is None and name in ("OperationalError", "InterfaceError")
    return Fault.LOST if is_unanswered else Fault.REFUSED


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
