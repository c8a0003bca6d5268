"""A simulated node: its own rows with their versions, and what commands do to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from replication_conflicts.publication import commands as kinds
from replication_conflicts.publication.feed import DELETE, INSERT, UPDATE, FeedRow
from replication_conflicts.publication.publication import Article, Publication
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.publication.values import Key, Row
from replication_conflicts.simulation.commands import Command
from replication_conflicts.simulation.queue import Identity, Queue

RowName = tuple[str, Key]


class ImpossibleChange(ValueError):
    """A change that the node's rows do not allow, such as an update of a row it does not hold."""


@dataclass(frozen=True)
class Change:
    """Something to do at a node: an update names key and changed columns, a delete the key."""

    operation: str
    article: str
    values: Mapping[str, object]


@dataclass
class ChangeReference:
    """Names a change that was made, so that its outcome can be looked up.

    `change_id` is that of the last upload of the (net) change; None when nothing was left of it.
    """

    article: str
    key: Key
    change_id: str | None = None


@dataclass(frozen=True)
class Held:
    """A row that a node holds, the version it has, and (merge) what the node knows of it."""

    row: Row
    version: str
    lineage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Refusal:
    """A command that the node's database refused, as the `apply_errors` feed reports it."""

    subscriber: str
    command_id: str
    article: str
    key: Key
    operation: str
    error_code: int
    error_text: str
    row: Row | None


@dataclass(frozen=True)
class PlannedChange:
    """A change that the node's rows allow: the row before and after it, None where none is."""

    operation: str
    article: Article
    key: Key
    before: Row | None
    after: Row | None
    changed: tuple[str, ...]

    @property
    def name(self) -> RowName:
        """The article and key."""
        return (self.article.name, self.key)


