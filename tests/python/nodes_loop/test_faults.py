"""What errors mean: only a command that is refused may be left out."""

from __future__ import annotations

import re
import secrets
import socket
import sqlite3
import time
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database import engine as engine_module
from replication_conflicts.database.engine import DatabaseProblem, open_database
from replication_conflicts.database.faults import Fault, fault_of, is_decided_by_other_rows
from replication_conflicts.database.statements import run_plain
from replication_conflicts.distribution.agent import Options
from replication_conflicts.distribution.apply import AgentProblem
from replication_conflicts.publication.commands import AgentCommand
from tests.python.nodes_loop.databases import Databases, sqlite_databases
from tests.python.nodes_loop.subscriber import Subscriber, command

ACCOUNT: dict[str, Any] = {
    "account": {"columns": {"id": "int", "locked": "string"}, "primary_key": ["id"]}
}


def insert(position: int, key: int, locked: str | None) -> AgentCommand:
    row = {"locked": locked}
    return command(position, "insert", {"id": str(key)}, row, new="v", article="account")


class ServerError(Exception):
    """As psycopg has it."""

    def __init__(self, state: str) -> None:
        super().__init__("the server says no")
        self.sqlstate = state


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (sqlite3.IntegrityError("NOT NULL constraint failed: account.locked"), Fault.REFUSED),
        (sqlite3.IntegrityError("CHECK constraint failed: is_busy"), Fault.REFUSED),
        (sqlite3.IntegrityError("datatype mismatch"), Fault.REFUSED),
        (sqlite3.DataError("string or blob too big"), Fault.REFUSED),
        (sqlite3.OperationalError("no such column: busy"), Fault.REFUSED),
        (sqlite3.OperationalError("no such table: main.locked"), Fault.REFUSED),
        (sqlite3.OperationalError("table account has no column named locked"), Fault.REFUSED),
        (sqlite3.OperationalError("database is locked"), Fault.BUSY),
        (sqlite3.OperationalError("database or disk is full"), Fault.BUSY),
        (sqlite3.OperationalError("disk I/O error"), Fault.BUSY),
        (sqlite3.OperationalError("interrupted"), Fault.BUSY),
        (sqlite3.OperationalError("unable to open database file"), Fault.BUSY),
        # a full disk ends the transaction, savepoints and all
        (sqlite3.OperationalError("no such savepoint: sa_savepoint_1"), Fault.BUSY),
        (sqlite3.OperationalError("database table is locked: one"), Fault.BUSY),
        (sqlite3.DatabaseError("database disk image is malformed"), Fault.BROKEN),
        (sqlite3.DatabaseError("file is not a database"), Fault.BROKEN),
        (sqlite3.OperationalError("attempt to write a readonly database"), Fault.BROKEN),
        (sqlite3.OperationalError('near "database is locked": syntax error'), Fault.BROKEN),
        (ServerError("55P03"), Fault.BUSY),
        (ServerError("57014"), Fault.BUSY),
        (ServerError("53100"), Fault.BUSY),
        (ServerError("53200"), Fault.BUSY),
        (ServerError("58030"), Fault.BUSY),
        (ServerError("XX001"), Fault.BUSY),
        (ServerError("25006"), Fault.LOST),
        (ServerError("25P03"), Fault.LOST),
        (ServerError("22001"), Fault.REFUSED),
        # raised by a trigger, with a code of its own
        (ServerError("Z0001"), Fault.REFUSED),
    ],
)
def test_only_what_is_about_a_command_is_its_refusal(error: Exception, fault: Fault) -> None:
    assert fault_of(DBAPIError("statement", {}, error)) is fault


@pytest.mark.parametrize(
    ("error", "is_so"),
    [
        (sqlite3.IntegrityError("UNIQUE constraint failed: slot.code"), True),
        (sqlite3.IntegrityError("FOREIGN KEY constraint failed"), True),
        (sqlite3.IntegrityError("NOT NULL constraint failed: slot.UNIQUE"), False),
        (ServerError("23505"), True),
        (ServerError("23503"), True),
        (ServerError("23514"), False),
    ],
)
def test_other_rows_decide_about_keys_and_references(error: Exception, is_so: bool) -> None:
    assert is_decided_by_other_rows(DBAPIError("statement", {}, error)) is is_so


