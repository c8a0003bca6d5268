"""A run that is killed at any moment is healed by running again: nothing is lost or decided twice.

The tests that kill have three deliveries. The run over the second one is killed as soon as a table
has its next commit, so that some tables have the run and others do not; the run over the third one
has to decide on what only the decision log knows, and is killed too, one table further on. A last
run then finishes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.python.crashing_build import crash_case, finished_mark, finished_problems
from tests.python.differential.builds import Builds
from tests.python.differential.comparison import compare
from tests.python.repository import REPOSITORY
from tests.python.strategies.merge_cases import key_case, merge_case, record_case

SECONDS_TO_WAIT = 400.0
# the table whose commit ends the second run, and the one that ends the third
MOMENTS = [
    ("change_outcomes", "p01__*__versions"),
    pytest.param("rejected_changes", "distribution_commands", marks=pytest.mark.soak),
]
# behind which models a run ends before it comes to the others, delivery by delivery
ENDS = [
    ("rejected_changes", "waiting_changes"),
    ("change_outcomes", "rejected_changes"),
    ("conflicts_info", "distribution_commands"),
]


def commits(state: Path, table: str) -> int:
    """How many commits the Delta tables of that name pattern have, all together."""
    return len(list(state.glob(f"warehouse/*/{table}/_delta_log/*.json")))


def start_builds(folder: Path, state: Path, first: int, last: int) -> subprocess.Popen[bytes]:
    """A process of its own that delivers and builds, to be killed in the last of its builds."""
    command = [sys.executable, "-m", "tests.python.crashing_build", str(folder), str(state)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.Popen(
        [*command, str(first), str(last)],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """kill -9 for the process and its Java."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until(
    is_so: Callable[[], bool], process: subprocess.Popen[bytes], what: str, seconds: float
) -> None:
    """Wait for something that a process does; fails when the process ends without it."""
    ends_at = time.monotonic() + seconds
    while not is_so():
        if process.poll() is not None:
            pytest.fail(f"the process ended before {what}")
        if time.monotonic() > ends_at:
            kill(process)
            pytest.fail(f"{what} was not there after {seconds:.0f} s")
        time.sleep(0.02)


def kill_at_commit(process: subprocess.Popen[bytes], state: Path, table: str) -> None:
    """Kill a build as soon as the table has one commit more; fails when it ends without it."""
    before = commits(state, table)
    wait_until(
        lambda: commits(state, table) > before, process, f"a commit of {table}", SECONDS_TO_WAIT
    )
    kill(process)


def wait_for_delivery(process: subprocess.Popen[bytes], folder: Path, delivery: int) -> None:
    """Wait until the build over a delivery has ended."""
    mark = finished_mark(folder, delivery)
    wait_until(mark.exists, process, f"the build over delivery {delivery}", SECONDS_TO_WAIT)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(("second", "third"), MOMENTS)
def test_a_killed_run_is_healed_by_the_next(second: str, third: str, tmp_path: Path) -> None:
    """kill -9 in two runs, one after the other; the result is the sequential reader's."""
    folder, state = tmp_path / "project", tmp_path / "state"
    process = start_builds(folder, state, 1, 2)
    wait_for_delivery(process, folder, 1)
    kill_at_commit(process, state, second)
    kill_at_commit(start_builds(folder, state, 3, 3), state, third)
    is_finished = [finished_mark(folder, delivery).exists() for delivery in (1, 2, 3)]
    assert is_finished == [True, False, False], "a kill came too late"
    assert finished_problems(folder, state) == []


@pytest.mark.spark
@pytest.mark.soak
def test_a_run_that_is_killed_at_random_moments(tmp_path: Path) -> None:
    """kill -9 at two moments drawn by chance; the seed is printed with a failure."""
    seed = int(time.time())
    random = Random(seed)
    folder, state = tmp_path / "project", tmp_path / "state"
    for first, last in ((1, 2), (3, 3)):
        process = start_builds(folder, state, first, last)
        if first < last:
            wait_for_delivery(process, folder, first)
        time.sleep(random.uniform(5.0, 50.0))
        if process.poll() is None:
            kill(process)
    assert finished_problems(folder, state) == [], f"seed {seed}"


@pytest.mark.spark
@pytest.mark.soak
def test_a_run_that_ends_behind_a_model_is_healed_by_the_next(
    tmp_path: Path, scratch_state: Path
) -> None:
    """Both kinds of replication, with keys and logical records; two runs in a row end early."""
    cases = [
        crash_case(),
        *(merge_case(seed, len(ENDS)) for seed in (13, 26)),
        *(record_case(seed, len(ENDS)) for seed in (23, 39)),
        key_case(21, len(ENDS)),
    ]
    running = Builds("ends_early", cases, tmp_path, scratch_state)
    running.start()
    for number, models in enumerate(ENDS):
        for played in running.played:
            running.deliver(played, number)
        for model in models:
            running.build("--select", f"+{model}")
        running.build()
        running.remember(number)
    assert {one.case.label: compare(running, one) for one in running.played} == {
        case.label: [] for case in cases
    }
    running.drop()
