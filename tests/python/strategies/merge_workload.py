"""The generator of merge cases: simulated nodes work, synchronize, refuse, and decide.

What they send carries what they knew; what they hold follows from what the sequential reader told
them.  Beside that come rows that no well-behaved node sends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

from hypothesis import strategies as st

from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.publication import publication_from_vars
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.publication.values import Key
from replication_conflicts.simulation import (
    Change,
    ImpossibleChange,
    Node,
    Queue,
    initial_rows,
    publisher_node,
    subscriber_node,
)
from tests.python.documented_cases import node_command, stored_row
from tests.python.sequential_reader import (
    ApplyError,
    ConflictDecision,
    Row,
    SequentialReader,
)
from tests.python.strategies.cases import Case, Delivery, Step
from tests.python.strategies.merge_publication import (
    key_publication,
    publication,
    record_publication,
    resolver_publication,
    value_of,
)
from tests.python.strategies.merge_raw import RawSession
from tests.python.strategies.replicas import ReaderPipeline

BEGIN = datetime(2024, 3, 1, tzinfo=timezone.utc)
NAME = "generated"


@dataclass(frozen=True)
class MergeSize:
    """How much a case holds: keys per article, runs, and steps between two runs.

    `has_reports`: subscribers refuse commands, and people decide about conflicts.  `resolver`: of
    the only article; whoever updates a row writes the column that it looks at.  `has_record`: there
    is a logical record that is resolved as a whole, and an article beside it.  `has_keys`: unique
    and foreign keys everywhere.
    """

    keys: int
    runs: tuple[int, int]
    steps: tuple[int, int]
    has_reports: bool = True
    resolver: Mapping[str, str] | None = None
    has_record: bool = False
    has_keys: bool = False

    def publication(self, random: Random) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """A configuration, and its subscriptions with their options."""
        if self.resolver:
            return resolver_publication(random, self.resolver)
        if self.has_keys:
            return key_publication(random)
        return record_publication(random) if self.has_record else publication(random)


SMALL = MergeSize(keys=2, runs=(1, 4), steps=(1, 8))
MEDIUM = MergeSize(keys=5, runs=(3, 6), steps=(10, 40))
LARGE = MergeSize(keys=12, runs=(5, 12), steps=(20, 80))


def merge_reader(case: Case) -> SequentialReader:
    """A reader before the first delivery of a merge case."""
    return ReaderPipeline(case).reader


class MergeWorkload:
    """Builds one case, step by step."""

    def __init__(self, random: Random, size: MergeSize, label: str) -> None:
        self.random = random
        self.size = size
        self.label = label
        self.configuration, self.subscriptions = size.publication(random)
        self.configuration["apply_errors"] = size.has_reports
        self.publication = publication_from_vars(NAME, self.configuration)
        self.queue = Queue()
        self.hq = publisher_node(self.publication, self.queue)
        self.start = initial_rows(self.publication, self._rows_at_first(), self.hq.identity)
        self.initial: dict[str, list[Row]] = {name: [] for name in self.publication.articles}
        for stored in self.start:
            row = {**stored.row, "row_version": stored.version}
            self.initial[stored.article].append(row)
        for name in self.publication.articles:
            self.configuration["articles"][name]["initial_snapshot"] = True
        self.reader = merge_reader(self.case())
        self.nodes = {name: self._subscriber(name) for name in self.subscriptions}
        self.hq.reset(self.start)
        self.misbehaves = random.random() < 0.3
        self.held_back: list[FeedRow] = []
        self.delivered: list[FeedRow] = []
        self.errors: list[ApplyError] = []
        self.decisions: list[ConflictDecision] = []
        self.deliveries: list[Delivery] = []
        self.steps: list[Step] = []
        self.clock = BEGIN

    def case(self) -> Case:
        """What has been built so far."""
        return Case(
            label=self.label,
            configuration=self.configuration,
            subscribers=tuple(self.subscriptions),
            initial=self.initial,
            deliveries=tuple(getattr(self, "deliveries", ())),
            steps=tuple(getattr(self, "steps", ())),
            is_cut_free=True,
            subscriptions=self.subscriptions,
        )

    def _rows_at_first(self) -> dict[str, list[Mapping[str, object]]]:
        rows: dict[str, list[Mapping[str, object]]] = {}
        for name in self.publication.articles:
            keys = [key for key in range(self.size.keys) if self.random.random() < 0.7]
            rows[name] = [self._values(name, key, list(self._columns(name))) for key in keys]
        return rows

    def _subscriber(self, name: str) -> Node:
        node = subscriber_node(self.publication, name, self.subscriptions[name])
        node.reset(one for one in self.start if self.is_inside(name, one))
        return node

    def is_inside(self, subscriber: str, stored: StoredRow) -> bool:
        """Whether a row lies in a subscriber's partition."""
        return self.reader.publication.articles[stored.article].is_inside(subscriber, stored.row)

    # --- rows ------------------------------------------------------------------------------------

    def _columns(self, article: str) -> tuple[str, ...]:
        return self.publication.articles[article].other_columns

    def _columns_of_resolver(self) -> set[str]:
        resolver = self.size.resolver or {}
        return {resolver["column"]} if "column" in resolver else set()

    def _values(self, article: str, key: int, columns: list[str]) -> dict[str, object]:
        return {f"{article}_id": key, **{column: self._value(column) for column in columns}}

    def _value(self, column: str) -> object:
        return value_of(self.random, column, self.size.keys)

    # --- what a node does ---------------------------------------------------------------------

    def work(self, node: Node) -> None:
        """One change of a random row."""
        article = self.random.choice(list(self.publication.articles))
        key = self.random.randrange(self.size.keys)
        self.clock += timedelta(seconds=self.random.randint(0, 90))
        columns = list(self._columns(article))
        if node.held(article, (key,)) is None:
            change = Change("insert", article, self._values(article, key, columns))
        elif self.random.random() < 0.75:
            some = set(self.random.sample(columns, self.random.choice((1, 1, 1, 2, 3))))
            some |= self._columns_of_resolver()
            change = Change("update", article, self._values(article, key, sorted(some)))
        else:
            change = Change("delete", article, {f"{article}_id": key})
        before = self._rows_of(node)
        try:
            node.transaction([change], self.clock)
        except ImpossibleChange:
            return
        self._note_effects(node, before)

    def _rows_of(self, node: Node) -> dict[tuple[str, Key], tuple[str, Row]]:
        found = {}
        for article in self.publication.articles.values():
            for row in node.rows(article.name):
                key = article.key_of(row)
                held = node.held(article.name, key)
                assert held is not None
                found[(article.name, key)] = (held.version, held.row)
        return found

    def _note_effects(self, node: Node, before: Mapping[tuple[str, Key], tuple[str, Row]]) -> None:
        after = self._rows_of(node)
        effects = tuple(
            (*place, *after.get(place, (None, None)))
            for place in sorted({*before, *after}, key=repr)
            if before.get(place) != after.get(place)
        )
        self.steps.append(Step("local", node.name, effects))

    def upload(self, node: Node) -> None:
        """A session enters the queue; what was refused is reported behind it."""
        self.queue.put(node.upload())
        for refusal in node.take_refusals():
            self._deliver()
            self.errors.append(
                ApplyError(
                    subscriber=node.name,
                    command_id=refusal.command_id,
                    article=refusal.article,
                    key=refusal.key,
                    operation=refusal.operation,
                    error_code=refusal.error_code,
                    row=refusal.row,
                    position=self.queue.positions.take(),
                )
            )

    def download(self, node: Node) -> None:
        """The node applies what it has not applied yet."""
        commands = self.reader.subscriber_commands(node.name)
        node.apply(node_command(command) for command in commands)
        self.steps.append(Step("download", node.name))

    def refuse(self, node: Node) -> None:
        """The next command about some row will be refused."""
        article = self.random.choice(list(self.publication.articles))
        node.refuse(article, (self.random.randrange(self.size.keys),), 2627)

    def decide(self) -> None:
        """A person decides about one of the conflicts, behind the last place that was taken."""
        decided = {(one.article, one.key, one.loser) for one in self.decisions}
        conflicts = [
            one
            for one in self.reader.conflict_rows()
            if (one.article, one.key, one.loser_node) not in decided
        ]
        if not conflicts:
            return
        conflict = self.random.choice(conflicts)
        decision = self.random.choice(("submit_winner", "submit_loser", "remove"))
        edited = None
        if decision != "remove" and self.random.random() < 0.3:
            edited = {"note": self._value("note"), "units": self._value("units")}
        self.decisions.append(
            ConflictDecision(
                article=conflict.article,
                key=conflict.key,
                loser=conflict.loser_node,
                decision=decision,
                edited=edited,
                position=self.reader.last_place,
            )
        )

    def raw(self) -> None:
        """A session of a feed without lineages, or one that breaks the contract."""
        number = self.hq.identity.next_number("raw")
        known = self.random.choice((0, self.reader.last_place))
        session = RawSession(self.random, self.publication, self.size.keys, number)
        node = self.random.choice([*self.subscriptions, "HQ"])
        self.queue.put(session.rows(node, known, self.clock, self.misbehaves))

    # --- runs ---------------------------------------------------------------------------------

    def _deliver(self) -> None:
        self.delivered += self.queue.deliver()

    def run(self, is_whole: bool = False) -> None:
        """The pipeline takes what has arrived; now and then a session is not all there."""
        waiting = [*self.held_back, *self.queue.take()]
        self.held_back = []
        last = waiting[-1] if waiting else None
        is_cut = not is_whole and self.random.random() < 0.2
        if last and is_cut and last.values["node"] in self.subscriptions:
            self.held_back = [waiting.pop()]
        self.queue.put(waiting)
        self._deliver()
        delivery = Delivery(
            rows=tuple((row.article, dict(row.values)) for row in self.delivered),
            errors=tuple(self.errors),
            decisions=tuple(self.decisions),
        )
        self.delivered, self.errors, self.decisions = [], [], []
        self.deliveries.append(delivery)
        self.steps.append(Step("run"))
        take(self.reader, delivery)
        self.hq.reset(
            stored_row(article, held)
            for article, rows in self.reader.rows.items()
            for held in rows.values()
        )

    def build(self, has_raw_rows: bool) -> Case:
        """A whole case: work, and at the end everybody synchronizes until nothing is left."""
        random = self.random
        nodes = list(self.nodes.values())
        for _ in range(random.randint(*self.size.runs)):
            for _ in range(random.randint(*self.size.steps)):
                choice = random.random()
                if choice < 0.6:
                    self.work(random.choice([*nodes, self.hq]))
                elif choice < 0.75:
                    self.upload(random.choice(nodes))
                elif choice < 0.9:
                    self.download(random.choice(nodes))
                elif choice < 0.96 and not self.size.has_reports:
                    continue
                elif choice < 0.93:
                    self.refuse(random.choice(nodes))
                elif choice < 0.96:
                    self.decide()
                elif has_raw_rows:
                    self.raw()
            self.run()
        for _ in range(5):
            for node in nodes:
                self.upload(node)
            self.run(is_whole=True)
            for node in nodes:
                self.download(node)
            # what was downloaded just now may be refused, and is reported with the next upload
            if self.deliveries[-2:] == [Delivery()] * 2:
                break
        return self.case()


def take(reader: SequentialReader, delivery: Delivery) -> None:
    """One run of a reader over a delivery."""
    reader.run(
        delivery.rows,
        delivery.events,
        errors=delivery.errors,
        decisions=delivery.decisions,
    )


@st.composite
def merge_workloads(draw: st.DrawFn, has_raw_rows: bool) -> MergeWorkload:
    """Small merge workloads, played to their end."""
    random = draw(st.randoms(use_true_random=False))
    workload = MergeWorkload(random, SMALL, "hypothesis")
    workload.build(has_raw_rows)
    return workload


def merge_workload_from_seed(
    seed: int, size: MergeSize = MEDIUM, has_raw_rows: bool = False
) -> MergeWorkload:
    """The workload of a seed, played to its end."""
    workload = MergeWorkload(Random(seed), size, f"merge seed {seed}")
    workload.build(has_raw_rows)
    return workload
