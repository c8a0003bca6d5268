"""A story at simulated nodes: rounds of work, one delivery a round.

The loop is closed. What a subscriber uploads in a round was made on rows that the commands of the
round before have reached, if it was online. So a delivery can be asked for only after the one
before was answered.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.publication import Publication
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.simulation import (
    Command,
    Node,
    Queue,
    initial_rows,
    publisher_node,
    subscriber_node,
)
from replication_conflicts.workload import BrokenRow, Round, Rounds, Settings, Story
from replication_conflicts.workload.faults import COPIES_OF_LAST_DELIVERY, COPIES_OF_THIS_DELIVERY
from replication_conflicts.workload.story import START

# an upload breaks off in this delivery; the rest of it comes with the subscriber's next one
BREAK_IN_DELIVERY = 2


@dataclass(frozen=True)
class Delivery:
    """What reaches the pipeline at once. Grain of `rows`: one row of a change feed, copies
    included.

    `online`: the subscribers that download after the run over this delivery. `transactions`: how
    many were made since the delivery before, uploaded or not. `is_broken_off`: the upload of a
    subscriber lacks its end.
    """

    number: int
    rows: tuple[FeedRow, ...]
    online: tuple[str, ...]
    transactions: int
    broken: tuple[BrokenRow, ...]
    copies: int
    is_broken_off: bool


class Workload:
    """A publisher and its subscribers at work. Per round: `delivery`, then `answer` with what the
    run made of it.
    """

    def __init__(
        self, story: Story, publication: Publication, settings: Settings | None = None
    ) -> None:
        self.story = story
        self.publication = publication
        self.settings = settings or Settings()
        self.queue = Queue()
        self.publisher: Node = publisher_node(publication, self.queue)
        self.subscribers: dict[str, Node] = {
            name: subscriber_node(publication, name, subscription)
            for name, subscription in story.subscribers.items()
        }
        self._rounds = Rounds(story, self.settings)
        self._rng = self.settings.random(story.publication, "faults")
        self.initial: list[StoredRow] = initial_rows(
            publication,
            {name: list(rows) for name, rows in self._rounds.initial.items()},
            self.publisher.identity,
        )
        for node in self.nodes:
            node.reset(self.initial)
        self._rounds.open(self.nodes)
        self._last_rows: tuple[FeedRow, ...] = ()
        self._known: FeedRow | None = None
        self._unsent: dict[str, list[FeedRow]] = {}
        self._has_broken_off = False

    @property
    def nodes(self) -> list[Node]:
        """The publisher and the subscribers."""
        return [self.publisher, *self.subscribers.values()]

    @property
    def has_pending(self) -> bool:
        """Whether a subscriber has something that it has not uploaded."""
        return bool(self._unsent) or any(node.has_pending for node in self.subscribers.values())

    def delivery(self) -> Delivery:
        """A round of work, uploads at each subscriber's own time: what is in the queue then."""
        had_broken_off = self._has_broken_off
        played = self._rounds.play(self._upload, must_be_online=self._unsent)
        if played.is_closing:
            rows = tuple(self.queue.deliver())
            return Delivery(played.number, rows, played.online, 0, (), 0, False)
        return self._delivered(played, self._has_broken_off and not had_broken_off)

    def answer(
        self, published: Iterable[StoredRow], commands: Mapping[str, Sequence[Command]]
    ) -> None:
        """The run's answer: the publisher holds the published rows, subscribers apply commands.

        `commands`: for each subscriber that was online all it may have, in order; what it had
        before does nothing.
        """
        self.publisher.reset(sorted(published, key=self._row_order))
        for name, own in commands.items():
            self.subscribers[name].apply(own)

    # --- a round

    def _upload(self, name: str) -> None:
        """What is pending enters the queue; once in a workload that breaks off inside a
        transaction.
        """
        rows = self._unsent.pop(name, []) + self.subscribers[name].upload()
        is_breaking = (
            not self._has_broken_off
            and self._rounds.number == BREAK_IN_DELIVERY <= self.settings.deliveries
        )
        place = _broken_off(rows) if is_breaking else None
        if place is None:
            self.queue.put(rows)
            return
        self.queue.put(rows[:place])
        self._unsent[name] = rows[place:]
        self._has_broken_off = True

    def _delivered(self, played: Round, is_broken_off: bool) -> Delivery:
        now = START + timedelta(days=played.number, hours=12)
        node = next(iter(self.subscribers))
        broken = self.story.broken_rows(played.number, node, now, self._known)
        # a row that comes with a place, or with none on purpose, takes no new one
        self.queue.put(one.row for one in broken if "queue_position" not in one.row.values)
        rows = self.queue.deliver()
        misplaced = [one.row for one in broken if "queue_position" in one.row.values]
        again = _copies(self._rng, rows, COPIES_OF_THIS_DELIVERY)
        again += _copies(self._rng, self._last_rows, COPIES_OF_LAST_DELIVERY)
        self._remember(rows, broken)
        return Delivery(
            played.number,
            (*rows, *misplaced, *again),
            played.online,
            played.transactions,
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
                and row.article == self.story.known_article
                and row.values["operation"] == "update"
            ):
                self._known = row

    def _row_order(self, stored: StoredRow) -> tuple[str, str]:
        article = self.publication.articles[stored.article]
        return stored.article, article.key_text(article.key_of(stored.row))


def _copies(rng: random.Random, rows: Sequence[FeedRow], number: int) -> list[FeedRow]:
    """Rows that are delivered a second time, as they are."""
    return rng.sample(rows, min(number, len(rows)))


def _broken_off(rows: Sequence[FeedRow]) -> int | None:
    """Where an upload breaks off: inside its last transaction of several changes; None where it has
    none.
    """
    for place in range(len(rows) - 1, 0, -1):
        if rows[place].values["transaction_id"] == rows[place - 1].values["transaction_id"]:
            return place
    return None
