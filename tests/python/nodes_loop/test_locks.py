"""Tables that are to be looked at as a whole, while people work with them (PostgreSQL)."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, Engine

from replication_conflicts.capture import upload as upload_module
from replication_conflicts.capture.install import install, remove
from replication_conflicts.capture.renew import renew
from replication_conflicts.database import locks
from replication_conflicts.database.engine import DatabaseProblem, open_database
from replication_conflicts.database.local_postgres import LocalPostgres
from replication_conflicts.database.locks import lock_tables
from replication_conflicts.database.statements import run_plain
from replication_conflicts.distribution.apply import AgentProblem
from replication_conflicts.publication.commands import AgentCommand, SnapshotTable
from tests.python.nodes_loop.databases import Databases, postgres_databases
from tests.python.nodes_loop.subscriber import Subscriber
from tests.python.nodes_loop.test_install import Feed

ITEM: dict[str, Any] = {
    "item": {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]},
    "picture": {"columns": {"id": "int"}, "primary_key": ["id"]},
}
WRITES = "insert into item (id, name) values (1, 'x')"
KEPT = r"have kept .*item.* PostgreSQL's process {}\b"


@pytest.fixture
def make(databases: Databases) -> Callable[..., Subscriber]:
    """A database with an item in it."""
    if databases.kind != "postgres":
        pytest.skip("SQLite has one writer at a time")
    return lambda replication=None: Subscriber(databases, ITEM, replication=replication)


def pid(connection: Connection) -> int:
    return int(run_plain(connection, "select pg_backend_pid()").scalar_one())


def longest_wait(engine: Engine, statement: str, until: threading.Thread) -> float:
    """How long somebody else is kept waiting with a statement, which is done again and again."""
    longest = 0.0
    while until.is_alive():
        began = time.monotonic()
        with engine.connect() as connection:
            run_plain(connection, statement)
        longest = max(longest, time.monotonic() - began)
        time.sleep(0.01)
    return longest


@pytest.fixture
def _short_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What people are kept waiting, at most."""
    monkeypatch.setattr(locks, "_LONGEST_TRY_SECONDS", 0.4)


@pytest.mark.usefixtures("_short_tries")
def test_a_snapshot_that_waits_lets_others_through(make: Callable[..., Subscriber]) -> None:
    """And ends when patience does, with the name of who is in its way."""
    subscriber = make()
    snapshot = (SnapshotTable("item", "x", 1),)
    subscriber.give(AgentCommand("r", "reinitialize", 4, snapshot=snapshot, snapshot_position=4))
    agent = subscriber.agent(patience_seconds=4.0)
    said: list[str] = []

    def run() -> None:
        try:
            agent.run()
        except AgentProblem as problem:
            said.append(str(problem))

    with open_database(subscriber.url).connect() as person:
        run_plain(person, WRITES)
        began = time.monotonic()
        thread = threading.Thread(target=run)
        thread.start()
        other = open_database(subscriber.url)
        assert longest_wait(other, "insert into item (id) values (7)", thread) < 2
        assert 4 <= time.monotonic() - began < 8
        assert re.search(KEPT.format(pid(person)), said[0])
    assert agent.run().place.position == 4


def test_first_rows_that_wait_end_when_patience_does(make: Callable[..., Subscriber]) -> None:
    subscriber = make()
    with open_database(subscriber.url).connect() as person:
        run_plain(person, WRITES)
        with pytest.raises(AgentProblem, match=KEPT.format(pid(person))):
            subscriber.agent(patience_seconds=0.5, is_replacing_rows=True).initialize()


@pytest.mark.parametrize("work", ["install", "renew", "remove"])
def test_capture_ends_where_somebody_keeps_a_table(
    make: Callable[..., Subscriber], work: str
) -> None:
    """Even a reader does, where triggers are made."""
    subscriber = make(None if work == "install" else "queued")
    engine, publication = open_database(subscriber.url, 0.5), subscriber.publication
    doing: dict[str, Callable[[], object]] = {
        "install": lambda: install(engine, publication, "north"),
        "renew": lambda: renew(engine, publication),
        "remove": lambda: remove(engine, publication),
    }
    with open_database(subscriber.url).connect() as person:
        run_plain(person, "select * from item")
        with pytest.raises(DatabaseProblem, match=KEPT.format(pid(person))):
            doing[work]()
    doing[work]()


def test_a_prepared_transaction_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is of no process any more, and outlives the server."""
    if not os.environ.get("TEST_POSTGRES"):
        pytest.skip("PostgreSQL only")
    monkeypatch.setattr(upload_module, "PATIENCE_SECONDS", 0.5)
    with LocalPostgres(is_durable=False) as server:
        admin = open_database(server.url())
        with admin.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            run_plain(connection, "alter system set max_prepared_transactions = 1")
        admin.dispose()
        server.stop()
        server.start()
        subscriber = Subscriber(postgres_databases(server), ITEM, replication="merge")
        with subscriber.engine.connect() as person:
            run_plain(person, WRITES)
            run_plain(person, "prepare transaction 'order 17'")
        with pytest.raises(DatabaseProblem, match=r"for 0.5 s: prepared transaction order 17;"):
            subscriber.upload()
        with subscriber.engine.connect() as plain:
            autocommit = plain.execution_options(isolation_level="AUTOCOMMIT")
            run_plain(autocommit, "commit prepared 'order 17'")
        feed = Feed(subscriber.publication)
        assert upload_module.upload(subscriber.engine, subscriber.publication, feed).changes == 1
        subscriber.engine.dispose()


def test_an_upload_that_gives_up_says_what_to_end(
    make: Callable[..., Subscriber], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_module, "PATIENCE_SECONDS", 0.5)
    subscriber = make("merge")
    subscriber.execute("insert into picture (id) values (1)")
    with open_database(subscriber.url).connect() as person:
        run_plain(person, WRITES)
        with pytest.raises(DatabaseProblem, match=KEPT.format(pid(person))):
            subscriber.upload()
    subscriber.upload()


def test_transactions_that_overlap_keep_nobody_away(make: Callable[..., Subscriber]) -> None:
    """Each ends, but there is always one: the tries become longer."""
    subscriber = make()
    is_over = threading.Event()

    def work(number: int) -> None:
        engine = open_database(subscriber.url)
        time.sleep(number * 0.2)
        while not is_over.is_set():
            with engine.connect() as connection:
                run_plain(connection, f"insert into item (id) values ({number})")
                time.sleep(0.5)
        engine.dispose()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.7)
    try:
        with subscriber.engine.begin() as connection:
            lock_tables(connection, subscriber.publication.articles, "exclusive", 20.0)
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def test_only_the_lock_is_waited_for_so_shortly(make: Callable[..., Subscriber]) -> None:
    subscriber = make()
    with subscriber.engine.begin() as connection:
        run_plain(connection, "set local statement_timeout = '7s'")
        lock_tables(connection, subscriber.publication.articles, "exclusive")
        assert run_plain(connection, "show statement_timeout").scalar() == "7s"
