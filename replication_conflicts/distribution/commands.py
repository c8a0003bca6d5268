"""Commands as the agent takes them: values stay the canonical text in which they travel."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, groupby
from typing import NamedTuple

from replication_conflicts.nodes.commands import (
    BEHIND_BITS,
    COMPENSATING,
    LOG_CONFLICT,
    NOT_APPLIED,
    REINITIALIZE,
    REPLICATED,
    SnapshotTable,
)
from replication_conflicts.nodes.commands import command_from_record as node_command
from replication_conflicts.nodes.publication import Publication

ROW_KINDS = (REPLICATED, COMPENSATING)
KINDS = (*ROW_KINDS, REINITIALIZE, NOT_APPLIED, LOG_CONFLICT)

Texts = Mapping[str, str | None]


class Place(NamedTuple):
    """A place in the queue. What people decide acts behind a position, and before the next one.

    `behind` counts what acts there; a position itself has 0.
    """

    position: int = 0
    behind: int = 0


class UnknownCommand(ValueError):
    """A command of a kind that this agent does not know, or that lacks what its kind needs."""


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """One row of `subscriber_commands`.

    `key` and `row` map columns to canonical text; `row` is None where the row goes, `old_version`
    where there was none, `new_version` where none is left.
    """

    command_id: str
    kind: str
    queue_position: int
    sequence: int = 0
    article: str | None = None
    operation: str | None = None
    key: Texts | None = None
    row: Texts | None = None
    old_version: str | None = None
    new_version: str | None = None
    lineage: Mapping[str, int] = field(default_factory=dict)
    cause: str | None = None
    snapshot: tuple[SnapshotTable, ...] = ()
    snapshot_position: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownCommand(f"command {self.command_id} is of the unknown kind {self.kind!r}")
        if self.kind in ROW_KINDS and not (self.article and self.operation and self.key):
            raise UnknownCommand(f"command {self.command_id} ({self.kind}) names no row")
        if self.kind == REINITIALIZE and not self.snapshot:
            raise UnknownCommand(f"command {self.command_id} (reinitialize) names no snapshot")

    @property
    def place(self) -> Place:
        """Where in the queue the command was decided."""
        return Place(self.queue_position, self.sequence >> BEHIND_BITS)

    @property
    def changes_a_row(self) -> bool:
        """Whether the command is carried out by one of the article's statements."""
        return self.kind in ROW_KINDS


@dataclass(frozen=True)
class Transaction:
    """Commands that are applied together: those of one place in the queue, in their order."""

    place: Place
    commands: tuple[AgentCommand, ...]

    @property
    def reinitialize(self) -> AgentCommand | None:
        """The command to take a snapshot, if the transaction holds one."""
        return next((one for one in self.commands if one.kind == REINITIALIZE), None)


def in_transactions(commands: Iterable[AgentCommand]) -> Iterator[Transaction]:
    """Group commands that come in order; nothing is read ahead but the next command."""
    for place, group in groupby(commands, key=lambda command: command.place):
        ordered = sorted(group, key=lambda command: command.sequence)
        yield Transaction(place, tuple(ordered))


class Upcoming:
    """Transactions in their order, which can be looked at before it is their turn."""

    def __init__(self, transactions: Iterable[Transaction] = ()) -> None:
        self._unread = iter(transactions)
        self._read: deque[Transaction] = deque()

    def ahead(self) -> Iterator[Transaction]:
        """The next ones, each time from the first; only what is asked for is read."""
        for number in count():
            if number == len(self._read):
                found = next(self._unread, None)
                if found is None:
                    return
                self._read.append(found)
            yield self._read[number]

    def done(self, place: Place) -> None:
        """Those up to a place have had their turn."""
        while self._read and self._read[0].place <= place:
            self._read.popleft()


def in_batches(
    transactions: Iterable[Transaction], most_transactions: int, most_commands: int = 5_000
) -> Iterator[list[Transaction]]:
    """Transactions to commit together; one that holds `reinitialize` stands alone."""
    batch: list[Transaction] = []
    size = 0
    for transaction in transactions:
        is_full = len(batch) >= most_transactions or size >= most_commands
        if batch and (is_full or transaction.reinitialize):
            yield batch
            batch, size = [], 0
        batch.append(transaction)
        size += len(transaction.commands)
        if transaction.reinitialize:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def command_from_record(publication: Publication, record: Mapping[str, object]) -> AgentCommand:
    """A command from a row of `subscriber_commands`. Errors: UnknownCommand."""
    # everything but the row's values, which stay text here
    parsed = node_command(publication, {**record, "article": None})
    return AgentCommand(
        command_id=parsed.command_id,
        kind=parsed.kind,
        queue_position=parsed.queue_position,
        sequence=parsed.sequence,
        article=_text(record.get("article")),
        operation=parsed.operation,
        key=_texts(record.get("key")),
        row=_texts(record.get("row")),
        old_version=parsed.old_version,
        new_version=parsed.new_version,
        lineage=parsed.lineage,
        cause=parsed.cause,
        snapshot=parsed.snapshot,
        snapshot_position=parsed.snapshot_position,
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _texts(value: object) -> Texts | None:
    if not isinstance(value, Mapping):
        return None
    return {str(name): _text(text) for name, text in value.items()}
