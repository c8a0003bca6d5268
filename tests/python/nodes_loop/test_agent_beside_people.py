"""The agent of PostgreSQL while somebody has a transaction open: what it does not see yet, and what
it saw and is gone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from replication_conflicts.database.statements import run_plain
from replication_conflicts.distribution.agent import Summary
from tests.python.nodes_loop.databases import Databases
from tests.python.nodes_loop.subscriber import Subscriber, command

ITEM = {"item": {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]}}


@contextmanager
def beside(subscriber: Subscriber, *statements: str) -> Iterator[list[Summary]]:
    """A run of the agent that begins before a transaction of a person ends."""
    found: list[Summary] = []
    agent = threading.Thread(target=lambda: found.append(subscriber.run()))
    with subscriber.engine.connect() as connection:
        person = connection.begin()
        for statement in statements:
            run_plain(connection, statement)
        agent.start()
        waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
        until = time.monotonic() + 30
        while subscriber.values(waiting) == [0] and time.monotonic() < until:
            time.sleep(0.02)
        has_met = subscriber.values(waiting) != [0]
        person.commit()
    agent.join()
    assert has_met, "the agent has not come to what the person holds"
    yield found


@pytest.fixture(params=["queued", "merge"])
def subscriber(request: pytest.FixtureRequest, databases: Databases) -> Subscriber:
    if databases.kind != "postgres":
        pytest.skip("one writer at a time")
    return Subscriber(databases, ITEM, replication=request.param)


def test_a_row_that_somebody_is_deleting_is_inserted(subscriber: Subscriber) -> None:
    """An insert that was never uploaded and its delete leave nothing to upload: nobody would bring
    the publisher's row once more."""
    subscriber.execute("insert into item (id, name) values (1, 'mine')")
    theirs = command(1, "insert", {"id": "1"}, {"name": "theirs"}, new="HQ:1")
    subscriber.give(theirs)
    with beside(subscriber, "delete from item where id = 1") as (summary,):
        assert not summary.is_stopped
    assert subscriber.values("select name from item") == ["theirs"]


def test_a_row_that_somebody_has_just_inserted_is_no_refusal(subscriber: Subscriber) -> None:
    subscriber.give(command(1, "insert", {"id": "1"}, {"name": "theirs"}, new="HQ:1"))
    with beside(subscriber, "insert into item (id, name) values (1, 'mine')") as (summary,):
        assert not summary.is_stopped
    assert subscriber.values("select name from item") == ["mine"]
    assert not subscriber.lists.refusals