def test_a_column_named_locked_is_no_lock(databases: Databases) -> None:
    subscriber = Subscriber(databases, ACCOUNT, "check (locked is not null)")
    subscriber.give(insert(1, 1, None), insert(2, 2, "no"))
    summary = subscriber.run(is_skipping=True, patience_seconds=0)
    assert list(subscriber.lists.refusals) == ["1/1"]
    assert summary.place.position == 2


def test_a_full_disk_leaves_no_command_out(tmp_path: Any) -> None:
    subscriber = Subscriber(sqlite_databases(tmp_path), ACCOUNT)
    agent = subscriber.agent(is_skipping=True, patience_seconds=0.2)
    (pages,) = subscriber.values("pragma page_count")
    subscriber.engine.dispose()

    def is_full(connection: Any, _: object) -> None:
        connection.execute(f"pragma max_page_count = {pages + 1}")

    event.listen(subscriber.engine, "connect", is_full)
    subscriber.give(insert(1, 1, "x" * 200_000), insert(2, 2, "fits"))
    with pytest.raises(AgentProblem, match="cannot go on: database or disk is full"):
        agent.run()
    assert subscriber.values("select id from account") == []
    event.remove(subscriber.engine, "connect", is_full)
    subscriber.engine.dispose()
    assert subscriber.run().place.position == 2


