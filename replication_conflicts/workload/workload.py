"""The workload: rounds of work, synchronizations at each branch's own times, one delivery a round.

The loop is closed. What a branch uploads in a round was made on rows that the commands of the round
before have reached, if the branch was online. So a delivery can be asked for only after the one
before was answered.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from replication_conflicts.nodes import (
    Command,
    FeedRow,
    Node,
    Publication,
    Queue,
    StoredRow,
    initial_rows,
    publisher_node,
    subscriber_node,
)
from replication_conflicts.workload.activities import (
    AT_BRANCHES,
    AT_HEADQUARTERS,
    PRODUCT,
    Activity,
    Place,
    World,
    initial_stock,
)
from replication_conflicts.workload.faults import BrokenRow, broken_off, broken_rows, copies

BRANCHES = ("north", "south", "east", "west")
START = datetime(2025, 3, 3, 8, 0, tzinfo=timezone.utc)
HEADQUARTERS_SHARE = 0.16
COPIES_OF_THIS_DELIVERY = 6
COPIES_OF_THE_LAST_DELIVERY = 3
# an upload breaks off in this delivery; the rest of it comes with the branch's next one
BREAK_IN_DELIVERY = 2


@dataclass(frozen=True)
class Settings:
    """Size and seed. `products` is how many there are at the start; each has a shelf in every
    branch.
    """

    transactions: int = 3_000
    deliveries: int = 2
    seed: int = 7
    products: int = 120

    def __post_init__(self) -> None:
        """Raise ValueError where nothing could be made of the settings."""
        if self.transactions < 1 or self.deliveries < 1 or self.products < 8:
            raise ValueError("a workload needs at least 1 transaction, 1 delivery and 8 products")


@dataclass(frozen=True)
class Delivery:
    """What reaches the pipeline at once. Grain of `rows`: one row of a change feed, copies
    included.

    `online`: the branches that download after the run over this delivery. `transactions`: how many
    were made since the delivery before, uploaded or not. `is_broken_off`: the upload of a branch
    lacks its end.
    """

    number: int
    rows: tuple[FeedRow, ...]
    online: tuple[str, ...]
    transactions: int
    broken: tuple[BrokenRow, ...]
    copies: int
    is_broken_off: bool


class Workload:
    """Headquarters and branches at work. Per round: `delivery`, then `answer` with what the run
    made of it.
    """

    def __init__(self, publication: Publication, settings: Settings | None = None) -> None:
        self.publication = publication
        self.settings = settings or Settings()
        self.queue = Queue()
        self.headquarters: Node = publisher_node(publication, self.queue)
        self.branches: dict[str, Node] = {
            name: subscriber_node(publication, name) for name in BRANCHES
        }
        self._rng = self._random("rounds")
        self._world = World(BRANCHES)
        stock = initial_stock(self._random("stock"), self._world, self.settings.products, START)
        self.initial: list[StoredRow] = initial_rows(
            publication,
            {name: list(rows) for name, rows in stock.items()},
            self.headquarters.identity,
        )
        self._places = [
            Place(node, number, self._random(node.name), timedelta(seconds=number * 37 - 90), START)
            for number, node in enumerate(self.nodes)
        ]
        for node in self.nodes:
            node.reset(self.initial)
        self._round = 0
        self._last_rows: tuple[FeedRow, ...] = ()
        self._known: FeedRow | None = None
        self._unsent: dict[str, list[FeedRow]] = {}
        self._was_offline: str | None = None

    @property
    def nodes(self) -> list[Node]:
        """Headquarters and the branches."""
        return [self.headquarters, *self.branches.values()]

    @property
    def has_pending(self) -> bool:
        """Whether a branch has something that it has not uploaded."""
        return bool(self._unsent) or any(node.has_pending for node in self.branches.values())

    def delivery(self) -> Delivery:
        """A round of work, uploads at each branch's own time: what is in the queue then."""
        self._round += 1
        if self._round > self.settings.deliveries:
            return self._closing_delivery()
        work = self._transactions_of_this_round()
        online = self._online()
        uploads = self._upload_times(online, work)
        breaking = self._breaking_branch(online)
        is_broken_off = False
        for step in range(work):
            self._one_transaction(step)
            for branch in uploads.get(step, []):
                is_broken_off |= self._upload(branch, is_breaking=branch == breaking)
        return self._delivered(tuple(online), work, is_broken_off)

    def answer(
        self, published: Iterable[StoredRow], commands: Mapping[str, Sequence[Command]]
    ) -> None:
        """The run's answer: headquarters holds the published rows, branches apply their commands.

        `commands`: for each branch that was online all it may have, in order; what it had before
        does nothing.
        """
        self.headquarters.reset(sorted(published, key=self._row_order))
        for branch, own in commands.items():
            self.branches[branch].apply(own)

    # --- a round

    def _one_transaction(self, step: int) -> None:
        is_headquarters = self._rng.random() < HEADQUARTERS_SHARE
        place = self._places[0] if is_headquarters else self._rng.choice(self._places[1:])
        place.now = START + timedelta(days=self._round, seconds=20 * step)
        activities = AT_HEADQUARTERS if is_headquarters else AT_BRANCHES
        changes = self._activity(place, activities)(place, self._world)
        while not changes:
            changes = self._activity(place, activities)(place, self._world)
        place.node.transaction(changes, place.moment())

    @staticmethod
    def _activity(place: Place, activities: Mapping[Activity, int]) -> Activity:
        return place.rng.choices(list(activities), weights=list(activities.values()))[0]

    def _transactions_of_this_round(self) -> int:
        total, rounds = self.settings.transactions, self.settings.deliveries
        return total * self._round // rounds - total * (self._round - 1) // rounds

    def _online(self) -> list[str]:
        """All branches but one, which is another one each time; all of them in the last round."""
        online = list(BRANCHES)
        if self._round < self.settings.deliveries:
            candidates = [
                name for name in BRANCHES if name != self._was_offline and name not in self._unsent
            ]
            self._was_offline = self._rng.choice(candidates)
            online.remove(self._was_offline)
        return online

    def _upload_times(self, online: list[str], work: int) -> dict[int, list[str]]:
        """In which step of the round each branch uploads; what it does afterwards waits for the
        next round.
        """
        times: dict[int, list[str]] = {}
        for branch in online:
            step = min(work - 1, int(work * self._rng.uniform(0.4, 1.0)))
            times.setdefault(max(step, 0), []).append(branch)
        return times

    def _breaking_branch(self, online: list[str]) -> str | None:
        if self._round != BREAK_IN_DELIVERY or self.settings.deliveries < BREAK_IN_DELIVERY:
            return None
        return self._rng.choice(online)

    def _upload(self, branch: str, is_breaking: bool = False) -> bool:
        """What is pending enters the queue; True when that broke off inside a transaction."""
        rows = self._unsent.pop(branch, []) + self.branches[branch].upload()
        place = broken_off(rows) if is_breaking else None
        if place is None:
            self.queue.put(rows)
            return False
        self.queue.put(rows[:place])
        self._unsent[branch] = rows[place:]
        return True

    def _closing_delivery(self) -> Delivery:
        """Nobody works any more; every branch uploads what it has."""
        for branch in BRANCHES:
            self._upload(branch)
        rows = tuple(self.queue.deliver())
        return Delivery(self._round, rows, BRANCHES, 0, (), 0, False)

    def _delivered(self, online: tuple[str, ...], work: int, is_broken_off: bool) -> Delivery:
        now = START + timedelta(days=self._round, hours=12)
        broken = broken_rows(self._round, BRANCHES[0], now, self._known)
        # a row that comes with a place, or with none on purpose, takes no new one
        self.queue.put(one.row for one in broken if "queue_position" not in one.row.values)
        rows = self.queue.deliver()
        misplaced = [one.row for one in broken if "queue_position" in one.row.values]
        again = copies(self._rng, rows, COPIES_OF_THIS_DELIVERY)
        again += copies(self._rng, self._last_rows, COPIES_OF_THE_LAST_DELIVERY)
        self._remember(rows, broken)
        return Delivery(
            self._round,
            (*rows, *misplaced, *again),
            online,
            work,
            tuple(broken),
            len(again),
            is_broken_off,
        )

    def _remember(self, rows: list[FeedRow], broken: list[BrokenRow]) -> None:
        wrong = {id(one.row) for one in broken} | {one.row.values["change_id"] for one in broken}
        sound = [row for row in rows if row.values["change_id"] not in wrong]
        self._last_rows = tuple(sound)
        for row in sound:
            if (
                self._known is None
                and row.article == PRODUCT
                and row.values["operation"] == "update"
            ):
                self._known = row

    def _row_order(self, stored: StoredRow) -> tuple[str, str]:
        article = self.publication.articles[stored.article]
        return stored.article, article.key_text(article.key_of(stored.row))

    def _random(self, purpose: str) -> random.Random:
        return random.Random(f"{self.settings.seed}/{purpose}")
