"""Playing a case: its nodes act step by step, and wait whenever a run of the pipeline is due."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from replication_conflicts.nodes import (
    Change,
    ChangeReference,
    Command,
    Identity,
    ImpossibleChange,
    MergeNode,
    Node,
    Positions,
    Queue,
    Refusal,
    publisher_node,
    stamped_priority,
    subscriber_node,
)
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.publication import Publication
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.publication.values import Row, ValueProblem
from replication_conflicts.scenarios.outputs import Outputs
from replication_conflicts.scenarios.reading import SuiteProblem
from replication_conflicts.scenarios.side_by_side import CaseNames
from replication_conflicts.scenarios.steps import (
    START,
    ChangeStep,
    DecideStep,
    DownloadStep,
    ErrorStep,
    RawStep,
    RefuseStep,
    ReinitializeStep,
    RunStep,
    SetStep,
    Step,
    SyncStep,
    UploadStep,
    key_values,
)
from replication_conflicts.scenarios.suite import Case

# subscriber, article and rows: whether each of them is in the subscriber's partition
Filter = Callable[[str, str, list[Row]], list[bool]]


@dataclass(frozen=True)
class RunDue:
    """A case waits for a run; with texts, for one that must fail with an error that holds them."""

    error_texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunDone:
    """What became of the run that a case waited for; `changed` are tables with a new version."""

    success: bool
    errors: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Event:
    """A row for subscription_events."""

    subscriber: str
    snapshot_position: int
    at: datetime


@dataclass(frozen=True)
class Decision:
    """A row for conflict_decisions."""

    conflict_id: str
    decision: str
    edited: Mapping[str, str | None] | None


@dataclass
class Delivery:
    """What a case hands to the pipeline before a run."""

    feed: list[FeedRow] = field(default_factory=list)
    events: list[tuple[Event, int | None]] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    refusals: list[tuple[Refusal, int]] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether the run would find nothing new."""
        return not (self.feed or self.events or self.decisions or self.refusals)


Player = Generator[RunDue, RunDone, None]


class CaseFailure(Exception):
    """A case cannot go on: a step is impossible, or a run did not do what it must."""


@dataclass
class SharedPublication:
    """What the cases of one suite share: the publication, and the places of its queue."""

    publication: Publication
    positions: Positions
    subscriptions: Mapping[str, Mapping[str, object]]