class Node(ABC):
    """What all simulated nodes have in common.

    A node with an `outlet` is the publisher: its changes enter that queue when they are made.
    Any other node keeps them until `upload`.
    """

    def __init__(
        self,
        name: str,
        publication: Publication,
        outlet: Queue | None = None,
        identity: Identity | None = None,
    ) -> None:
        self.name = name
        self.publication = publication
        self.identity = identity or Identity(publication.name, name)
        self.conflict_log: list[Command] = []
        self.reinitialize_command: Command | None = None
        self._outlet = outlet
        self._rows: dict[str, dict[Key, Held]] = {article: {} for article in publication.articles}
        self._done: set[str] = set()
        self._position = kinds.BEFORE_QUEUE
        self._errors_ahead: dict[RowName, list[int]] = {}
        self._refusals: list[Refusal] = []

    # what the node holds

    def rows(self, article: str) -> list[Row]:
        """The node's rows of an article."""
        return [held.row for held in self._rows[article].values()]

    def held(self, article: str, key: Key) -> Held | None:
        """One row with its version metadata; None when the node does not hold it."""
        return self._rows[article].get(key)

    def row(self, article: str, key: Key) -> Row | None:
        """One row; None when the node does not hold it."""
        held = self.held(article, key)
        return held.row if held else None

    def reset(self, rows: Iterable[StoredRow]) -> None:
        """The node's rows become exactly these; what is pending stays."""
        for held in self._rows.values():
            held.clear()
        self._forget_deleted()
        for stored in rows:
            self._store(stored)

    def reinitialize(self, rows: Iterable[StoredRow], snapshot_position: int) -> None:
        """The node takes a snapshot that stands for a queue position, and drops what is pending."""
        self.reset(rows)
        self._drop_pending()
        self.start_after(snapshot_position)
        self.reinitialize_command = None

    def start_after(self, position: int) -> None:
        """The node's rows already hold what was decided up to this queue position."""
        self._position = max(self._position, position)

    def has_been_told(self, command_ids: Iterable[str]) -> None:
        """The node's rows already hold what these commands do."""
        self._done.update(command_ids)

    # what is done at the node

    def insert(self, article: str, values: Mapping[str, object], at: datetime) -> ChangeReference:
        """One insert, a transaction of its own. Errors: ImpossibleChange, ValueProblem."""
        return self.transaction([Change(INSERT, article, values)], at)[0]

    def update(self, article: str, values: Mapping[str, object], at: datetime) -> ChangeReference:
        """One update, a transaction of its own; `values` are the key and the changed columns."""
        return self.transaction([Change(UPDATE, article, values)], at)[0]

    def delete(self, article: str, values: Mapping[str, object], at: datetime) -> ChangeReference:
        """One delete, a transaction of its own; `values` are the key."""
        return self.transaction([Change(DELETE, article, values)], at)[0]

    @abstractmethod
    def transaction(self, changes: Sequence[Change], at: datetime) -> list[ChangeReference]:
        """Changes that stand or fall together, made at a moment of the node's clock.

        Errors: ImpossibleChange and ValueProblem; the node's rows are as before then.
        """

    @abstractmethod
    def raw(self, article: str, values: Mapping[str, object]) -> None:
        """A row of the change feed exactly as given; the node's rows stay as they are."""

    @abstractmethod
    def upload(self) -> list[FeedRow]:
        """The pending changes, in the order of the queue; none are pending afterwards."""

    @property
    @abstractmethod
    def has_pending(self) -> bool:
        """Whether an upload would bring anything."""

    def refuse(self, article: str, key: Key, error: int) -> None:
        """The node's database refuses the next command that would act on this row.

        Said several times, it refuses as many commands, with the errors in this order.
        """
        self._errors_ahead.setdefault((article, key), []).append(error)

    def take_refusals(self) -> list[Refusal]:
        """Refused commands since the last call: reported together with an upload."""
        refusals, self._refusals = self._refusals, []
        return refusals

    # what comes down

    def apply(self, commands: Iterable[Command]) -> list[Command]:
        """Take commands in order; gives those that acted on a row.

        A command acts only where the node's row still is the version that it names. One that
        the node has seen before, or that lies behind its snapshot, is passed over.
        """
        return [command for command in commands if self._take(command)]

    def _take(self, command: Command) -> bool:
        if command.command_id in self._done:
            return False
        self._done.add(command.command_id)
        if command.kind == kinds.REINITIALIZE:
            if command.snapshot_position is None or command.snapshot_position > self._position:
                self.reinitialize_command = command
            return False
        # what people decide later may act behind the very place that the rows stand for
        if (command.queue_position, command.behind) <= (self._position, 0):
            return False
        if command.kind == kinds.LOG_CONFLICT:
            self.conflict_log.append(command)
            return False
        if command.kind == kinds.NOT_APPLIED:
            self._not_applied(command)
            return False
        return self._act(command)

    def _act(self, command: Command) -> bool:
        article, key = command.row_name
        rows = self._rows[article]
        held = rows.get(key)
        if (held.version if held else None) != command.old_version:
            self._passed_over(command)
            return False
        if self._refused(command, held):
            return False
        if command.row is None or command.new_version is None:
            rows.pop(key, None)
            self._deleted(article, key, held, command.lineage)
        else:
            rows[key] = Held(dict(command.row), command.new_version, dict(command.lineage))
        self._touched(article, key)
        return True

    def _refused(self, command: Command, held: Held | None) -> bool:
        article, key = command.row_name
        errors = self._errors_ahead.get((article, key))
        if not errors:
            return False
        error = errors.pop(0)
        self._refusals.append(
            Refusal(
                subscriber=self.name,
                command_id=command.command_id,
                article=article,
                key=key,
                operation=command.operation or "",
                error_code=error,
                error_text=f"error {error}",
                row=dict(held.row) if held else None,
            )
        )
        return True

    # planning: nothing at the node changes until every change of a transaction is possible

    def _plan(self, changes: Sequence[Change]) -> list[PlannedChange]:
        ahead: dict[RowName, Row | None] = {}
        planned = []
        for change in changes:
            one = self._plan_one(change, ahead)
            ahead[one.name] = one.after
            planned.append(one)
        return planned

    def _plan_one(self, change: Change, ahead: Mapping[RowName, Row | None]) -> PlannedChange:
        article = self.publication.article(change.article)
        values = article.part(change.values)
        missing = [name for name in article.primary_key if values.get(name) is None]
        if missing:
            raise ImpossibleChange(
                f"{change.operation} of {article.name} at {self.name} names no {', '.join(missing)}"
            )
        key = article.key_of(values)
        held = self._rows[article.name].get(key)
        before = ahead.get((article.name, key), held.row if held else None)
        name = f"{article.name} {article.key_text(key)}"
        if change.operation == INSERT:
            if before is not None:
                raise ImpossibleChange(f"insert of {name}: {self.name} already holds that row")
            return PlannedChange(INSERT, article, key, None, article.row(values), ())
        if before is None:
            raise ImpossibleChange(
                f"{change.operation} of {name}: {self.name} does not hold that row"
            )
        if change.operation == UPDATE:
            changed = tuple(column for column in values if column not in article.primary_key)
            return PlannedChange(UPDATE, article, key, before, {**before, **values}, changed)
        if change.operation == DELETE:
            return PlannedChange(DELETE, article, key, before, None, ())
        raise ImpossibleChange(f"operation {change.operation!r} is none of insert, update, delete")

    # what kinds of nodes do differently: hooks that do nothing unless a kind needs them

    def _store(self, stored: StoredRow) -> None:
        if not stored.is_deleted:
            article = self.publication.article(stored.article)
            held = Held(dict(stored.row), stored.version, dict(stored.lineage))
            self._rows[stored.article][article.key_of(stored.row)] = held

    def _forget_deleted(self) -> None:  # noqa: B027
        """Merge nodes keep what they know of deleted rows."""

    def _deleted(  # noqa: B027
        self, article: str, key: Key, held: Held | None, lineage: Mapping[str, int]
    ) -> None:
        """A command deleted a row."""

    def _touched(self, article: str, key: Key) -> None:  # noqa: B027
        """A row was changed, by the node or by a command."""

    def _passed_over(self, command: Command) -> None:  # noqa: B027
        """A command did not act, because the row is another version."""

    def _not_applied(self, command: Command) -> None:  # noqa: B027
        """The publisher did not apply a change of this node and leaves it to be uploaded again."""

    @abstractmethod
    def _drop_pending(self) -> None: ...
