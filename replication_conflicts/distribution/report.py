"""What `distribute` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rich import box
from rich.console import Console
from rich.table import Table

from replication_conflicts.distribution.run import Summary
from replication_conflicts.publication.commands import AgentCommand, Place
from replication_conflicts.words import counted


def print_summary(console: Console, subscriber: str, summary: Summary) -> None:
    """What a run has done, and how it ended."""
    for line in _summary_lines(subscriber, summary):
        # a line is a line, also in a file
        console.print(line, soft_wrap=True)


def _summary_lines(subscriber: str, summary: Summary) -> Iterator[str]:
    total = sum(summary.commands.values())
    rate = round(total / summary.seconds) if summary.seconds else 0
    speed = f", {rate:,} a second" if rate else ""
    yield (
        f"{subscriber}: {counted(total, 'command')}"
        f" in {counted(summary.transactions, 'transaction')}"
        f" ({summary.seconds:.1f} s{speed}); position {summary.place}"
    )
    if total:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(summary.commands.items()))
        yield f"  {kinds}; {counted(summary.changed_rows, 'row')} changed"
    if summary.initial_rows:
        yield f"  {counted(summary.initial_rows, 'initial row')}"
    if summary.snapshot_rows:
        yield f"  {counted(summary.snapshot_rows, 'row')} came with a snapshot"
    if summary.reconnections:
        yield f"  connected again {counted(summary.reconnections, 'time')}"
    for refusal in summary.refused:
        key = ", ".join(f"{name} {text}" for name, text in refusal.key.items())
        yield (
            f"  refused: {refusal.operation} of {refusal.article} ({key}):"
            f" {refusal.error_text} [{refusal.error_code}]"
        )
    if summary.is_stopped:
        yield "Stopped there. `--on-error skip` leaves refused commands out."


@dataclass(frozen=True)
class PlannedStart:
    """What comes before commands, by article: initial rows, in place of rows that are there."""

    initial: Mapping[str, int]
    replaced: Mapping[str, int] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """One line an article."""
        articles = dict.fromkeys([*self.initial, *self.replaced])
        if not articles:
            yield "Before them no initial rows"
        for article in articles:
            coming = counted(self.initial.get(article, 0), "initial row")
            held = self.replaced.get(article, 0)
            instead = f", in place of {counted(held, 'row')}" if held else ""
            yield f"Before them {coming} of {article}{instead}"


def print_plan(
    console: Console,
    commands: Iterable[AgentCommand],
    place: Place,
    start: PlannedStart | None = None,
) -> None:
    """What a run would do, counted."""
    counts: Counter[tuple[str, str, str]] = Counter()
    transactions: set[Place] = set()
    for command in commands:
        counts[command.kind, command.article or "", command.operation or ""] += 1
        transactions.add(command.place)
    table = Table(box=box.SIMPLE_HEAD)
    for name in ("kind", "article", "operation"):
        table.add_column(name)
    table.add_column("commands", justify="right")
    for (kind, article, operation), count in sorted(counts.items()):
        table.add_row(kind, article, operation, f"{count:,}")
    begin = "From the beginning" if place == Place() else f"After position {place}"
    console.print(f"{begin}: {counted(len(transactions), 'transaction')}", soft_wrap=True)
    if counts:
        console.print(table)
    for line in start.lines() if start else ():
        console.print(line, soft_wrap=True)
    console.print("Nothing was changed.")
