"""A node's database: its engine, and transactions in which triggers capture nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

# SQLAlchemy's name of a database, and the name of its SQL in `command_statements`
DIALECTS = {"sqlite": "sqlite", "postgresql": "postgres"}
# what the agent knows to ask: of psycopg the SQLSTATE of an error, of sqlite3 its class
_DRIVERS = ("sqlite", "sqlite+pysqlite", "postgresql", "postgresql+psycopg")
WAIT_SECONDS = 60.0
_LOCK_WAIT = "lock_wait_seconds"
# triggers in PostgreSQL ask for this setting, which ends with the transaction
AGENT_SETTING = "replication_conflicts.agent"
# Whatever a server or a role has: rows are read as canonical text, which is UTC without saying so,
# and who has waited for a lock sees what others have committed meanwhile.
_POSTGRES_SETTINGS = (
    "-c timezone=UTC",
    "-c datestyle=ISO",
    "-c extra_float_digits=1",
    "-c default_transaction_isolation=read\\ committed",
)


class DatabaseProblem(Exception):
    """A database that cannot be used, or not now; the message says why in one line."""


def open_database(url: str, wait_seconds: float = WAIT_SECONDS) -> Engine:
    """An engine for a node's database, which waits so long for a lock, or an even part.

    Errors: DatabaseProblem.
    """
    try:
        parsed = make_url(url)
    # a port that is no number is a plain ValueError
    except (ArgumentError, ValueError) as error:
        said = _without_password(url)
        raise DatabaseProblem(f"{said!r} is no database URL (sqlite:///file.db)") from error
    if parsed.get_backend_name() not in DIALECTS:
        raise DatabaseProblem(
            f"{parsed.get_backend_name()} is not supported; a node's database is one of:"
            f" {', '.join(DIALECTS)}"
        )
    if parsed.drivername not in _DRIVERS:
        raise DatabaseProblem(
            f"{parsed.drivername} is no supported driver, only: {', '.join(_DRIVERS)}"
        )
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    # nothing interrupts SQLite's driver meanwhile
    part = wait_seconds / max(1, math.ceil(wait_seconds / WAIT_SECONDS))
    if parsed.get_backend_name() == "sqlite":
        return _open_sqlite(url, parsed.database, part)
    return _open_postgres(parsed, part)


def _without_password(url: str) -> str:
    """As much as may be said of a URL that nobody can read."""
    scheme, separator, rest = url.partition("://")
    user, at, host = (rest or scheme).rpartition("@")
    shown = f"{scheme}{separator}" if separator else ""
    return re.sub(r"(?i)(password=)[^&]*", r"\1***", f"{shown}{'***' if user else ''}{at}{host}")


def _open_postgres(url: URL, wait_seconds: float) -> Engine:
    given = url.query.get("options", ())
    # a server waits for as long as somebody leaves a transaction open, and 0 is no time, but no end
    lock_timeout = max(1, round(1000 * wait_seconds))
    own = (f"-c lock_timeout={lock_timeout}", *_POSTGRES_SETTINGS)
    options = [*([given] if isinstance(given, str) else given), *own]
    network = _network(wait_seconds)
    arguments = {
        **{name: network[name] for name in network if name not in url.query},
        "options": " ".join(options),
        # whatever the database keeps its texts in: it says itself what it has no letter for
        "client_encoding": "utf8",
    }
    try:
        engine = create_engine(
            url,
            connect_args=arguments,
            execution_options={_LOCK_WAIT: wait_seconds},
        )
    except (NoSuchModuleError, ImportError) as error:
        raise DatabaseProblem(f"the driver of {url.drivername} is missing: {error}") from error

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        # moments would be others in silence
        query = "select current_setting('timezone'), setting from pg_settings where name = %s"
        found = connection.execute(query, ["lock_timeout"]).fetchone()
        connection.rollback()
        if found != ("UTC", str(lock_timeout)):
            raise DatabaseProblem(
                "the server has not taken the settings of the connection: something in between,"
                " such as a connection pooler, drops them. Connect to the server itself"
            )

    return engine


def _network(wait_seconds: float) -> dict[str, str]:
    """libpq's settings by which a server that is gone without a word is noticed; a URL may have
    others.
    """
    seconds = min(WAIT_SECONDS, max(2.0, wait_seconds))
    return {
        "connect_timeout": f"{seconds:.0f}",
        # the system's own is hours
        "keepalives_idle": "30",
        "keepalives_interval": "10",
        "keepalives_count": "3",
        "tcp_user_timeout": f"{1000 * WAIT_SECONDS:.0f}",
    }


def _open_sqlite(url: str, file: str | None, wait_seconds: float) -> Engine:
    if not file or file == ":memory:":
        raise DatabaseProblem("a database in memory ends with the process: name a file")
    if not Path(file).is_file():
        raise DatabaseProblem(f"there is no database {file}: make it with its tables first")
    engine = create_engine(
        url,
        connect_args={"timeout": wait_seconds},
        execution_options={_LOCK_WAIT: wait_seconds},
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        # transactions begin below; the driver would begin them late and without a lock
        connection.isolation_level = None
        connection.execute("pragma foreign_keys = on")

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        # a transaction that reads first and then writes could not get its lock any more
        connection.exec_driver_sql("begin immediate")

    return engine


def lock_wait(engine: Engine) -> float:
    """How many seconds are waited for a lock before it is said that there is one."""
    return float(engine.get_execution_options().get(_LOCK_WAIT, 0.0))


def dialect_of(engine: Engine) -> str:
    """The name of the database's SQL in `command_statements`."""
    return DIALECTS[engine.dialect.name]


@contextmanager
def agent_transaction(engine: Engine) -> Iterator[Connection]:
    """A transaction whose changes are not captured as the node's own."""
    with engine.begin() as connection:
        mark_as_agent(connection)
        yield connection
        unmark_as_agent(connection)


def mark_as_agent(connection: Connection) -> None:
    """Tell the triggers that what follows in this transaction is not the node's own work."""
    if connection.dialect.name == "sqlite":
        # one writer at a time: nobody else sees the row before it is gone again
        connection.exec_driver_sql("insert into replication_agent (is_at_work) values (1)")
    else:
        connection.execute(text("select set_config(:name, 'on', true)"), {"name": AGENT_SETTING})


def unmark_as_agent(connection: Connection) -> None:
    """The counterpart; PostgreSQL forgets the setting by itself."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("delete from replication_agent")
