"""Playing a case: its nodes act step by step, and wait whenever a run of the pipeline is due."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from replication_conflicts.publication.publication import Publication
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.publication.values import Key, Row, ValueProblem
from replication_conflicts.scenarios.delivery import Decision, Delivery, Event, Outbox
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
from replication_conflicts.scenarios.waves import CaseFailure, Player, RunDone, RunDue
from replication_conflicts.simulation import (
    Change,
    ChangeReference,
    Command,
    Identity,
    ImpossibleChange,
    MergeNode,
    Node,
    Positions,
    publisher_node,
    stamped_priority,
    subscriber_node,
)

# subscriber, article and rows: whether each of them is in the subscriber's partition
Filter = Callable[[str, str, list[Row]], list[bool]]


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
        self.in_partition = in_partition
        self.outbox = Outbox(shared.positions, names_positions=case.names_positions)
        self._outputs = outputs
        self._publisher = publisher_node(shared.publication, self.outbox.queue, identity)
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
                self.outbox.upload(self.subscribers[name])
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
        return self.outbox.deliver()

    def run_finished(self) -> None:
        """A run has taken what was delivered: the publisher's rows are the published ones."""
        self._publisher_is_current = False
        self._has_run = True

    # steps

    def _step(self, step: Step, clock: datetime, error_texts: tuple[str, ...]) -> Player:
        match step:
            case RunStep() | SyncStep():
                yield from self._run(step, error_texts)
                return
            case ChangeStep():
                self._change(step, step.clock or clock)
            case RawStep():
                self._raw(step)
            case UploadStep():
                self.outbox.upload(self._node(step.node))
            case DownloadStep():
                self._download(step.node)
            case ReinitializeStep():
                self._reinitialize(step, clock)
            case RefuseStep():
                key = self._key(step.article, step.key)
                self.subscribers[step.node].refuse(step.article, key, step.error)
            case DecideStep():
                self._decide(step)
            case SetStep():
                self._set(step)
        if error_texts:
            # what a step that runs nothing has brought about shows in the next run
            self._expect_error((yield RunDue(error_texts)), error_texts)

    def _run(self, step: RunStep | SyncStep, error_texts: tuple[str, ...]) -> Player:
        if isinstance(step, SyncStep):
            self.outbox.upload(self.subscribers[step.node])
        done = yield RunDue(error_texts)
        if error_texts:
            self._expect_error(done, error_texts)
            return
        self._expect_success(done, f"{step.place.key} {step.text}")
        if isinstance(step, SyncStep):
            self._download(step.node)

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
        self.outbox.collect()

    def _raw(self, step: RawStep) -> None:
        values = self.names.to_shared_row(step.values)
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
        self.outbox.collect()

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
        self.outbox.report(
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
        self.outbox.decide(Decision(str(latest["conflict_id"]), step.decision, edited))

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

    def _key(self, article: str, key: Mapping[str, object]) -> Key:
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
