"""The answer to a what-if, as tables on the console."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from replication_conflicts.what_if.answer import Answer

_COUNTS = {
    "changes": "change_count",
    "transactions": "transaction_count",
    "rows": "touched_row_count",
}


def print_answer(console: Console, answer: Answer, limit: int) -> None:
    """How many changes would have been decided otherwise, by article and kind, and which."""
    counts = answer.rows(
        f"select * from {answer.counts} order by article, change_count desc, decided_outcome,"
        " what_if_outcome, decided_conflict_kind, what_if_conflict_kind"
    )
    otherwise = sum(int(one["change_count"]) for one in counts)
    console.print(f"What if, {answer.question}", style="bold", soft_wrap=True)
    if not otherwise:
        console.print(f"All {answer.judged:,} changes would have been decided as they were.")
        return
    console.print(f"{otherwise:,} of {answer.judged:,} changes would have been decided otherwise.")
    console.print(_counts(counts))
    changes = answer.rows(
        f"select * from {answer.changes} order by transaction_position, queue_position"
        f" limit {limit}"
    )
    if changes:
        console.print(_changes(changes))
    if otherwise > len(changes):
        console.print(f"{otherwise - len(changes):,} more", style="dim")
    console.print(f"Kept in {answer.changes} and {answer.counts}.", soft_wrap=True)


def _counts(counts: list[Mapping[str, Any]]) -> Table:
    table = Table(title="Decided otherwise", title_justify="left", title_style="bold")
    for name in ("article", "decided", "what if"):
        table.add_column(name)
    for name in _COUNTS:
        table.add_column(name, justify="right")
    for one in counts:
        table.add_row(
            Text(str(one["article"])),
            _decision(one, "decided"),
            _decision(one, "what_if"),
            *(f"{one[name]:,}" for name in _COUNTS.values()),
        )
    return table


def _changes(changes: list[Mapping[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title="The first of them", title_justify="left")
    table.add_column("place")
    table.add_column("change", overflow="fold")
    table.add_column("decided")
    table.add_column("what if")
    for one in changes:
        table.add_row(
            str(one["queue_position"]),
            Text(f"{one['operation']} by {one['node']}\n{one['article']} {one['row_key']}"),
            _told(one, "decided"),
            _told(one, "what_if"),
        )
    return table


def _told(one: Mapping[str, Any], side: str) -> Text:
    """A decision, and who won its conflict."""
    winner = one[f"{side}_winner_node"]
    text = _decision(one, side)
    return text.append(f"\n{winner} won") if winner else text


def _decision(one: Mapping[str, Any], side: str) -> Text:
    """An outcome, and the kind of conflict that it is about."""
    kind = one[f"{side}_conflict_kind"]
    return Text(f"{one[f'{side}_outcome']}{f' ({kind})' if kind else ''}")
