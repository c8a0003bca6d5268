"""The table of results, for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.table import Table

from tests.python.bench.results import Findings, Result

_COLUMNS = ("case", "measured", "ours", "against", "theirs", "ratio", "target", "")
# where a page keeps the last report
_BEGIN = "<!-- begin of the report -->"
_END = "<!-- end of the report -->"
_ABOUT = (
    "Ratios of times, ours to theirs, both measured in the same run; with 'at least', how many "
    "times as fast ours is."
)


def console_table(findings: Mapping[str, Findings]) -> Table:
    """All results as a table of rich."""
    table = Table(*_COLUMNS)
    for cells in _rows(findings):
        table.add_row(*(cell.replace("**", "") for cell in cells))
    return table


def markdown(findings: Mapping[str, Findings], machine: str, versions: str) -> str:
    """The whole report."""
    lines = [
        f"Machine: {machine}. Versions: {versions}.",
        "",
        _ABOUT,
        "",
        _line(_COLUMNS),
        _line("---" for _ in _COLUMNS),
        *(_line(cells) for cells in _rows(findings)),
        "",
        *(f"- {name}: {one.date}, {one.sizes}" for name, one in findings.items()),
        "",
        *(f"- {name}: {note}" for name, one in findings.items() for note in one.notes),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def inserted(page: str, text: str) -> str:
    """A page with the report in the place of the one that it has. Errors: ValueError."""
    before, begin, rest = page.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"the page has no lines {_BEGIN} and {_END}")
    return f"{before}{begin}\n\n{text}\n{end}{after}"


def _rows(findings: Mapping[str, Findings]) -> Iterator[tuple[str, ...]]:
    for name, one in findings.items():
        for result in one.results:
            yield _cells(name, result)


def _cells(name: str, result: Result) -> tuple[str, ...]:
    return (
        name,
        result.what,
        result.ours,
        result.against,
        result.theirs,
        f"{result.ratio:.2f}",
        result.target,
        result.verdict,
    )


def _line(cells: Iterator[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
