"""Plays a suite file through simulated nodes and the sequential reader: no Spark, no build."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from replication_conflicts import simulation
from replication_conflicts.publication.feed import FeedRow as NodeFeedRow
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.publication.values import Row
from replication_conflicts.scenarios.steps import (
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
from replication_conflicts.scenarios.suite import Case, Suite
from replication_conflicts.simulation import MergeNode, Node, Queue
from replication_conflicts.simulation.commands import Command as NodeCommand
from replication_conflicts.simulation.node import ChangeReference
from tests.python.documented_comparison import Comparison
from tests.python.expressions import checks_of, row_filters_of
from tests.python.sequential_reader import (
    ApplyError,
    Command,
    ConfigurationRefused,
    ConflictDecision,
    Event,
    Held,
    SequentialReader,
)
from tests.python.sequential_reader.merge_state import MergeHeld

CLOCK = datetime(2026, 1, 1, tzinfo=timezone.utc)


class Play:
    """One case, step by step.  `is_hard`: every row is delivered twice, every run is followed by an
    empty one.
    """

    def __init__(self, suite: Suite, case: Case, is_hard: bool = False) -> None:
        self.case = case
        self.is_hard = is_hard
        self.publication = suite.publication
        self.queue = Queue()
        self.hq = simulation.publisher_node(self.publication, self.queue)
        self.subscribers: dict[str, Node] = {}
        self.options: dict[str, Mapping[str, object]] = {}
        rows: dict[str, list[Mapping[str, object]]] = {
            name: list(rows) for name, rows in case.initial.items()
        }
        self.start = simulation.initial_rows(self.publication, rows, self.hq.identity)
        self.hq.reset(self.start)
        self.held = self.start
        options: Mapping[str, Any] = suite.options
        articles: Mapping[str, Any] = options["articles"]
        self.reader = SequentialReader(
            self.publication.name,
            options,
            [],
            self._initial(),
            checks_of(articles),
            row_filters=row_filters_of(articles),
        )
        for name, subscription in suite.subscriptions.items():
            self._subscribe(name, subscription)
        self.arrived: list[NodeFeedRow] = []
        self.events: list[Event] = []
        self.errors: list[ApplyError] = []
        self.decisions: list[ConflictDecision] = []
        self.references: dict[str, list[ChangeReference]] = {}
        self.steps = 0
        self.refused: str | None = None
        """Why runs stop, once a change of configuration is not allowed."""

    def _subscribe(self, name: str, options: Mapping[str, object]) -> None:
        self.subscribers[name] = simulation.subscriber_node(self.publication, name, options)
        self.subscribers[name].reset(
            stored
            for stored in self.held
            if not stored.is_deleted and self.is_inside(name, stored.article, stored.row)
        )
        self.subscribers[name].has_been_told(one.command_id for one in self.reader.commands)
        self.options[name] = options
        self.reader.add_subscriber(name, options)

    def is_inside(self, subscriber: str, article: str, row: Row) -> bool:
        """Whether a row lies in a subscriber's partition."""
        return self.reader.publication.articles[article].is_inside(subscriber, row)

    def _initial(self) -> dict[str, list[dict[str, Any]]]:
        initial: dict[str, list[dict[str, Any]]] = {}
        for stored in self.start:
            row = {**stored.row, "row_version": stored.version}
            initial.setdefault(stored.article, []).append(row)
        return initial

    # --- steps -----------------------------------------------------------------------------------

    def play(self) -> list[str]:
        """All steps, then the comparisons; gives what is not as expected."""
        for step in self.case.steps:
            self._step(step)
        comparison = Comparison(self)
        problems = comparison.differences()
        if self.case.converges:
            for _ in range(2):
                for name in self.subscribers:
                    if not self._is_waiting(name):
                        self._sync(name)
            for name in self.subscribers:
                if not self._is_waiting(name):
                    problems += comparison.rows(name, "same", "at the end")
        return problems

    def _step(self, step: Step) -> None:
        self.steps += 1
        if isinstance(step, ChangeStep):
            at = step.clock or CLOCK + timedelta(seconds=self.steps)
            for transaction in step.transactions:
                made = self.node(step.at).transaction(transaction, at)
                if step.id:
                    self.references.setdefault(step.id, []).extend(made)
        elif isinstance(step, RawStep):
            self._raw(step)
        elif isinstance(step, UploadStep):
            self._upload(step.node)
        elif isinstance(step, RunStep):
            self._run()
        elif isinstance(step, DownloadStep):
            self._download(step.node)
        elif isinstance(step, SyncStep):
            self._sync(step.node)
        elif isinstance(step, ReinitializeStep):
            self._reinitialize(step.node)
        elif isinstance(step, RefuseStep):
            self.subscribers[step.node].refuse(
                step.article, key_values(self.publication, step.article, step.key), step.error
            )
        elif isinstance(step, DecideStep):
            key = key_values(self.publication, step.article, step.key)
            self.decisions.append(
                ConflictDecision(step.article, key, step.loser, step.decision, step.edited)
            )
        elif isinstance(step, SetStep):
            self._set(step)
        elif isinstance(step, ErrorStep):
            assert self.refused
            assert all(text in self.refused for text in step.texts)
        else:
            raise NotImplementedError(step.text)

    def _raw(self, step: RawStep) -> None:
        values = step.values
        self.node(step.at).raw(step.article, values)
        if step.id:
            article = self.publication.articles[step.article]
            key = article.key_of(article.part({name: values[name] for name in article.primary_key}))
            reference = ChangeReference(step.article, key, str(values.get("change_id")))
            self.references.setdefault(step.id, []).append(reference)

    def node(self, name: str) -> Node:
        """The publisher or a subscriber."""
        return self.hq if name == self.hq.name else self.subscribers[name]

    def _upload(self, name: str) -> None:
        self.queue.put(self.subscribers[name].upload())
        # reports stand behind what was uploaded
        for refusal in self.subscribers[name].take_refusals():
            self.arrived += self.queue.deliver()
            self.errors.append(
                ApplyError(
                    subscriber=name,
                    command_id=refusal.command_id,
                    article=refusal.article,
                    key=refusal.key,
                    operation=refusal.operation,
                    error_code=refusal.error_code,
                    row=refusal.row,
                    position=self.queue.positions.take(),
                )
            )

    def _sync(self, name: str) -> None:
        self._upload(name)
        self._run()
        self._download(name)

    def _run(self) -> None:
        if self.refused:
            return
        self.arrived += self.queue.deliver()
        rows = [(row.article, dict(row.values)) for row in self.arrived]
        try:
            self.reader.run(
                rows * 2 if self.is_hard else rows,
                self.events,
                errors=self.errors,
                decisions=self.decisions,
            )
        except ConfigurationRefused as refused:
            self.refused = str(refused)
            return
        self.arrived, self.events, self.errors, self.decisions = [], [], [], []
        if self.is_hard:
            self.reader.run()
        self.held = [
            stored_row(article, held)
            for article, rows_of_article in self.reader.rows.items()
            for held in rows_of_article.values()
        ]
        self.hq.reset(self.held)

    def _download(self, name: str) -> None:
        commands = self.reader.subscriber_commands(name)
        self.subscribers[name].apply(node_command(command) for command in commands)

    def _reinitialize(self, name: str) -> None:
        mark = [mark for mark in self.reader.marks if mark.subscriber == name][-1]
        assert mark.snapshot is not None
        assert mark.snapshot_position is not None
        self.subscribers[name].reinitialize(
            [
                StoredRow(article, held.row, str(held.version))
                for article, rows in mark.snapshot.items()
                for held in rows.values()
                if held.row is not None and self.is_inside(name, article, held.row)
            ],
            mark.snapshot_position,
        )
        # what has been uploaded stands before the report in the queue
        self.arrived += self.queue.deliver()
        self.events.append(Event(name, mark.snapshot_position, self.queue.positions.take()))

    def _set(self, step: SetStep) -> None:
        for name, options in step.added.items():
            self._subscribe(name, options)
        try:
            if step.policy is not None:
                self.reader.set_policy(step.policy)
            for name, options in step.subscriptions.items():
                self.options[name] = {**self.options[name], **options}
                self.reader.set_subscription(name, self.options[name])
                node = self.subscribers[name]
                if isinstance(node, MergeNode):
                    node.priority = simulation.stamped_priority(self.options[name])
        except ConfigurationRefused as refused:
            self.refused = str(refused)

    def _is_waiting(self, name: str) -> bool:
        return any(
            status.subscriber == name and status.status != "active"
            for status in self.reader.subscription_status()
        )


def node_command(command: Command) -> NodeCommand:
    """A command of the reader as the simulated nodes take it."""
    return NodeCommand(
        command_id=command.command_id,
        subscriber=str(command.subscriber),
        kind=command.kind,
        queue_position=command.position,
        sequence=command.sequence,
        article=command.article,
        operation=command.operation,
        key=command.key,
        row=command.row,
        old_version=command.old_version,
        new_version=command.new_version,
        lineage=command.lineage or {},
        cause=command.change_id,
        snapshot_position=command.snapshot_position,
    )


def stored_row(article: str, held: Held) -> StoredRow:
    """What the publisher holds of a row, or of a deleted one, as its simulated node takes it."""
    if isinstance(held, MergeHeld):
        is_deleted = held.row is None
        return StoredRow(
            article, held.last_row, held.writer.version, held.lineage, is_deleted=is_deleted
        )
    return StoredRow(article, held.row or {}, str(held.version), is_deleted=held.row is None)
