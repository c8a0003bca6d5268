"""Processes that are killed on their way, and a server that is."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterable

from sqlalchemy import Engine, event
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database.local_postgres import LocalPostgres
from tests.python.nodes_loop import lake

_FORK = multiprocessing.get_context("fork")
# longer than an agent or an upload waits by itself
_LONGEST_SECONDS = 120.0


def killed(action: Callable[[], None], dice: random.Random) -> bool:
    """Run something in a process of its own that is killed on its way; whether it was.

    It dies at some commit, of its database or of the feed, at some statement, or at some moment.
    """
    how = dice.choice(["commit", "commit", "statement", "moment"])
    at_step = {"commit": dice.randint(1, 7), "statement": dice.randint(1, 30), "moment": 0}[how]
    process = _FORK.Process(target=_mortal, args=(action, how, at_step))
    process.start()
    process.join(_LONGEST_SECONDS if at_step else dice.uniform(0.005, 0.04))
    has_ended = not process.is_alive()
    process.kill()
    process.join()
    assert has_ended or how == "moment", f"it hangs: no {how} in {_LONGEST_SECONDS:.0f} s"
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def _mortal(action: Callable[[], None], how: str, at_step: int) -> None:
    numbers = itertools.count(1)

    def step(*_: object) -> None:
        if next(numbers) == at_step:
            os.kill(os.getpid(), signal.SIGKILL)

    if how == "statement":
        event.listen(Engine, "before_cursor_execute", step)
    else:
        event.listen(Engine, "commit", step)
        lake.steps.append(step)
    action()


def with_server_killed(
    server: LocalPostgres,
    engines: Iterable[Engine],
    actions: Iterable[Callable[[], None]],
    dice: random.Random,
) -> None:
    """The server dies under some actions; it is started again while they wait."""
    for engine in engines:
        engine.dispose()

    def kill() -> None:
        time.sleep(dice.uniform(0.0, 0.05))
        server.kill()
        server.start()

    thread = threading.Thread(target=kill)
    thread.start()
    for action in actions:
        while True:
            try:
                action()
                break
            except DBAPIError:
                time.sleep(0.1)
    thread.join()
    for engine in engines:
        engine.dispose()
