"""A run that is killed at any moment is healed by running again: nothing is lost or decided twice.

Three deliveries. The run over the second one is killed as soon as a table has its next commit,
so that some tables have the run and others do not; the run over the third one has to decide on what
only the decision log knows, and is killed too, one table further on. A last run then finishes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from tests.python.conftest import REPOSITORY
from tests.python.crashing_build import finished_problems

SECONDS_TO_WAIT = 400.0
# the table whose commit ends the second run, and the one that ends the third
MOMENTS = [
    ("change_outcomes", "p01__*__versions"),
    pytest.param("rejected_changes", "distribution_commands", marks=pytest.mark.soak),
]


def commits(state: Path, table: str) -> int:
    """How many commits the Delta tables of that name pattern have, all together."""
    return len(list(state.glob(f"warehouse/*/{table}/_delta_log/*.json")))


def start_build(folder: Path, state: Path, deliveries: int) -> subprocess.Popen[bytes]:
    """A process of its own that delivers, builds, and then waits to be killed or ends."""
    command = [sys.executable, "-m", "tests.python.crashing_build", str(folder), str(state)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.Popen(
        [*command, str(deliveries)],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """kill -9 for the process and its Java."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def kill_at_commit(process: subprocess.Popen[bytes], state: Path, table: str) -> None:
    """Kill a build as soon as the table has one commit more; fails when it ends without it."""
    before = commits(state, table)
    ends_at = time.monotonic() + SECONDS_TO_WAIT
    while time.monotonic() < ends_at:
        if commits(state, table) > before:
            kill(process)
            return
        if process.poll() is not None:
            pytest.fail(f"the build ended before {table} had a commit")
        time.sleep(0.02)
    kill(process)
    pytest.fail(f"no commit of {table} in {SECONDS_TO_WAIT:.0f} s")


def wait_for(process: subprocess.Popen[bytes]) -> None:
    """Let a build finish."""
    assert process.wait(timeout=SECONDS_TO_WAIT) == 0


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(("second", "third"), MOMENTS)
def test_a_killed_run_is_healed_by_the_next(second: str, third: str, tmp_path: Path) -> None:
    """kill -9 in two runs, one after the other; the result is the sequential reader's."""
    folder, state = tmp_path / "project", tmp_path / "state"
    wait_for(start_build(folder, state, deliveries=1))
    kill_at_commit(start_build(folder, state, deliveries=2), state, second)
    kill_at_commit(start_build(folder, state, deliveries=3), state, third)
    assert finished_problems(folder, state) == []


@pytest.mark.spark
@pytest.mark.soak
def test_a_run_that_is_killed_at_random_moments(tmp_path: Path) -> None:
    """kill -9 at three moments drawn by chance; the seed is printed with a failure."""
    seed = int(time.time())
    random = Random(seed)
    folder, state = tmp_path / "project", tmp_path / "state"
    wait_for(start_build(folder, state, deliveries=1))
    for deliveries in (2, 3):
        process = start_build(folder, state, deliveries)
        time.sleep(random.uniform(20.0, 50.0))
        if process.poll() is None:
            kill(process)
    assert finished_problems(folder, state) == [], f"seed {seed}"
