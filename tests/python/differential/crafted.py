"""Cases made by hand, for rules that random workloads seldom reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.python.sequential_reader import Event, FeedRow
from tests.python.strategies.cases import Case, Delivery

BEGIN = datetime(2024, 5, 1, tzinfo=timezone.utc)
# a name that is none for a parameter of a statement, with a word that Spark hides in lists
VALUE = "2nd_url"
AB = ("a", "b")
PUBLISHER = "HQ"
BUSY_ROW = "two nodes take turns at one row"
REPORT_WITHOUT_PLACE = "a mark, a report without a place, and another mark"
SHARED_PLACES = "changes that share a place go by their ids"


def row(
    position: int | None,
    node: str,
    operation: str,
    key: Sequence[str | None],
    old: str | None = None,
    new: str | None = None,
    *,
    day: float = 0,
    transaction: str | None = None,
    count: int | None = 1,
    change_id: str | None = None,
    value: int | None = None,
) -> FeedRow:
    """A row of the feed of `item (k0, k1, 2nd)`; ids follow from the position."""
    return "item", {
        "change_id": change_id or f"{node}-{position}",
        "queue_position": position,
        "node": node,
        "transaction_id": transaction or f"{node}-t{position}",
        "transaction_change_count": count,
        "operation": operation,
        "changed_at": BEGIN + timedelta(days=day),
        "old_version": old,
        "new_version": new,
        "k0": key[0],
        "k1": key[1],
        VALUE: value if value is not None else position,
    }


def case(
    label: str,
    deliveries: Sequence[Sequence[FeedRow | Event]],
    policy: str = "publisher_wins",
    initial: Sequence[tuple[str, str, str]] = (("a", "b", "v0"),),
    is_cut_free: bool = True,
) -> Case:
    """A case of one article; `initial`: both key columns and the version."""
    article: dict[str, Any] = {
        "columns": {"k0": "string", "k1": "string", VALUE: "int"},
        "primary_key": ["k0", "k1"],
        "initial_snapshot": True,
    }
    return Case(
        label=label,
        configuration={
            "replication": "queued",
            "policy": policy,
            "publisher": PUBLISHER,
            "retention_days": 14,
            "articles": {"item": article},
        },
        subscribers=("north", "south"),
        initial={
            "item": [
                {"k0": k0, "k1": k1, VALUE: 0, "row_version": version}
                for k0, k1, version in initial
            ]
        },
        deliveries=tuple(
            Delivery(
                tuple(one for one in delivery if not isinstance(one, Event)),
                tuple(one for one in delivery if isinstance(one, Event)),
            )
            for delivery in deliveries
        ),
        steps=(),
        is_cut_free=is_cut_free,
    )


def side_by_side(label: str, stories: Sequence[Case]) -> Case:
    """Cases of one policy as one: a publication costs every run more than its rows do.

    Each has keys, ids, subscribers and places in the queue of its own; what they deliver comes
    together, and a snapshot stands for all of it.
    """

    def name(story: int, node: str) -> str:
        return node if node == PUBLISHER else f"{node} {story}"

    def place(number: int, story: int, position: int) -> int:
        return 1000 * number + 10 * position + story

    def moved_row(number: int, story: int, one: FeedRow) -> FeedRow:
        article, values = one
        return article, {
            **values,
            "change_id": f"{story}/{values['change_id']}",
            "transaction_id": f"{story}/{values['transaction_id']}",
            "queue_position": place(number, story, values["queue_position"]),
            "node": name(story, values["node"]),
            "k0": f"{story}/{values['k0']}",
        }

    def moved_event(number: int, story: int, one: Event) -> Event:
        return replace(
            one,
            subscriber=name(story, one.subscriber),
            snapshot_position=1000 * number - 1,
            position=None if one.position is None else place(number, story, one.position),
        )

    deliveries = []
    for number in range(max(len(story.deliveries) for story in stories)):
        rows: list[FeedRow] = []
        events: list[Event] = []
        for which, story in enumerate(stories):
            if number < len(story.deliveries):
                delivery = story.deliveries[number]
                rows += [moved_row(number, which, one) for one in delivery.rows]
                events += [moved_event(number, which, one) for one in delivery.events]
        rows.sort(key=lambda one: int(one[1]["queue_position"]))
        deliveries.append(Delivery(tuple(rows), tuple(events)))
    whole = case(
        label,
        (),
        policy=stories[0].configuration["policy"],
        initial=[(f"{which}/{AB[0]}", AB[1], "v0") for which in range(len(stories))],
        is_cut_free=all(story.is_cut_free for story in stories),
    )
    names = {name(which, node) for which, one in enumerate(stories) for node in one.subscribers}
    return replace(whole, deliveries=tuple(deliveries), subscribers=tuple(sorted(names)))


REINITIALIZE = "publisher_wins_reinitialize"


def publisher_wins_stories() -> list[Case]:
    """Cases that do not need a clock of their own."""
    return [
        case(
            "two deletes lose against one version",
            [
                [
                    row(1, "HQ", "update", AB, "v0", "h1"),
                    row(2, "north", "delete", AB, "v0"),
                    row(3, "south", "delete", AB, "v0"),
                ],
                [row(4, "south", "delete", AB, "v0"), row(5, "south", "delete", AB, "h1")],
            ],
        ),
        case(
            "one version sent three times under other ids",
            [
                [
                    row(1, "north", "update", AB, "v0", "n1"),
                    row(2, "north", "update", AB, "v0", "n1"),
                ],
                [row(3, "north", "update", AB, "v0", "n1")],
            ],
        ),
        case(
            "keys that look alike when they are joined",
            [
                [
                    row(1, "north", "insert", ("a|b", "c"), None, "n1"),
                    row(2, "south", "insert", ("a", "b|c"), None, "s2"),
                    row(3, "north", "insert", ("a\\", "b"), None, "n3"),
                    row(4, "south", "insert", ("a", "\\|b"), None, "s4"),
                    row(5, "south", "insert", ("a|b", "c"), None, "s5"),
                ],
                [row(6, "north", "delete", ("a", "b|c"), "s2")],
            ],
        ),
        case(
            "a transaction in three pieces, among others",
            [
                [row(1, "north", "update", AB, "v0", "n1", transaction="t", count=3)],
                [
                    row(2, "south", "insert", ("c", "c"), None, "s2"),
                    row(3, "north", "insert", ("c", "c"), None, "n3", transaction="t", count=3),
                ],
                [
                    row(4, "south", "update", ("c", "c"), "s2", "s4"),
                    row(5, "north", "insert", ("d", "d"), None, "n5", transaction="t", count=3),
                    row(6, "south", "update", AB, "v0", "s6"),
                ],
            ],
        ),
        case(
            "rows of one transaction change several times",
            [
                [
                    row(1, "north", "update", AB, "v0", "n1", transaction="t", count=5),
                    row(2, "north", "update", AB, "n1", "n2", transaction="t", count=5),
                    row(3, "north", "delete", AB, "n2", transaction="t", count=5),
                    row(4, "north", "insert", AB, None, "n4", transaction="t", count=5),
                    row(5, "north", "update", AB, "n4", "n5", transaction="t", count=5),
                ],
                [
                    row(6, "HQ", "update", AB, "n5", "h6"),
                    row(7, "north", "delete", AB, "n5", transaction="u", count=2),
                    row(8, "north", "insert", AB, None, "n8", transaction="u", count=2),
                ],
            ],
        ),
    ]


def reports() -> list[Case]:
    """Cases about reports that name their place."""
    return [
        case(
            "a report that acts among what waits in the queue",
            [
                [
                    row(1, "HQ", "update", AB, "v0", "h1"),
                    row(2, "north", "update", AB, "v0", "n2"),
                ],
                [
                    row(3, "north", "insert", ("c", "c"), None, "n3"),
                    Event("north", 2, 4, BEGIN),
                    row(5, "north", "insert", ("c", "c"), None, "n5"),
                    row(6, "south", "update", ("c", "c"), "n5", "s6"),
                    row(7, "south", "update", ("c", "c"), "n5", "s7"),
                    row(8, "south", "delete", ("c", "c"), "s6"),
                ],
            ],
            policy=REINITIALIZE,
        ),
        case(
            "a report and nothing after it",
            [
                [
                    row(1, "HQ", "update", AB, "v0", "h1"),
                    row(2, "north", "update", AB, "v0", "n2"),
                ],
                # behind all that other stories deliver
                [Event("north", 2, 9, BEGIN)],
            ],
            policy=REINITIALIZE,
        ),
    ]


def busy_row() -> Case:
    """Two nodes take turns at one row; now and then one starts from a version that is gone."""
    rows: list[FeedRow] = []
    held = "v0"
    for position in range(1, 41):
        node = ("north", "south")[position % 2]
        if position % 8 == 0:
            gone = "v0" if position % 16 else "of an earlier run"
            rows.append(row(position, node, "update", AB, gone, f"stale {position}"))
            continue
        rows.append(row(position, node, "update", AB, held, f"v{position}"))
        held = f"v{position}"
    return case(BUSY_ROW, [rows])


def crafted_cases() -> list[Case]:
    """All of them."""
    return [
        busy_row(),
        case(
            "the clock goes on with a rejected transaction",
            [
                [
                    row(1, "HQ", "update", AB, "v0", "h1"),
                    row(
                        2,
                        "north",
                        "insert",
                        ("c", "c"),
                        None,
                        "n2",
                        day=30,
                        transaction="t",
                        count=2,
                    ),
                    row(3, "north", "insert", ("d", None), None, "n3", transaction="t", count=2),
                ],
                [
                    row(4, "north", "insert", ("e", "e"), None, "n4", day=10),
                    row(5, "south", "insert", ("f", "f"), None, "s5", day=16),
                    row(None, "south", "insert", ("g", "g"), None, "s", day=10),
                ],
            ],
        ),
        side_by_side("stories of publisher_wins", publisher_wins_stories()),
        case(
            REPORT_WITHOUT_PLACE,
            [
                [
                    row(1, "HQ", "update", AB, "v0", "h1"),
                    row(2, "north", "update", AB, "v0", "n2"),
                ],
                [
                    Event("north", 2, None, BEGIN),
                    row(3, "north", "update", AB, "h1", "n3"),
                    row(4, "HQ", "update", AB, "n3", "h4"),
                    row(5, "north", "update", AB, "n3", "n5"),
                    row(6, "north", "insert", ("c", "c"), None, "n6"),
                    row(7, "south", "insert", ("c", "c"), None, "s7"),
                ],
                [
                    Event("north", 7, 8, BEGIN),
                    row(9, "north", "update", ("c", "c"), "s7", "n9"),
                ],
            ],
            policy=REINITIALIZE,
            is_cut_free=False,
        ),
        side_by_side("stories of publisher_wins_reinitialize", reports()),
        case(
            SHARED_PLACES,
            [
                [
                    row(1, "north", "update", AB, "v0", "n1"),
                    row(1, "south", "update", AB, "n1", "s1"),
                    row(2, "south", "insert", ("c", "c"), None, "s2", change_id="b"),
                    row(2, "north", "insert", ("c", "c"), None, "n2", change_id="c"),
                    row(2, "HQ", "delete", ("c", "c"), "n2", change_id="a"),
                ],
                [row(3, "north", "update", AB, "s1", "n3")],
            ],
            is_cut_free=False,
        ),
        case(
            "overwritten by a subscriber, row and tombstone and nothing",
            [
                [
                    row(1, "HQ", "delete", AB, "v0"),
                    row(2, "north", "update", AB, "v0", "n2"),
                    row(3, "south", "update", ("x", "x"), "never", "s3"),
                    row(4, "HQ", "update", ("y", "y"), "never", "h4"),
                    row(5, "south", "delete", ("y", "y"), "other"),
                ],
                [
                    row(6, "north", "delete", ("y", "y"), "other", transaction="t", count=2),
                    row(7, "north", "update", AB, "v0", "n7", transaction="t", count=2),
                    row(8, "HQ", "delete", AB, "other"),
                    row(9, "HQ", "update", AB, "other", "h9"),
                ],
            ],
            policy="subscriber_wins",
        ),
    ]
