"""Running suites: which of them share a project, what counts as passed."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from replication_conflicts.scenarios.expected import ExpectedFailures
from replication_conflicts.scenarios.group import (
    CaseResult,
    FirstBuildFailed,
    Group,
    GroupResult,
    Report,
)
from replication_conflicts.scenarios.project import ConsumerProject
from replication_conflicts.scenarios.side_by_side import in_own_queues
from replication_conflicts.scenarios.suite import Suite

# what is worth reading of an error that nobody has foreseen
_LINES_OF_ERROR = 5
# so many articles are planned together quickly, whatever they need
FEW_ARTICLES = 6


@dataclass
class RunResult:
    """What became of all cases; `waiting` failed as expected, `surprising` passed against it.

    `problems` are those of a project that several suites share, and of no case in it.
    """

    passed: list[CaseResult] = field(default_factory=list)
    failed: list[CaseResult] = field(default_factory=list)
    waiting: list[tuple[CaseResult, str]] = field(default_factory=list)
    surprising: list[tuple[CaseResult, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def failures(self) -> int:
        """Failed cases, those that pass although they are listed as expected failures, problems."""
        return len(self.failed) + len(self.surprising) + len(self.problems)

    @property
    def summary(self) -> str:
        """The last line."""
        return f"{len(self.passed)} passed, {self.failures} failed"


def run_suites(
    suites: Sequence[Suite],
    is_hard: bool,
    report: Report,
    expected: ExpectedFailures | None = None,
    folder: Path | None = None,
    state: Path | None = None,
) -> RunResult:
    """Run suites through dbt builds in a scratch folder, or in one that is kept.

    All of it happens in this process, on one Spark session; `state` is the folder of its
    warehouse, below `folder` if it is not given.
    """
    expected = expected or ExpectedFailures()
    result = RunResult()
    with ExitStack() as stack:
        if folder is None:
            temporary = tempfile.TemporaryDirectory(
                prefix="replication_conflicts_", ignore_cleanup_errors=True
            )
            folder = Path(stack.enter_context(temporary))
        state = state or folder / "state"
        parts = [part for suite in suites for part in in_own_queues(suite)]
        for number, (members, may_split) in enumerate(group_suites(parts, expected), start=1):
            name = f"scenarios_{number}"
            project = ConsumerProject(name, folder / name, state)
            group = _run_group(members, may_split, is_hard, report, project)
            result.problems += group.problems
            for one in group.cases:
                count(result, one, expected)
    return result


def group_suites(
    suites: Sequence[Suite], expected: ExpectedFailures
) -> list[tuple[list[Suite], bool]]:
    """Suites that share a project, and whether they may be parted when their first build fails.

    What one publication needs is planned for all of its project, so many suites are grouped by
    what they need. Those that wait for the same open issue are among themselves: they may break a
    build for everyone in it, and looking for the culprit would be of no use.
    """
    together: list[Suite] = []
    alone: list[tuple[list[Suite], bool]] = []
    waiting: dict[str, list[Suite]] = {}
    for suite in suites:
        subject = expected.of_suite(suite)
        if suite.needs_own_project:
            alone.append(([suite], False))
        elif subject is not None:
            waiting.setdefault(subject, []).append(suite)
        else:
            together.append(suite)
    shared = [(part, True) for members in _by_need(together) for part in _by_name(members)]
    known = [(part, False) for members in waiting.values() for part in _by_name(members)]
    return [*shared, *alone, *known]


def _by_name(suites: Sequence[Suite]) -> list[list[Suite]]:
    """Suites in groups in which no two publications have the same name, in any case."""
    groups: list[list[Suite]] = []
    for suite in suites:
        name = suite.publication.name.lower()
        for group in groups:
            if all(one.publication.name.lower() != name for one in group):
                group.append(suite)
                break
        else:
            groups.append([suite])
    return groups


def _by_need(suites: Sequence[Suite]) -> list[list[Suite]]:
    """Suites whose publications need the same to be planned; all together if they are few."""
    if sum(len(suite.publication.articles) for suite in suites) <= FEW_ARTICLES:
        return [list(suites)] if suites else []
    groups: dict[str, list[Suite]] = {}
    for suite in suites:
        groups.setdefault(suite.costliest_need, []).append(suite)
    return list(groups.values())


def _run_group(
    suites: list[Suite], may_split: bool, is_hard: bool, report: Report, project: ConsumerProject
) -> GroupResult:
    try:
        return Group(suites, project, is_hard, report).run()
    except FirstBuildFailed as failure:
        problem = f"the first build failed: {failure}"
    except Exception as error:  # whatever it is, the other suites are still worth running
        problem = f"the runner stopped: {type(error).__name__}: {_beginning(error)}"
    report(f"{project.name}: {problem}")
    if not may_split or len(suites) == 1:
        return _all_failed(suites, problem)
    report(f"{project.name}: its suites are parted, to see which of them is the cause")
    middle = len(suites) // 2
    halves = (("a", suites[:middle]), ("b", suites[middle:]))
    parted = [
        _run_group(half, True, is_hard, report, _part(project, letter)) for letter, half in halves
    ]
    return GroupResult(
        [case for one in parted for case in one.cases],
        [problem for one in parted for problem in one.problems],
    )


def _beginning(error: Exception) -> str:
    """The first lines of an error: those of Java have hundreds."""
    return "\n".join(str(error).splitlines()[:_LINES_OF_ERROR])


def _all_failed(suites: Sequence[Suite], problem: str) -> GroupResult:
    return GroupResult(
        [CaseResult(suite, case, problems=[problem]) for suite in suites for case in suite.cases]
    )


def _part(project: ConsumerProject, letter: str) -> ConsumerProject:
    name = project.name + letter
    return ConsumerProject(name, project.folder.with_name(name), project.state)


def count(result: RunResult, one: CaseResult, expected: ExpectedFailures) -> None:
    """Puts a result where it belongs."""
    subject = expected.of_case(one.suite, one.case)
    if subject is not None and one.has_passed:
        result.surprising.append((one, subject))
    elif subject is not None:
        result.waiting.append((one, subject))
    elif one.has_passed:
        result.passed.append(one)
    else:
        result.failed.append(one)
