"""A case: a publication, what it starts with, and what is delivered to it run by run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Literal

from hypothesis import strategies as st

from tests.python.sequential_reader import ApplyError, ConflictDecision, Event, FeedRow, Key, Row

Item = FeedRow | Event | ApplyError | ConflictDecision


@dataclass(frozen=True)
class Delivery:
    """What has arrived between two runs: rows of the feeds, and reports of subscribers."""

    rows: tuple[FeedRow, ...] = ()
    events: tuple[Event, ...] = ()
    errors: tuple[ApplyError, ...] = ()
    decisions: tuple[ConflictDecision, ...] = ()


@dataclass(frozen=True)
class Step:
    """One thing that happened, for replaying the subscribers.

    `local`: a node changed rows of its own, `effects` says to what (version and row None: gone);
    `run`: the pipeline took the next delivery; `download`: a node applied what it had not applied
    yet; `snapshot`: a node took the snapshot that its last `reinitialize` command names.
    """

    kind: Literal["local", "run", "download", "snapshot"]
    node: str = ""
    effects: tuple[tuple[str, Key, str | None, Row | None], ...] = ()


@dataclass(frozen=True)
class Case:
    """A generated publication with its workload.

    `is_cut_free`: the result does not depend on how the feed is cut into runs.  It does where rows
    come late, where a transaction id without a count is used again in a later run, where a
    transaction gets more changes than it announces, or where an event acts at the run that sees it.
    """

    label: str
    configuration: dict[str, Any]
    subscribers: tuple[str, ...]
    initial: dict[str, list[Row]]
    deliveries: tuple[Delivery, ...]
    steps: tuple[Step, ...]
    is_cut_free: bool
    unsent: frozenset[tuple[str, str, Key]] = frozenset()
    """Rows about which a node never sent a change that it made: node, article, key."""
    subscriptions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Merge replication: the options of every subscription."""
    own_resolvers: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By article: resolvers of the project's own, of which the sequential reader knows nothing."""
    files: dict[str, str] = field(default_factory=dict)
    """What the project needs besides, by path: the macros of those resolvers."""

    @property
    def rows(self) -> list[FeedRow]:
        """Every row of the feeds, copies included, in the order of arrival."""
        return [row for delivery in self.deliveries for row in delivery.rows]


def with_places_of_their_own(case: Case) -> Case:
    """The same feed without the changes whose place in the queue another change has taken.

    Such a change is late where a run lies between the two. In one delivery it breaks the contract
    of the feed, and nothing is said about the order of the two.
    """
    holders: dict[Any, Any] = {}

    def has_own_place(item: FeedRow) -> bool:
        position, change_id = item[1]["queue_position"], item[1]["change_id"]
        return position is None or holders.setdefault(position, change_id) == change_id

    return replace(
        case,
        deliveries=tuple(
            replace(one, rows=tuple(item for item in one.rows if has_own_place(item)))
            for one in case.deliveries
        ),
    )


def cut_again(case: Case, random: Random, deliveries: int) -> Case:
    """The same feed in another number of runs.

    A transaction without a count is what arrives in one run, so it is never cut.
    """
    items: list[Item] = []
    for delivery in case.deliveries:
        items.extend(_in_arrival_order(delivery))
    # where each transaction without a count ends, so that it is not cut; copies do not count
    identities: list[tuple[Any, Any] | None] = []
    seen: set[Any] = set()
    for item in items:
        identity = None
        if isinstance(item, tuple):
            row = item[1]
            is_new = row["change_id"] not in seen
            seen.add(row["change_id"])
            if is_new and row["transaction_id"] and row["transaction_change_count"] is None:
                identity = (row["node"], row["transaction_id"])
        identities.append(identity)
    last = {identity: number for number, identity in enumerate(identities)}
    places = []
    open_until = 0
    for number, identity in enumerate(identities):
        if number > open_until:
            places.append(number)
        if identity is not None:
            open_until = max(open_until, last[identity])
    cuts = sorted(random.sample(places, min(deliveries - 1, len(places))))
    parts = [items[start:end] for start, end in zip([0, *cuts], [*cuts, len(items)], strict=True)]
    return replace(
        case,
        label=f"{case.label}, cut into {len(parts)}",
        steps=(),
        deliveries=tuple(
            Delivery(
                rows=tuple(item for item in part if isinstance(item, tuple)),
                events=tuple(item for item in part if isinstance(item, Event)),
                errors=tuple(item for item in part if isinstance(item, ApplyError)),
                decisions=tuple(item for item in part if isinstance(item, ConflictDecision)),
            )
            for part in parts
        ),
    )


def _in_arrival_order(delivery: Delivery) -> list[Item]:
    """A report or a decision arrives before what has a later place than the one that it names."""
    items: list[Item] = list(delivery.rows)
    reports: list[Event | ApplyError | ConflictDecision] = []
    reports += [*delivery.events, *delivery.errors, *delivery.decisions]
    for report in reports:
        if report.position is None:
            items.append(report)
            continue
        later = [
            number for number, item in enumerate(items) if (_position(item) or 0) > report.position
        ]
        items.insert(later[0] if later else len(items), report)
    return items


def _position(item: Item) -> int | None:
    position = item[1].get("queue_position") if isinstance(item, tuple) else item.position
    assert position is None or isinstance(position, int)
    return position


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Small cases for hypothesis: few rows, few runs, shrinking towards fewer of everything."""
    from tests.python.strategies.workload import SMALL, build_case

    return build_case(draw(st.randoms(use_true_random=False)), SMALL, "hypothesis")


def case_from_seed(seed: int, size: Any = None) -> Case:
    """The case of a seed; the same for the same seed and size."""
    from tests.python.strategies.workload import LARGE, build_case

    return build_case(Random(seed), size or LARGE, f"seed {seed}")
