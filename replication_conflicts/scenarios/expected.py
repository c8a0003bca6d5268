"""Suites and cases that wait for an open issue: they are run, and must fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from replication_conflicts.scenarios.reading import read_yaml
from replication_conflicts.scenarios.suite import Case, Suite


@dataclass(frozen=True)
class ExpectedFailures:
    """Name of a suite or of a case to the subject of the issue that it waits for."""

    subjects: Mapping[str, str] = field(default_factory=dict)

    def of_case(self, suite: Suite, case: Case) -> str | None:
        """The issue that a case waits for; None when it must pass."""
        return self.subjects.get(case.name) or self.subjects.get(suite.name)

    def of_suite(self, suite: Suite) -> str | None:
        """The issue that a whole suite waits for."""
        return self.subjects.get(suite.name)


def read_expected_failures(path: Path | None) -> ExpectedFailures:
    """The list from its file; none without one. Errors: SuiteProblem."""
    if path is None:
        return ExpectedFailures()
    entry = read_yaml(path)
    if entry.value is None:
        return ExpectedFailures()
    return ExpectedFailures({name: one.text() for name, one in entry.mapping().items()})
