"""The command `replication-conflicts scenarios`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from replication_conflicts.console.options import plain_console
from replication_conflicts.scenarios.expected import read_expected_failures, unknown_names
from replication_conflicts.scenarios.reading import SuiteProblem
from replication_conflicts.scenarios.report import print_failure, print_problems
from replication_conflicts.scenarios.runner import RunResult, run_suites
from replication_conflicts.scenarios.suite import read_suites

# both sides of a difference need room, also where the output goes to a file
_WIDTH_OF_FILES = 160


def register(app: typer.Typer) -> None:
    """Adds the command to the program."""
    app.command("scenarios")(scenarios)


def scenarios(
    files: Annotated[list[Path], typer.Argument(help="Suite files (YAML).", show_default=False)],
    hard: Annotated[
        bool,
        typer.Option(
            "--hard",
            help="Deliver every feed row twice, follow every run with an empty one, "
            "and rebuild everything at the end.",
        ),
    ] = False,
    expected_failures: Annotated[
        Path | None,
        typer.Option(
            help="YAML file: suite, or a case below it, to the subject of the issue it waits for."
        ),
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--every",
            help="The files are all suites: an expected failure of another one is a mistake.",
        ),
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the generated projects and their warehouse. It is kept, until the "
            "next call with the same folder makes them anew."
        ),
    ] = None,
) -> None:
    """Run scenario suites through dbt builds on Delta, and compare what comes out."""
    console = plain_console()
    if not console.is_terminal:
        console.width = _WIDTH_OF_FILES
    started = time.monotonic()
    suites, problems = read_suites(files)
    wrong_list: list[SuiteProblem] = []
    try:
        expected = read_expected_failures(expected_failures)
        if expected_failures is not None and not problems:
            wrong_list = unknown_names(expected_failures, expected, suites, every)
    except SuiteProblem as problem:
        wrong_list = [problem]
    print_problems(console, [*problems, *wrong_list])
    if wrong_list or not suites:
        problems += wrong_list
        console.print(f"0 passed, {len(problems)} failed")
        raise typer.Exit(1)
    cases = sum(len(suite.cases) for suite in suites)
    console.print(f"{cases} cases of {len(suites)} suites, {'hard' if hard else 'plain'} pass")
    with console.status("running"):

        def report(line: str) -> None:
            console.print(f"{time.monotonic() - started:5.0f} s  {line}", soft_wrap=True)

        result = run_suites(suites, hard, report, expected, keep)
    result.problems += [str(problem) for problem in problems]
    _print_result(console, result)
    raise typer.Exit(1 if result.failures else 0)


def _print_result(console: Console, result: RunResult) -> None:
    for failed in result.failed:
        print_failure(console, failed)
    subjects = sorted({subject for _, subject in result.waiting})
    for subject in subjects:
        names = [one.case.name for one, of in result.waiting if of == subject]
        console.print(
            f"{len(names)} expected failures, waiting for '{subject}': {', '.join(names)}",
            soft_wrap=True,
        )
    for one, subject in result.surprising:
        console.print(
            f"{one.suite.file}, case {one.case.name} passes: "
            f"take it off the expected failures (it waited for '{subject}')",
            soft_wrap=True,
        )
    for problem in result.problems:
        console.print(problem, style="red", soft_wrap=True)
    console.print(result.summary)
