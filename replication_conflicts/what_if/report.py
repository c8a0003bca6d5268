"""The answer to a what-if, as tables on the console."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from replication_conflicts.what_if.answer import Answer

# what tells one row of the counts from another, as the model what_if_counts groups changes
_GROUPS = (
    "article",
    "decided_outcome",
    "decided_conflict_kind",
    "what_if_outcome",
    "what_if_conflict_kind",
)
_KINDS = ("the outcome", "the conflict", "the row or its version alone")
_ROW = frozenset({"row", "version"})
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
    differences = answer.rows(
        f"select {', '.join(_GROUPS)}, differs_in, count(*) as change_count from {answer.changes}"
        f" group by {', '.join(_GROUPS)}, differs_in order by change_count desc, differs_in"
    )
    console.print(
        f"{otherwise:,} of {answer.judged:,} changes would have been decided otherwise:"
        f" {_kinds(differences)}.",
        soft_wrap=True,
    )
    console.print(_counts(counts, differences))
    changes = answer.rows(
        f"select * from {answer.changes} order by transaction_position, queue_position"
        f" limit {limit}"
    )
    if changes:
        console.print(_changes(changes))
    if otherwise > len(changes):
        console.print(f"{otherwise - len(changes):,} more", style="dim")
    console.print(f"Kept in {answer.changes} and {answer.counts}.", soft_wrap=True)


def _kinds(differences: list[Mapping[str, Any]]) -> str:
    """How many changes have another outcome, and how many differ only in something else."""
    found: Counter[str] = Counter()
    for one in differences:
        found[_kind({*one["differs_in"]})] += int(one["change_count"])
    return ", ".join(f"{found[kind]:,} in {kind}" for kind in _KINDS if found[kind])


def _kind(differences: AbstractSet[str]) -> str:
    if "outcome" in differences:
        return _KINDS[0]
    # what an earlier change that is decided otherwise does to the row that this one meets
    return _KINDS[2] if differences <= _ROW else _KINDS[1]


def _group(one: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(one[name] for name in _GROUPS)


def _counts(counts: list[Mapping[str, Any]], differences: list[Mapping[str, Any]]) -> Table:
    """`differences`: in what changes differ, said where both sides of a row look alike."""
    words: dict[tuple[Any, ...], dict[str, None]] = {}
    for one in differences:
        words.setdefault(_group(one), {}).update(dict.fromkeys(one["differs_in"]))
    table = Table(title="Decided otherwise", title_justify="left", title_style="bold")
    for name in ("article", "decided", "what if"):
        table.add_column(name)
    for name in _COUNTS:
        table.add_column(name, justify="right")
    for one in counts:
        decided, what_if = _decision(one, "decided"), _decision(one, "what_if")
        if decided.plain == what_if.plain:
            what_if.append(f"\ndiffers in {', '.join(words.get(_group(one), ()))}")
        table.add_row(
            Text(str(one["article"])),
            decided,
            what_if,
            *(f"{one[name]:,}" for name in _COUNTS.values()),
        )
    return table


def _changes(changes: list[Mapping[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title="The first of them", title_justify="left")
    table.add_column("position")
    table.add_column("change", overflow="fold")
    told = [(_told(one, "decided"), _told(one, "what_if")) for one in changes]
    # a word is never cut
    longest = max(len(word) for sides in told for side in sides for word in side.plain.split())
    table.add_column("decided", min_width=longest)
    table.add_column("what if", min_width=longest)
    table.add_column("differs in")
    for one, sides in zip(changes, told, strict=True):
        table.add_row(
            str(one["queue_position"]),
            Text(f"{one['operation']} by {one['node']}\n{one['article']} {one['row_key']}"),
            *sides,
            ", ".join(one["differs_in"]),
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
