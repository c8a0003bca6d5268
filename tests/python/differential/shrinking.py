"""Making a case smaller that the project and the reader decide differently.

A round builds several smaller cases side by side, as publications of one project, and goes on with
the smallest that still differs.  A case without some of its rows is a case like any other: the
reader reads it again, so that it only has to differ, and need not have been made by any node.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from tests.python.sequential_reader import FeedRow
from tests.python.strategies.cases import Case, Delivery
from tests.python.strategies.replicas import ReaderPipeline

Differs = Callable[[Sequence[Case]], list[bool]]
"""Which of some cases are decided differently."""


def shrink(case: Case, differs: Differs, seconds: float, width: int = 6) -> Case:
    """The smallest case found within a time; `width` cases are tried together."""
    best = replace(case, steps=())
    until = time.monotonic() + seconds
    pieces = 2
    while time.monotonic() < until:
        candidates = [one for one in _candidates(best, pieces) if _is_whole(one)]
        found = None
        for start in range(0, len(candidates), width):
            if time.monotonic() > until:
                break
            tried = candidates[start : start + width]
            smaller = [one for one, is_so in zip(tried, differs(tried), strict=True) if is_so]
            if smaller:
                found = min(smaller, key=size)
                break
        if found is not None:
            best = found
            pieces = max(2, pieces - 1)
        elif pieces >= size(best):
            break
        else:
            pieces = min(pieces * 2, size(best))
    return best


def size(case: Case) -> int:
    """What is made smaller: rows of the feed and of the start, and deliveries."""
    initial = sum(len(rows) for rows in case.initial.values())
    reports = sum(len(one.events + one.errors + one.decisions) for one in case.deliveries)
    return len(case.rows) + initial + reports + len(case.deliveries)


def _is_whole(case: Case) -> bool:
    """Whether every command that is reported as refused is still there."""
    pipeline = ReaderPipeline(case)
    for delivery in case.deliveries:
        known = {one.command_id for one in pipeline.reader.commands}
        if any(error.command_id not in known for error in delivery.errors):
            return False
        pipeline.run(delivery)
    return True


def _candidates(case: Case, pieces: int) -> Iterable[Case]:
    """Cases with fewer deliveries, transactions, rows, initial rows, or events."""
    if len(case.deliveries) > 1:
        yield replace(case, deliveries=(_together(case.deliveries),))
        for number in range(len(case.deliveries) - 1):
            first, second = case.deliveries[number : number + 2]
            joined = _together((first, second))
            rest = (*case.deliveries[:number], joined, *case.deliveries[number + 2 :])
            yield replace(case, deliveries=rest)
    groups = _groups(case)
    for chunk in _chunks(groups, pieces):
        yield _without(case, {id(row) for group in chunk for row in group})
    initial = [(article, row) for article, rows in case.initial.items() for row in rows]
    for some in _chunks(initial, pieces):
        gone = {id(row) for _, row in some}
        yield replace(
            case,
            initial={
                article: [row for row in rows if id(row) not in gone]
                for article, rows in case.initial.items()
            },
        )
    for name in ("events", "errors", "decisions"):
        if any(getattr(delivery, name) for delivery in case.deliveries):
            nothing: Any = {name: ()}
            bare = tuple(replace(delivery, **nothing) for delivery in case.deliveries)
            yield replace(case, deliveries=bare)
    if pieces >= len(groups):
        for row in case.rows:
            yield _without(case, {id(row)})


def _together(deliveries: Sequence[Delivery]) -> Delivery:
    """Several deliveries as one."""
    return Delivery(
        rows=tuple(row for one in deliveries for row in one.rows),
        events=tuple(event for one in deliveries for event in one.events),
        errors=tuple(error for one in deliveries for error in one.errors),
        decisions=tuple(decision for one in deliveries for decision in one.decisions),
    )


def _groups(case: Case) -> list[list[FeedRow]]:
    """The rows of the feed by transaction."""
    groups: dict[tuple[Any, ...], list[FeedRow]] = {}
    for number, row in enumerate(case.rows):
        identity: tuple[Any, ...] = (row[1]["node"], row[1]["transaction_id"])
        if row[1]["transaction_id"] is None:
            identity = (None, None, number)
        groups.setdefault(identity, []).append(row)
    return list(groups.values())


def _chunks(items: list[Any], pieces: int) -> list[list[Any]]:
    pieces = min(pieces, len(items))
    return [
        items[len(items) * number // pieces : len(items) * (number + 1) // pieces]
        for number in range(pieces)
    ]


def _without(case: Case, gone: set[int]) -> Case:
    deliveries = [
        replace(delivery, rows=tuple(row for row in delivery.rows if id(row) not in gone))
        for delivery in case.deliveries
    ]
    kept = tuple(one for one in deliveries if one != Delivery())
    return replace(case, deliveries=kept or (Delivery(),))
