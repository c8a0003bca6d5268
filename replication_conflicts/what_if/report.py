"""The answer to a what-if, as tables on the console."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from replication_conflicts.what_if.answer import Answer

# what a person wants to see of a change first; the table that is kept has all of it
_SHOWN = {
    "place": "queue_position",
    "article": "article",
    "row": "row_key",
    "node": "node",
    "operation": "operation",
}


def print_answer(console: Console, answer: Answer, limit: int) -> None:
    """How many changes would have been decided otherwise, by article and kind, and which."""
    counts = answer.rows(
        f"select * from {answer.counts} order by article, changes desc, decided_outcome,"
        " what_if_outcome, decided_conflict_kind, what_if_conflict_kind"
    )
    otherwise = sum(int(one["changes"]) for one in counts)
    console.print(f"What if, {answer.question}", style="bold", markup=False, soft_wrap=True)
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
    for name in ("changes", "transactions", "rows"):
        table.add_column(name, justify="right")
    for one in counts:
        table.add_row(
            Text(str(one["article"])),
            _decision(one, "decided"),
            _decision(one, "what_if"),
            *(f"{one[name]:,}" for name in ("changes", "transactions", "rows_touched")),
        )
    return table


def _changes(changes: list[Mapping[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title="The first of them", title_justify="left")
    for name in (*_SHOWN, "decided", "what if", "winner", "differs in"):
        table.add_column(name, overflow="fold")
    for one in changes:
        table.add_row(
            *(Text(str(one[column])) for column in _SHOWN.values()),
            _decision(one, "decided"),
            _decision(one, "what_if"),
            Text(_winners(one)),
            ", ".join(one["differs_in"]),
        )
    return table


def _decision(one: Mapping[str, Any], side: str) -> Text:
    """An outcome, and the kind of conflict that it is about."""
    kind = one[f"{side}_conflict_kind"]
    return Text(f"{one[f'{side}_outcome']}{f' ({kind})' if kind else ''}")


def _winners(one: Mapping[str, Any]) -> str:
    before, after = one["decided_winner_node"] or "-", one["what_if_winner_node"] or "-"
    return before if before == after else f"{before}, what if {after}"
