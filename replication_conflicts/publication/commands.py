"""Commands to a subscriber, as the view `subscriber_commands` gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypedDict

from replication_conflicts.publication.values import Texts

REPLICATED = "replicated"
COMPENSATING = "compensating"
REINITIALIZE = "reinitialize"
NOT_APPLIED = "not_applied"
LOG_CONFLICT = "log_conflict"
ROW_KINDS = (REPLICATED, COMPENSATING)
# what rows that are as new as the command do not tell
RECORD_KINDS = (REINITIALIZE, LOG_CONFLICT)
KINDS = (*ROW_KINDS, *RECORD_KINDS, NOT_APPLIED)

# from this bit on, `sequence` counts what acts behind a position of the queue; below, the commands
BEHIND_BITS = 32


# before every position of a queue, whatever number that begins with: as the macro before_queue
BEFORE_QUEUE = 1 - 2**63


class Place(NamedTuple):
    """A place in the queue. What people decide acts behind a position, and before the next one.

    `behind` counts what acts there; a position itself has 0. Without a position: before the queue.
    """

    position: int = BEFORE_QUEUE
    behind: int = 0

    def __str__(self) -> str:
        return "none yet" if self.position == BEFORE_QUEUE else f"{self.position:,}"


class UnknownCommand(ValueError):
    """A command of a kind that this agent does not know, or that lacks what its kind needs."""


@dataclass(frozen=True)
class SnapshotTable:
    """A table of a snapshot: the relation, and its Delta version to read."""

    article: str
    relation: str
    table_version: int


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
        if self.kind == REINITIALIZE and not self._leads_on():
            raise UnknownCommand(
                f"command {self.command_id} (reinitialize) is at {self.queue_position} of the"
                f" queue, and its snapshot at {self.snapshot_position}"
            )

    def _leads_on(self) -> bool:
        """Whether its snapshot holds what the command is about: it would come again, for ever."""
        position = self.snapshot_position
        return position is not None and Place(position) >= self.place

    @property
    def place(self) -> Place:
        """Where in the queue the command was decided."""
        return Place(self.queue_position, self.sequence >> BEHIND_BITS)

    @property
    def changes_a_row(self) -> bool:
        """Whether the command is carried out by one of the article's statements."""
        return self.kind in ROW_KINDS


class CommandFields(TypedDict):
    """What a command says beside the row's values, which may be text or typed."""

    command_id: str
    kind: str
    queue_position: int
    sequence: int
    article: str | None
    operation: str | None
    old_version: str | None
    new_version: str | None
    lineage: Mapping[str, int]
    cause: str | None
    snapshot: tuple[SnapshotTable, ...]
    snapshot_position: int | None


def fields_of_record(record: Mapping[str, object]) -> CommandFields:
    """These fields from a row of `subscriber_commands`."""
    return CommandFields(
        command_id=str(record["command_id"]),
        kind=str(record["kind"]),
        queue_position=_number(record.get("queue_position")) or 0,
        sequence=_number(record.get("sequence")) or 0,
        article=optional_text(record.get("article")),
        operation=optional_text(record.get("operation")),
        old_version=optional_text(record.get("old_version")),
        new_version=optional_text(record.get("new_version")),
        lineage=_lineage(record.get("lineage")),
        cause=optional_text(record.get("cause")),
        snapshot=_snapshot(record.get("snapshot")),
        snapshot_position=_number(record.get("snapshot_position")),
    )


def command_from_record(record: Mapping[str, object]) -> AgentCommand:
    """A command from a row of `subscriber_commands`. Errors: UnknownCommand."""
    return AgentCommand(
        **fields_of_record(record), key=texts(record.get("key")), row=texts(record.get("row"))
    )


def optional_text(value: object) -> str | None:
    """A text, or None for NULL."""
    return None if value is None else str(value)


def texts(value: object) -> Texts | None:
    """A map of texts, or None for NULL."""
    if not isinstance(value, Mapping):
        return None
    return {str(name): optional_text(text) for name, text in value.items()}


def _number(value: object) -> int | None:
    return None if value is None else int(str(value))


def _lineage(value: object) -> dict[str, int]:
    return (
        {str(node): int(number) for node, number in value.items()}
        if isinstance(value, Mapping)
        else {}
    )


def _snapshot(value: object) -> tuple[SnapshotTable, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    return tuple(
        SnapshotTable(str(one["article"]), str(one["relation"]), int(one["table_version"]))
        for one in value
    )
