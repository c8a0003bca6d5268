"""The command of the benchmark: `python -m tests.python.bench --help`."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tests.python.bench import machine, report, results, settings
from tests.python.bench.bench import Bench
from tests.python.bench.cases import (
    agent,
    auto_cdc,
    contention,
    double,
    empty_run,
    history,
    hot_row,
    lineages,
    merge_replication,
    queue_reader,
    queued,
)
from tests.python.bench.product import Home, Product
from tests.python.bench.results import Findings
from tests.python.bench.sizes import CHANGES, ROWS, Sizes

CASES: Mapping[str, Callable[[Bench], None]] = {
    "queued": queued.run,
    "commands": queued.run_with_commands,
    "auto_cdc": auto_cdc.run,
    "queue_reader": queue_reader.run,
    "double": double.run,
    "empty_run": empty_run.run,
    "history": history.run,
    "hot_row": hot_row.run,
    "contention": contention.run,
    "merge_replication": merge_replication.run,
    "lineages": lineages.run,
    "agent": agent.run,
}


def main(
    cases: Annotated[list[str] | None, typer.Argument(help=f"of: {', '.join(CASES)}")] = None,
    changes: Annotated[int, typer.Option(help="changes of one delivery")] = CHANGES,
    rows: Annotated[int, typer.Option(help="rows published before it")] = ROWS,
    repeats: Annotated[int, typer.Option(help="how often each is measured")] = 1,
    memory: Annotated[str, typer.Option(help="heap of the Spark JVM")] = "6g",
    page: Annotated[Path | None, typer.Option(help="a Markdown page to put the report in")] = None,
    folder: Annotated[Path, typer.Option(help="for data, results.json, report.md")] = Path(
        ".local/bench"
    ),
) -> None:
    """Measure, and print each figure beside its target; other cases' last figures are kept."""
    console = Console()
    unknown = set(cases or []) - set(CASES)
    if unknown:
        raise typer.BadParameter(f"no case {', '.join(sorted(unknown))}, only: {', '.join(CASES)}")
    data, stored = folder / "data", folder / "results.json"
    shutil.rmtree(data, ignore_errors=True)
    home = Home(data, settings.settings(data / "state", settings.cores(), memory))
    products: dict[str, Product] = {}
    findings, failed = results.load(stored), []
    for name in cases or CASES:
        bench = Bench(home, Sizes(changes, rows), repeats, _say(console), products)
        try:
            CASES[name](bench)
        except Exception as error:  # whatever it is, the other cases are still worth measuring
            bench.say(f"{name} failed: {error}")
            failed.append(name)
            continue
        sizes = f"{changes:,} changes on {rows:,} rows, {repeats} measured"
        findings[name] = Findings(date.today().isoformat(), sizes, bench.results, bench.notes)
        findings = results.in_order(findings, CASES)
        results.save(stored, findings)
    text = report.markdown(findings, machine.machine(), machine.versions())
    (folder / "report.md").write_text(text, encoding="utf-8")
    if page is not None:
        page.write_text(report.inserted(page.read_text(encoding="utf-8"), text), encoding="utf-8")
    console.print(report.console_table(findings))
    console.print(f"The same as Markdown: {folder / 'report.md'}")
    if failed:
        console.print(f"Failed: {', '.join(failed)}")
        raise typer.Exit(1)


def _say(console: Console) -> Callable[[str], None]:
    return lambda text: console.print(text, highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