class CasePlay:
    """One case being played in a shared publication."""

    def __init__(
        self,
        case: Case,
        names: CaseNames,
        shared: SharedPublication,
        identity: Identity,
        outputs: Outputs,
        in_partition: Filter,
        initial: list[StoredRow],
    ) -> None:
        self.case = case
        self.names = names
        self.shared = shared
        self.references: dict[str, list[ChangeReference]] = {}
        self.subscriptions = {name: dict(options) for name, options in shared.subscriptions.items()}
        self.policy: str | None = None
        self.configuration_changes = 0
        self.reinitialized: set[str] = set()
        self.local_positions: dict[int, int] = {}
        self._outputs = outputs
        self.in_partition = in_partition
        self._queue = Queue(shared.positions)
        self._entries: list[FeedRow | Event | Refusal] = []
        self._decisions: list[Decision] = []
        self._publisher = publisher_node(shared.publication, self._queue, identity)
        self._publisher.reset(initial)
        self._publisher_is_current = True
        self._initial = initial
        self._has_run = False
        self.subscribers: dict[str, Node] = {}
        for name in self.subscriptions:
            self.subscribers[name] = self._new_subscriber(name, initial)

    # playing

    def steps(self) -> Player:
        """Plays the case's steps. Errors: CaseFailure, which names file, case and step."""
        for index, step in enumerate(self.case.steps):
            following = self.case.steps[index + 1] if index + 1 < len(self.case.steps) else None
            texts = following.texts if isinstance(following, ErrorStep) else ()
            try:
                yield from self._step(step, START + timedelta(seconds=index + 1), texts)
            except (ImpossibleChange, ValueProblem) as problem:
                raise CaseFailure(
                    str(SuiteProblem(step.place, f"impossible step: {problem}"))
                ) from problem

    def last_synchronizations(self) -> Player:
        """Two more synchronizations of every subscriber that is not waiting."""
        for _ in range(2):
            active = [name for name in self.subscribers if not self.is_waiting(name)]
            for name in active:
                self._upload(self.subscribers[name])
            self._expect_success((yield RunDue()), "a synchronization after the last step")
            for name in active:
                self._download(name)

    def is_waiting(self, subscriber: str) -> bool:
        """Whether a subscription waits for its reinitialization."""
        shared_name = self.names.to_shared(subscriber)
        record = self._outputs.status(self.shared.publication.name, shared_name)
        return record is not None and record.get("status") == "reinitialize"

    def delivery(self) -> Delivery:
        """What has been uploaded, reported and decided since the last run, with its positions."""
        delivery = Delivery(decisions=self._decisions)
        self._collect()
        for entry in self._entries:
            if isinstance(entry, Event):
                # at the start of the run by itself; behind uploads it takes a place in the queue
                position = self.shared.positions.take() if delivery.feed else None
                delivery.events.append((entry, position))
                continue
            if isinstance(entry, Refusal):
                delivery.refusals.append((entry, self.shared.positions.take()))
                continue
            row = self._queue.place(entry)
            self._count_position(row.values.get("queue_position"))
            delivery.feed.append(row)
        self._entries, self._decisions = [], []
        return delivery

    def _count_position(self, position: object) -> None:
        # a case that names places means them, and not the first, second, ... of its own
        if isinstance(position, int) and not self.case.names_positions:
            self.local_positions.setdefault(position, len(self.local_positions) + 1)

    def run_finished(self) -> None:
        """A run has taken what was delivered: the publisher's rows are the published ones."""
        self._publisher_is_current = False
        self._has_run = True

    # steps

    def _step(self, step: Step, clock: datetime, error_texts: tuple[str, ...]) -> Player:
        if isinstance(step, ChangeStep):
            self._change(step, step.clock or clock)
        elif isinstance(step, RawStep):
            self._raw(step)
        elif isinstance(step, UploadStep):
            self._upload(self._node(step.node))
        elif isinstance(step, (RunStep, SyncStep)):
            if isinstance(step, SyncStep):
                self._upload(self.subscribers[step.node])
            done = yield RunDue(error_texts)
            if error_texts:
                self._expect_error(done, error_texts)
                return
            self._expect_success(done, f"{step.place.key} {step.text}")
            if isinstance(step, SyncStep):
                self._download(step.node)
        elif isinstance(step, DownloadStep):
            self._download(step.node)
        elif isinstance(step, ReinitializeStep):
            self._reinitialize(step, clock)
        elif isinstance(step, RefuseStep):
            key = self._key(step.article, step.key)
            self.subscribers[step.node].refuse(step.article, key, step.error)
        elif isinstance(step, DecideStep):
            self._decide(step)
        elif isinstance(step, SetStep):
            self._set(step)
        if error_texts:
            # what a step that runs nothing has brought about shows in the next run
            self._expect_error((yield RunDue(error_texts)), error_texts)

    def _change(self, step: ChangeStep, clock: datetime) -> None:
        node = self._node(step.at)
        for transaction in step.transactions:
            changes = [
                Change(one.operation, one.article, self.names.hide(one.values))
                for one in transaction
            ]
            references = node.transaction(changes, clock)
            if step.id is not None:
                self.references.setdefault(step.id, []).extend(references)
        self._collect()

    def _raw(self, step: RawStep) -> None:
        values = self.names.hide(step.values)
        for name in ("change_id", "transaction_id"):
            if values.get(name) is not None:
                values[name] = f"{self.names.code}/{values[name]}"
        if values.get("node") is not None:
            values["node"] = self.names.to_shared(str(values["node"]))
        lineage = values.get("lineage")
        if isinstance(lineage, Mapping):
            values["lineage"] = {
                self.names.to_shared(node): number for node, number in lineage.items()
            }
        self._node(step.at).raw(step.article, values)
        if step.id is not None:
            article = self.shared.publication.articles[step.article]
            key = tuple(values.get(name) for name in article.primary_key)
            change_id = values.get("change_id")
            reference = ChangeReference(
                step.article,
                key,  # type: ignore[arg-type]
                None if change_id is None else str(change_id),
            )
            self.references.setdefault(step.id, []).append(reference)
        self._collect()

    def _upload(self, node: Node) -> None:
        self._entries.extend(node.upload())
        # reports stand behind what was uploaded
        self._entries.extend(node.take_refusals())

    def _download(self, subscriber: str) -> None:
        self.subscribers[subscriber].apply(self.commands(subscriber))

    def commands(self, subscriber: str) -> list[Command]:
        """The commands that a subscriber has been sent so far, in order."""
        publication = self.shared.publication
        return self._outputs.commands(
            publication, self.names.code, self.names.to_shared(subscriber)
        )

    def _reinitialize(self, step: ReinitializeStep, clock: datetime) -> None:
        node = self.subscribers[step.node]
        sent = [one for one in self.commands(step.node) if one.kind == "reinitialize"]
        if not sent or not self.is_waiting(step.node):
            raise ImpossibleChange(f"{step.node} has no command to reinitialize")
        command = sent[-1]
        if command.snapshot_position is None or not command.snapshot:
            raise ImpossibleChange(f"the command to reinitialize {step.node} names no snapshot")
        rows = self._outputs.snapshot_rows(
            self.shared.publication, command.snapshot, self.names.code
        )
        node.reinitialize(self._partition(step.node, rows), command.snapshot_position)
        self.reinitialized.add(step.node)
        self._entries.append(
            Event(
                subscriber=self.names.to_shared(step.node),
                snapshot_position=command.snapshot_position,
                at=clock,
            )
        )

    def _decide(self, step: DecideStep) -> None:
        key_text = self.shared.publication.articles[step.article].key_text(
            self._key(step.article, step.key)
        )
        loser = self.names.to_shared(step.loser)
        found = [
            record
            for record in self._outputs.conflicts(self.shared.publication.name, self.names.code)
            if (record["article"], record["row_key"], record["loser_node"])
            == (step.article, key_text, loser)
        ]
        if not found:
            raise ImpossibleChange("there is no such conflict")
        latest = max(found, key=self._place_of)
        article = self.shared.publication.articles[step.article]
        edited = article.to_texts(article.part(step.edited)) if step.edited else None
        self._decisions.append(Decision(str(latest["conflict_id"]), step.decision, edited))

    def _place_of(self, conflict: Mapping[str, object]) -> tuple[int, int]:
        """Where in the queue a conflict was decided."""
        for outcome in self._outputs.outcomes(self.shared.publication.name).values():
            if outcome.get("conflict_id") == conflict["conflict_id"]:
                return int(str(outcome["transaction_position"])), int(
                    str(outcome["queue_position"])
                )
        return 0, 0

    def _set(self, step: SetStep) -> None:
        if step.policy is not None:
            self.policy = step.policy
        for name, options in step.subscriptions.items():
            self.subscriptions[name] = {**self.subscriptions[name], **options}
            node = self.subscribers[name]
            if isinstance(node, MergeNode):
                node.priority = stamped_priority(self.subscriptions[name])
        for name, options in step.added.items():
            self.subscriptions[name] = dict(options)
            published = [row for row in self._stored_rows() if not row.is_deleted]
            self.subscribers[name] = self._new_subscriber(name, published)
            told = self._outputs.command_ids(self.shared.publication)
            self.subscribers[name].has_been_told(told)
        self.configuration_changes += 1

    # nodes

    def _node(self, name: str) -> Node:
        if name != self.names.publisher:
            return self.subscribers[name]
        if not self._publisher_is_current:
            self._publisher.reset(self._stored_rows())
            self._publisher_is_current = True
        return self._publisher

    def _new_subscriber(self, name: str, rows: list[StoredRow]) -> Node:
        shared_name = self.names.to_shared(name)
        node = subscriber_node(self.shared.publication, shared_name, self.subscriptions[name])
        node.reset(self._partition(name, rows))
        return node

    def _partition(self, subscriber: str, rows: list[StoredRow]) -> list[StoredRow]:
        inside: list[StoredRow] = []
        for article in self.shared.publication.articles:
            of_article = [row for row in rows if row.article == article]
            flags = self.in_partition(subscriber, article, [row.row for row in of_article])
            inside += [row for row, flag in zip(of_article, flags, strict=True) if flag]
        return inside

    def _stored_rows(self) -> list[StoredRow]:
        """The rows that the last run left; before the first run, those that it will begin with."""
        if not self._has_run:
            return self._initial
        publication = self.shared.publication
        return [
            row
            for article in publication.articles
            for row in self._outputs.stored_rows(publication, article).get(self.names.code, [])
        ]

    def _collect(self) -> None:
        """What the publisher has put into the queue takes its place among the uploads."""
        self._entries.extend(self._queue.take())

    def _key(self, article: str, key: Mapping[str, object]) -> tuple:  # type: ignore[type-arg]
        return key_values(self.shared.publication, article, self.names.hide(key))

    # runs

    def _message(self, done: RunDone) -> str:
        return self.names.in_own_words("\n".join(done.errors))

    def _expect_success(self, done: RunDone, what: str) -> None:
        if not done.success:
            raise CaseFailure(f"the run of {what} failed: {self._message(done)}")

    def _expect_error(self, done: RunDone, texts: tuple[str, ...]) -> None:
        message = self._message(done)
        if done.success:
            raise CaseFailure(f"the run succeeded, an error was expected with: {', '.join(texts)}")
        missing = [text for text in texts if text not in message]
        if missing:
            raise CaseFailure(f"the error does not contain {', '.join(missing)!r}: {message}")
        if done.changed:
            raise CaseFailure(f"the run failed and still changed: {', '.join(done.changed)}")


def play_in_waves(
    players: Mapping[CasePlay, Player], run: Callable[[Mapping[CasePlay, RunDue]], RunDone]
) -> tuple[list[CasePlay], dict[CasePlay, str]]:
    """Plays cases side by side: whenever all that are left wait for a run, there is one for all.

    Gives the cases that came to their end, and for the others why they did not.
    """
    finished: list[CasePlay] = []
    failures: dict[CasePlay, str] = {}
    done: dict[CasePlay, RunDone | None] = dict.fromkeys(players)
    while done:
        due: dict[CasePlay, RunDue] = {}
        for play, answer in done.items():
            try:
                player = players[play]
                due[play] = next(player) if answer is None else player.send(answer)
            except StopIteration:
                finished.append(play)
            except CaseFailure as failure:
                failures[play] = str(failure)
        if not due:
            break
        answer = run(due)
        if answer.success:
            for play in due:
                play.run_finished()
        done = dict.fromkeys(due, answer)
    return finished, failures
