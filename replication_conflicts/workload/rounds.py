"""Rounds of work at the nodes of a story, with uploads at each subscriber's own time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from replication_conflicts.publication.values import Row
from replication_conflicts.workload.story import START, Activity, Office, Settings, Story, Workplace


@dataclass(frozen=True)
class Round:
    """What happened between two deliveries.

    `online`: the subscribers that have uploaded, and will download. `transactions`: how many were
    made, uploaded or not. `is_closing`: nobody works any more.
    """

    number: int
    online: tuple[str, ...]
    transactions: int
    is_closing: bool = False


class Rounds:
    """People at work. The same settings and the same rows at the nodes give the same work."""

    def __init__(self, story: Story, settings: Settings) -> None:
        self.story = story
        self.settings = settings
        self.number = 0
        self._rng = settings.random(story.publication, "rounds")
        self._world = story.make_world(tuple(story.subscribers))
        self._places: list[Workplace] = []
        self._was_offline: str | None = None
        self.initial: Mapping[str, list[Row]] = story.initial_rows(
            settings.random(story.publication, "initial"),
            self._world,
            settings.size or story.size,
            START,
        )

    def open(self, offices: Sequence[Office]) -> None:
        """The nodes, the publisher first, then the subscribers in the story's order."""
        self._places = [
            self.story.make_workplace(
                office, number, self.settings.random(self.story.publication, office.name)
            )
            for number, office in enumerate(offices)
        ]

    def play(self, upload: Callable[[str], None], must_be_online: Collection[str] = ()) -> Round:
        """A round of work; `upload` is called for a subscriber when its time has come.

        After the last round nobody works any more, and every subscriber uploads what it has.
        """
        self.number += 1
        if self.number > self.settings.deliveries:
            for name in self.story.subscribers:
                upload(name)
            return Round(self.number, tuple(self.story.subscribers), 0, is_closing=True)
        work = self._transactions_of_this_round()
        online = self._online(must_be_online)
        times = self._upload_times(online, work)
        for step in range(work):
            self._one_transaction(step)
            for name in times.get(step, []):
                upload(name)
        return Round(self.number, tuple(online), work)

    def _one_transaction(self, step: int) -> None:
        is_publisher = self._rng.random() < self.story.publisher_share
        place = self._places[0] if is_publisher else self._rng.choice(self._places[1:])
        place.now = START + timedelta(days=self.number, seconds=20 * step)
        activities = self.story.at_publisher if is_publisher else self.story.at_subscribers
        changes = self._activity(place, activities)(place, self._world)
        while not changes:
            changes = self._activity(place, activities)(place, self._world)
        place.node.transaction(changes, place.moment())

    @staticmethod
    def _activity(place: Workplace, activities: Mapping[Activity, int]) -> Activity:
        return place.rng.choices(list(activities), weights=list(activities.values()))[0]

    def _transactions_of_this_round(self) -> int:
        total = max(1, round(self.settings.transactions * self.story.share))
        rounds = self.settings.deliveries
        return total * self.number // rounds - total * (self.number - 1) // rounds

    def _online(self, must_be_online: Collection[str]) -> list[str]:
        """All subscribers but one, another one each time; all of them in the last round."""
        online = list(self.story.subscribers)
        if self.number < self.settings.deliveries:
            candidates = [
                name for name in online if name != self._was_offline and name not in must_be_online
            ]
            self._was_offline = self._rng.choice(candidates)
            online.remove(self._was_offline)
        return online

    def _upload_times(self, online: list[str], work: int) -> dict[int, list[str]]:
        """In which step of the round each subscriber uploads; what it does afterwards waits for the
        next round. In the last one all of them do at the end.
        """
        is_last = self.number == self.settings.deliveries
        times: dict[int, list[str]] = {}
        for name in online:
            step = work - 1 if is_last else int(work * self._rng.uniform(0.4, 1.0))
            times.setdefault(min(max(step, 0), work - 1), []).append(name)
        return times
