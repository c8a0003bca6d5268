"""Random workloads against the sequential reader, as long as one likes.

    python -m tests.python.soak --minutes 20              new seeds, each round another project
    python -m tests.python.soak --seed 4711 --replication merge
                                                          one round, that begins with this seed
    python -m tests.python.soak --case failure.json       a case that was kept

A round puts several generated cases as publications into one generated dbt project, delivers their
batches, builds, and compares everything that was written with what the sequential reader decides.
A case that differs is made smaller, and kept as a file that can be played again and as a scenario
file.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from tests.python.differential.builds import BuildFailed, Builds, builds
from tests.python.differential.comparison import compare
from tests.python.differential.scenario_files import NoScenario, write_scenario
from tests.python.differential.shrinking import shrink, size
from tests.python.differential.storage import load_case, save_case
from tests.python.strategies import Case, case_from_seed
from tests.python.strategies.merge_publication import COLUMN_RESOLVERS, ROW_RESOLVERS
from tests.python.strategies.merge_workload import MergeSize, merge_workload_from_seed
from tests.python.strategies.workload import MEDIUM

MERGE = MergeSize(keys=4, runs=(2, 4), steps=(10, 25))
RESOLVERS = (*ROW_RESOLVERS, *COLUMN_RESOLVERS)


class Soak:
    """Rounds in one process: one Spark session, one warehouse, a project for each round."""

    def __init__(self, folder: Path, failures: Path) -> None:
        self._folder = folder
        self._failures = failures
        self._rounds = 0

    def run(self, cases: Sequence[Case], is_thorough: bool = True) -> list[list[str]]:
        """Build cases side by side; gives what differs, per case."""
        with self._project(cases) as running:
            problems = [compare(running, played) for played in running.played]
            if is_thorough:
                self._again(running, problems)
        return problems

    def _project(self, cases: Sequence[Case]) -> AbstractContextManager[Builds]:
        self._rounds += 1
        name = f"soak_{self._rounds}"
        return builds(name, cases, self._folder, self._folder / "state", _say)

    def _again(self, running: Builds, problems: list[list[str]]) -> None:
        """A run without news changes no table; a full refresh gives the same as all runs before."""
        changed = running.changed_by_empty_run()
        if changed:
            for found in problems:
                found.append(f"a run without news changed {', '.join(changed)}")
        running.build("--full-refresh")
        for played, found in zip(running.played, problems, strict=True):
            if played.case.is_cut_free:
                found += [f"full refresh: {one}" for one in compare(running, played, True)]

    def fails(self, case: Case, found: Sequence[str], seconds: float) -> None:
        """Say what differs, make the case smaller, and keep it."""
        _say(f"{case.label}, {case.configuration.get('policy', 'merge')}: differs")
        for problem in found:
            _say(f"  {problem}")
        path = self._failures / f"{case.label.replace(' ', '_')}.json"
        save_case(case, path)
        _say(f"{case.label}: kept as {path}")
        is_late = all(problem.startswith(("full refresh", "convergence")) for problem in found)
        if seconds <= 0 or is_late:
            return
        smaller = shrink(case, self._differ, seconds)
        _say(f"{case.label}: made smaller, from {size(case)} to {size(smaller)}")
        save_case(smaller, path.with_suffix(".small.json"))
        _say(_as_scenario(smaller, path.with_suffix(".yml")))
        for problem in self.run([smaller], is_thorough=False)[0]:
            _say(f"  {problem}")

    def _differ(self, cases: Sequence[Case]) -> list[bool]:
        try:
            return [bool(found) for found in self.run(cases, is_thorough=False)]
        except BuildFailed as failure:
            # one of them breaks the build for all: each alone
            if len(cases) == 1:
                _say(str(failure))
                return [True]
            return [self._differ([case])[0] for case in cases]


def _as_scenario(case: Case, path: Path) -> str:
    """Keep a case as a scenario file, too, where it can be one; says how to play it."""
    try:
        write_scenario(case, path)
    except NoScenario as problem:
        return f"{case.label}: no scenario file, because {problem}"
    return f'{case.label}: make scenarios FILES="{path}"'


def _say(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", flush=True)


def _case(seed: int, is_merge: bool) -> Case:
    if not is_merge:
        return case_from_seed(seed, MEDIUM)
    # of three one is about one resolver alone, and one about a record and an article beside it
    resolver = RESOLVERS[seed // 3 % len(RESOLVERS)] if seed % 3 == 0 else None
    size = replace(MERGE, resolver=resolver, has_record=seed % 3 == 1)
    return merge_workload_from_seed(seed, size, has_raw_rows=True).case()


def _seeds(first: int | None) -> Iterator[int]:
    return itertools.count(random.randrange(10**9) if first is None else first)


def main() -> int:
    """The entry point; 1 if something differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=0.0, help="go on with new seeds")
    parser.add_argument("--seed", type=int, help="the first seed; default: a new one")
    parser.add_argument("--publications", type=int, default=6, help="cases in one project")
    parser.add_argument(
        "--replication",
        choices=("queued", "merge"),
        help="of one kind only; default: a round of each in turn",
    )
    parser.add_argument("--case", type=Path, nargs="*", help="play kept cases instead")
    parser.add_argument("--shrink", type=float, default=10.0, help="minutes to make a case smaller")
    parser.add_argument("--failures", type=Path, default=Path(".local/soak"), help="what is kept")
    options = parser.parse_args()

    until = time.monotonic() + options.minutes * 60
    seeds = _seeds(options.seed)
    rounds = cases_done = 0
    with tempfile.TemporaryDirectory(prefix="soak_", ignore_cleanup_errors=True) as folder:
        soak = Soak(Path(folder), options.failures)
        while True:
            if options.case:
                cases = [load_case(path) for path in options.case]
            else:
                kind = options.replication or ("queued", "merge")[rounds % 2]
                numbers = list(itertools.islice(seeds, options.publications))
                _say(f"{kind}, seeds {numbers[0]} to {numbers[-1]}")
                cases = [_case(number, kind == "merge") for number in numbers]
            try:
                problems = soak.run(cases)
            except BuildFailed as failure:
                _say(f"the build failed: {failure}")
                problems = [["the build failed"]] * len(cases)
            failed = [(case, found) for case, found in zip(cases, problems, strict=True) if found]
            for number, (case, found) in enumerate(failed):
                soak.fails(case, found, options.shrink * 60 if number == 0 else 0)
            rounds += 1
            cases_done += len(cases)
            if failed:
                _say(f"{len(failed)} of {len(cases)} cases differ; replay: --case <file>")
                return 1
            if options.case or time.monotonic() >= until:
                _say(f"{cases_done} cases in {rounds} rounds, none differs")
                return 0


if __name__ == "__main__":
    sys.exit(main())
