"""What `distribute` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from rich import box
from rich.console import Console
from rich.table import Table

from replication_conflicts.distribution.agent import Summary
from replication_conflicts.publication.commands import AgentCommand, Place
from replication_conflicts.words import counted


def print_summary(console: Console, subscriber: str, summary: Summary) -> None:
    """What a run has done, and how it ended."""
    total = sum(summary.commands.values())
    speed = f", {total / summary.seconds:,.0f} a second" if summary.seconds and total else ""
    console.print(
        f"{subscriber}: {counted(total, 'command')}"
        f" in {counted(summary.transactions, 'transaction')}"
        f" ({summary.seconds:.1f} s{speed}); position {summary.place}"
    )
    if total:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(summary.commands.items()))
        console.print(f"  {kinds}; {counted(summary.changed_rows, 'row')} changed")
    if summary.snapshot_rows:
        console.print(f"  {counted(summary.snapshot_rows, 'row')} came with a snapshot")
    if summary.reconnections:
        console.print(f"  connected again {counted(summary.reconnections, 'time')}")
    for refusal in summary.refused:
        key = ", ".join(f"{name} {text}" for name, text in refusal.key.items())
        console.print(
            f"  refused: {refusal.operation} of {refusal.article} ({key}):"
            f" {refusal.error_text} [{refusal.error_code}]"
        )
    if summary.is_stopped:
        console.print("Stopped there. `--on-error skip` leaves refused commands out.")


def print_plan(
    console: Console,
    commands: Iterable[AgentCommand],
    place: Place,
    replaced: Mapping[str, int] | None = None,
    later: Collection[str] = (),
) -> None:
    """What a run would do, counted.

    `replaced`: rows, by article, in place of which others come; `later`: articles whose initial
    rows come first.
    """
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
    begin = "From the beginning" if place == Place() else f"Behind position {place}"
    console.print(f"{begin}: {counted(len(transactions), 'transaction')}")
    if counts:
        console.print(table)
    for article, count in (replaced or {}).items():
        console.print(f"--initialize would replace {counted(count, 'row')} of {article}")
    if later:
        console.print(f"Before them the initial rows, if there are any, of {', '.join(later)}")
    console.print("Nothing was changed.")
