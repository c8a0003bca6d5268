"""What the runner prints: progress, failing cases with both sides beside each other, the count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rich.console import Console
from rich.table import Table
from rich.text import Text

from replication_conflicts.scenarios.differences import Difference
from replication_conflicts.scenarios.group import CaseResult
from replication_conflicts.scenarios.reading import SuiteProblem


def print_problems(console: Console, problems: Iterable[SuiteProblem]) -> None:
    """What is wrong with suite files."""
    for problem in problems:
        console.print(Text.assemble(("error", "red"), f" {problem}"), soft_wrap=True)


def print_failure(console: Console, result: CaseResult) -> None:
    """A failing case: its steps, what went wrong, expected and actual side by side."""
    case = result.case
    title = Text(f"{result.suite.file}, case {case.name}", style="red")
    console.rule(title, align="left")
    if case.title:
        console.print(Text(case.title), soft_wrap=True)
    for number, step in enumerate(case.steps, start=1):
        console.print(Text(f"  {number:2d}  {step.text}"), soft_wrap=True)
    for problem in result.problems:
        console.print(Text(problem, style="red"), soft_wrap=True)
    for difference in result.differences:
        console.print(_side_by_side(difference))


def _side_by_side(difference: Difference) -> Table:
    table = Table(title=Text(difference.what), title_justify="left", show_lines=True, expand=True)
    table.add_column("expected", ratio=1, overflow="fold")
    table.add_column("actual", ratio=1, overflow="fold")
    pairs = (
        zip_longest(difference.expected, difference.actual)
        if difference.is_ordered
        else _paired(difference.expected, difference.actual)
    )
    for expected, actual in pairs:
        is_same = expected == actual
        table.add_row(
            _cell(expected, "dim" if is_same else "green"),
            _cell(actual, "dim" if is_same else "red"),
        )
    return table


def _cell(text: str | None, style: str) -> Text:
    return Text("-", style="dim") if text is None else Text(text, style=style)


def _paired(expected: Sequence[str], actual: Sequence[str]) -> list[tuple[str | None, str | None]]:
    """Equal lines beside each other, then the rest of both sides in their order."""
    common = Counter(expected) & Counter(actual)
    pairs: list[tuple[str | None, str | None]] = [(text, text) for text in common.elements()]
    left = list((Counter(expected) - common).elements())
    right = list((Counter(actual) - common).elements())
    for index in range(max(len(left), len(right))):
        pairs.append(
            (
                left[index] if index < len(left) else None,
                right[index] if index < len(right) else None,
            )
        )
    return pairs
