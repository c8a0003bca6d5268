"""Builds in a process of their own, each over the next delivery of a generated case.

Usage: python -m tests.python.crashing_build <folder> <state> <first delivery> <last delivery>
A delivery that an earlier process has made is not made again, unless that process was killed before
it had: feeds deliver again, and what comes twice counts once.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

from replication_conflicts.scenarios.outputs import Outputs
from tests.python.differential.builds import Builds
from tests.python.differential.comparison import compare
from tests.python.repository import REPOSITORY
from tests.python.strategies import case_from_seed, cut_again
from tests.python.strategies.cases import Case
from tests.python.strategies.workload import MEDIUM

DELIVERIES = 3


def crash_case() -> Case:
    """A case under publisher_wins whose result does not depend on how it is cut."""
    cases = (case_from_seed(seed, MEDIUM) for seed in range(1000))
    found = next(
        case
        for case in cases
        if case.is_cut_free
        and case.configuration["policy"] == "publisher_wins"
        and len(case.rows) > 40
    )
    return cut_again(found, Random(0), DELIVERIES)


def connected(folder: Path, state: Path) -> Builds:
    """The project, written and with its tables when this is the first process."""
    running = Builds("crash", [crash_case()], folder, state, report=lambda _: None, is_short=True)
    if not (folder / "crash").exists():
        running.start()
        return running
    running.spark = running._build.spark
    running.outputs = Outputs(running.spark, running.project)
    return running


def finished_mark(folder: Path, delivery: int) -> Path:
    """The file that says that the build over a delivery has ended."""
    return folder / f"delivery_{delivery}_is_built"


def main(folder: Path, state: Path, first: int, last: int) -> None:
    """Deliver and build, one delivery after the other; the first one has the number 1."""
    running = connected(folder, state)
    for delivery in range(first, last + 1):
        running.deliver(running.played[0], delivery - 1)
        running.build()
        finished_mark(folder, delivery).touch()


def finished_problems(folder: Path, state: Path) -> list[str]:
    """Build once more in a process of its own, and compare with the sequential reader."""
    command = [sys.executable, "-m", "tests.python.crashing_build", str(folder), str(state)]
    answer = subprocess.run(
        [*command, "compare"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        return [answer.stderr or answer.stdout]
    return [line for line in answer.stdout.splitlines() if line.startswith("problem: ")]


def print_problems(folder: Path, state: Path) -> None:
    """Deliver everything again, build, and print what is not as the reader has it."""
    running = connected(folder, state)
    played = running.played[0]
    for number in range(DELIVERIES):
        running.deliver(played, number)
    running.build()
    for problem in compare(running, played, is_rebuilt=True):
        print(f"problem: {problem}")


if __name__ == "__main__":
    if sys.argv[3] == "compare":
        print_problems(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
