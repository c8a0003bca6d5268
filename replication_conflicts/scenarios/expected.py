"""Suites and cases that wait for an open issue: they are run, and must fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from replication_conflicts.scenarios.reading import Entry, Place, SuiteProblem, read_yaml
from replication_conflicts.scenarios.suite import Case, Suite

# a suite and a case of it; None: all of its cases
Named = tuple[str, str | None]


@dataclass(frozen=True)
class ExpectedFailures:
    """The subjects of the issues that suites and cases wait for."""

    subjects: Mapping[Named, str] = field(default_factory=dict)

    def of_case(self, suite: Suite, case: Case) -> str | None:
        """The issue that a case waits for; None when it must pass."""
        return self.subjects.get((suite.name, case.name)) or self.of_suite(suite)

    def of_suite(self, suite: Suite) -> str | None:
        """The issue that a whole suite waits for."""
        return self.subjects.get((suite.name, None))

    def unknown(self, suites: Sequence[Suite], are_all: bool) -> list[Named]:
        """Entries that name nothing. What no suite has can be said only where `are_all`."""
        cases = {suite.name: {case.name for case in suite.cases} for suite in suites}
        return [
            (suite, case)
            for suite, case in self.subjects
            if (case is not None and case not in cases[suite] if suite in cases else are_all)
        ]


def read_expected_failures(path: Path | None) -> ExpectedFailures:
    """The list from its file; none without one. Errors: SuiteProblem."""
    if path is None:
        return ExpectedFailures()
    entry = read_yaml(path)
    if entry.value is None:
        return ExpectedFailures()
    return ExpectedFailures(dict(_subjects(entry)))


def unknown_names(
    path: Path, expected: ExpectedFailures, suites: Sequence[Suite], are_all: bool
) -> list[SuiteProblem]:
    """What is wrong with the list that was read from a file, now that the suites are known."""
    return [
        SuiteProblem(
            Place(str(path), case, suite), "there is no such " + ("case" if case else "suite")
        )
        for suite, case in expected.unknown(suites, are_all)
    ]


def _subjects(entry: Entry) -> Iterator[tuple[Named, str]]:
    for suite, one in entry.mapping().items():
        if isinstance(one.value, Mapping):
            yield from (((suite, case), of.text()) for case, of in one.mapping().items())
        else:
            yield (suite, None), one.text()