@pytest.mark.parametrize("share", [1, 3])
def test_patience_ends_when_it_says(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, share: int
) -> None:
    """The driver waits by itself, for all of it or a share."""
    patience = 1.5
    monkeypatch.setattr(engine_module, "WAIT_SECONDS", patience / share)
    subscriber = Subscriber(sqlite_databases(tmp_path), ACCOUNT)
    subscriber.agent()
    subscriber.engine = open_database(subscriber.url, patience)
    agent = subscriber.agent(patience_seconds=patience)
    other = sqlite3.connect(subscriber.url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("begin immediate")
    started = time.monotonic()
    with pytest.raises(AgentProblem, match="database is locked"):
        agent.run()
    assert patience <= time.monotonic() - started < 1.7 * patience
    other.close()


def test_work_that_went_well_is_no_waiting(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first commit finds a lock after a while, and the next one finds none."""
    subscriber = Subscriber(sqlite_databases(tmp_path), ACCOUNT)
    subscriber.agent()
    subscriber.engine = open_database(subscriber.url, 0.05)
    agent = subscriber.agent(patience_seconds=0.5)
    subscriber.give(insert(1, 1, "x"))
    commit = subscriber.engine.dialect.do_commit

    def take_long(_: Any) -> None:
        monkeypatch.setattr(subscriber.engine.dialect, "do_commit", commit)
        time.sleep(0.7)
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(subscriber.engine.dialect, "do_commit", take_long)
    assert agent.run().place.position == 1


def test_patience_ends_also_where_a_person_has_a_row(databases: Databases) -> None:
    """PostgreSQL would wait for as long as somebody leaves a transaction open."""
    if databases.kind != "postgres":
        pytest.skip("PostgreSQL only")
    subscriber = Subscriber(databases, ACCOUNT)
    subscriber.give(insert(1, 1, "x"))
    subscriber.run()
    # the URL says otherwise
    url = f"{subscriber.url}?options=-c%20lock_timeout%3D0"
    subscriber.engine = open_database(url, 1.0)
    agent = subscriber.agent(patience_seconds=1.0)
    row: dict[str, str | None] = {"locked": "y"}
    subscriber.give(command(2, "update", {"id": "1"}, row, "v", "w", article="account"))
    with open_database(subscriber.url).connect() as person:
        run_plain(person, "update account set locked = 'mine'")
        started = time.monotonic()
        with pytest.raises(AgentProblem, match=r"lock timeout.*account"):
            agent.run()
        assert 1.0 <= time.monotonic() - started < 5
    assert agent.run().changed_rows == 1


@pytest.mark.parametrize("patience", [0.0, 0.5])
def test_a_lock_that_no_one_waits_for(databases: Databases, patience: float) -> None:
    """To PostgreSQL no time is forever."""
    if databases.kind != "postgres":
        pytest.skip("PostgreSQL only")
    with open_database(databases.make("north"), patience).begin() as connection:
        found = run_plain(connection, "show lock_timeout").scalar()
    assert found == ("500ms" if patience else "1ms")


def test_what_does_not_pass_is_not_waited_for(tmp_path: Any) -> None:
    subscriber = Subscriber(sqlite_databases(tmp_path), ACCOUNT, replication="queued")
    agent = subscriber.agent(patience_seconds=60)
    subscriber.engine.dispose()
    (tmp_path / "north.db").write_text("no database" * 100)
    started = time.monotonic()
    with pytest.raises(AgentProblem, match="cannot go on: file is not a database"):
        agent.run()
    with pytest.raises(DBAPIError, match="file is not a database"):
        subscriber.upload()
    assert time.monotonic() - started < 10


def test_sqlite_waits_no_longer_than_the_agent_may(tmp_path: Any) -> None:
    url = sqlite_databases(tmp_path).make("north")
    waits = {}
    for patience in (0.0, 0.5, Options.patience_seconds, 90.0, 900.0):
        with open_database(url, patience).connect() as connection:
            waits[patience] = connection.exec_driver_sql("pragma busy_timeout").scalar()
    assert waits == {0.0: 0, 0.5: 500, 60.0: 60_000, 90.0: 45_000, 900.0: 60_000}


def test_many_lost_conflicts_are_asked_for_in_parts(databases: Databases) -> None:
    """PostgreSQL takes 65,535 parameters, some SQLite 999."""
    subscriber = Subscriber(databases, ACCOUNT)
    subscriber.give(
        *[
            AgentCommand(f"c{n}", "log_conflict", 1, n, article="account", key={"id": "1"})
            for n in range(2_500)
        ]
    )
    most = 0

    def listen(_: Any, __: Any, ___: Any, values: Any, ____: Any, is_many: bool) -> None:
        nonlocal most
        most = most if is_many else max(most, len(values))

    event.listen(subscriber.engine, "before_cursor_execute", listen)
    assert subscriber.run().commands["log_conflict"] == 2_500
    assert most <= 1_000
    assert subscriber.values("select count(*) from replication_conflict") == [2_500]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://host:port/x", "no database URL"),
        ("sqlite+aiosqlite:///x.db", "is no supported driver"),
        ("postgresql+psycopg2://host/x", "is no supported driver"),
    ],
)
def test_a_url_that_cannot_be_used_is_named(url: str, message: str) -> None:
    with pytest.raises(DatabaseProblem, match=message):
        open_database(url)


@pytest.mark.parametrize("given", ["", "?options=-csearch_path%3Dsales"])
def test_options_of_a_url_stay(given: str) -> None:
    engine = open_database(f"postgresql://nobody@127.0.0.1/x{given}")
    asked: list[str] = []

    def connect(_: Any, __: Any, ___: Any, values: dict[str, Any]) -> None:
        asked.append(values["options"])
        raise KeyboardInterrupt

    event.listen(engine, "do_connect", connect)
    with pytest.raises(KeyboardInterrupt):
        engine.connect()
    own = (
        "-c lock_timeout=60000 -c timezone=UTC -c datestyle=ISO -c extra_float_digits=1"
        r" -c default_transaction_isolation=read\ committed"
    )
    assert asked == [f"-csearch_path=sales {own}" if given else own]


@pytest.mark.parametrize(("given", "expected"), [("", "30"), ("?keepalives_idle=600", "600")])
def test_a_server_that_is_gone_without_a_word_is_noticed(given: str, expected: str) -> None:
    """By the system itself, whose own settings are hours; a URL may have others."""
    engine = open_database(f"postgresql://nobody@127.0.0.1/x{given}", 20.0)
    asked: list[dict[str, Any]] = []

    def connect(_: Any, __: Any, ___: Any, values: dict[str, Any]) -> None:
        asked.append(values)
        raise KeyboardInterrupt

    event.listen(engine, "do_connect", connect)
    with pytest.raises(KeyboardInterrupt):
        engine.connect()
    assert asked[0]["keepalives_idle"] == expected
    assert asked[0]["tcp_user_timeout"] == "60000"
    assert asked[0]["connect_timeout"] == "20"


def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    """It takes the connection, and hangs."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        engine = open_database(f"postgresql://nobody@127.0.0.1:{silent.getsockname()[1]}/x", 0.5)
        began = time.monotonic()
        with pytest.raises(DBAPIError) as raised:
            engine.connect()
        assert time.monotonic() - began < 10
        assert fault_of(raised.value) is Fault.LOST


def test_a_right_that_is_missing_is_no_refusal(databases: Databases) -> None:
    """It would be reported, and a publication with `apply_errors` would undo what others did."""
    if databases.server is None:
        pytest.skip("PostgreSQL only")
    clerk = f"clerk_{secrets.token_hex(4)}"
    subscriber = Subscriber(databases, ACCOUNT)
    subscriber.agent()
    subscriber.execute(
        f"create role {clerk} login password 'x'",
        f"grant create on schema public to {clerk}",
        f"grant all on all tables in schema public to {clerk}",
        f"revoke insert on account from {clerk}",
    )
    owner, subscriber.engine = (
        subscriber.engine,
        open_database(re.sub(r"//.*@", f"//{clerk}:x@", subscriber.url)),
    )
    subscriber.give(insert(1, 1, None))
    for options in ({}, {"is_skipping": True}):
        with pytest.raises(AgentProblem, match="cannot go on: permission denied for table account"):
            subscriber.run(**options)
    assert subscriber.lists.refusals == {}
    # what a trigger says is about the row
    with owner.begin() as connection:
        for statement in (
            f"grant insert on account to {clerk}",
            "create function closed() returns trigger language plpgsql as $$ begin raise exception"
            " using errcode = 'insufficient_privilege', message = 'it is closed'; end $$",
            "create trigger closed before insert on account for each row when (new.id = 1)"
            " execute function closed()",
        ):
            run_plain(connection, statement)
    subscriber.give(insert(2, 2, None))
    assert [one.error_text for one in subscriber.run(is_skipping=True).refused] == [
        "it is closed CONTEXT: PL/pgSQL function closed() line 1 at RAISE"
    ]
    subscriber.engine.dispose()
    subscriber.engine = owner
    assert subscriber.values("select id from account") == [2]


def test_settings_that_something_in_between_drops_are_missed(
    databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another time zone the agent would write other moments."""
    if databases.kind != "postgres":
        pytest.skip("PostgreSQL only")
    url = databases.make("north")
    engine = open_database(url)
    with engine.begin() as connection:
        name = url.rpartition("/")[2]
        run_plain(connection, f"alter database {name} set timezone = 'Europe/Berlin'")
    engine.dispose()
    engine.connect().close()
    monkeypatch.setattr(engine_module, "_POSTGRES_SETTINGS", ())
    with pytest.raises(DatabaseProblem, match="Connect to the server itself"):
        open_database(url).connect()


def test_who_has_waited_sees_what_others_have_committed(databases: Databases) -> None:
    """With one view of the database an upload of merge replication would never end."""
    if databases.kind != "postgres":
        pytest.skip("PostgreSQL only")
    url = databases.make("north")
    engine = open_database(url)
    with engine.begin() as connection:
        name = url.rpartition("/")[2]
        for setting in ("isolation = 'serializable'", "deferrable = on"):
            run_plain(connection, f"alter database {name} set default_transaction_{setting}")
    engine.dispose()
    with engine.begin() as connection:
        found = run_plain(connection, "show transaction_isolation").scalar()
    assert found == "read committed"


@pytest.mark.parametrize(
    ("kind", "text", "storage"),
    [
        ("int", "5", "integer"),
        ("bigint", "-9223372036854775808", "integer"),
        ("double", "0.1", "real"),
        ("double", "Infinity", "real"),
        ("double", "-Infinity", "real"),
        ("float", "3.4E38", "real"),
        # no number of SQLite's
        ("double", "NaN", "text"),
    ],
)
def test_numbers_are_numbers_in_columns_without_a_type(
    tmp_path: Any, kind: str, text: str, storage: str
) -> None:
    articles = {"t": {"columns": {"id": "int", "n": kind}, "primary_key": ["id"]}}
    subscriber = Subscriber(sqlite_databases(tmp_path), articles)
    subscriber.execute("drop table t", "create table t (id primary key, n, row_version)")
    subscriber.give(
        command(1, "insert", {"id": "1"}, {"n": None}, None, "v1", article="t"),
        command(2, "update", {"id": "1"}, {"n": text}, "v1", "v2", article="t"),
    )
    subscriber.run()
    assert subscriber.values("select typeof(id) || ' ' || typeof(n) from t") == [
        f"integer {storage}"
    ]
    assert subscriber.values("select count(*) from t where id = 1") == [1]
    assert subscriber.rows()["t"]["1",]["n"] == text
