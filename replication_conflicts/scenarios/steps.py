"""The steps of a case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone

import yaml

from replication_conflicts.publication.commands import BEFORE_QUEUE
from replication_conflicts.publication.feed import QUEUE_POSITION
from replication_conflicts.publication.publication import Publication
from replication_conflicts.publication.values import Key
from replication_conflicts.scenarios.reading import Place
from replication_conflicts.simulation import Change

# what the clock of a case counts seconds from, where a step does not name its own
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
# what a node had downloaded, in words: no place of any queue, or all of it, and that far enough
# from the largest bigint to calculate with
KNOWN_POSITIONS = {"nothing": BEFORE_QUEUE, "all": 2**62}


@dataclass(frozen=True)
class Step:
    """What all steps have: where they stand, and how they read."""

    place: Place
    written: Mapping[str, object]

    @property
    def text(self) -> str:
        """The step in one line, for people."""
        return _flow(self.written)

    @property
    def sets_queue(self) -> bool:
        """Whether the step sets a place of the queue, or another day for its clock."""
        return False


@dataclass(frozen=True)
class ChangeStep(Step):
    """Changes made at a node, transaction by transaction."""

    at: str
    transactions: tuple[tuple[Change, ...], ...]
    id: str | None
    clock: datetime | None

    @property
    def sets_queue(self) -> bool:
        """Whether a day of its own is given."""
        return self.clock is not None and self.clock.date() != START.date()


@dataclass(frozen=True)
class RawStep(Step):
    """A row of the change feed exactly as given."""

    at: str
    article: str
    values: Mapping[str, object]
    id: str | None

    @property
    def sets_queue(self) -> bool:
        """Whether a place of its own is given, or a day."""
        changed_at = self.values.get("changed_at")
        is_other_day = changed_at is not None and not str(changed_at).startswith(
            f"{START:%Y-%m-%d}"
        )
        known_position = self.values.get("known_position")
        names_position = known_position is not None and (
            known_position not in KNOWN_POSITIONS.values()
        )
        return is_other_day or names_position or self.names_position

    @property
    def names_position(self) -> bool:
        """Whether the row brings its own place of the queue."""
        return self.values.get(QUEUE_POSITION) is not None


@dataclass(frozen=True)
class ReinitializeStep(Step):
    """A subscriber takes the snapshot that its command names."""

    node: str


@dataclass(frozen=True)
class RefuseStep(Step):
    """A subscriber's database will refuse the next command about a row."""

    node: str
    article: str
    key: Mapping[str, object]
    error: int


@dataclass(frozen=True)
class UploadStep(Step):
    """A node's pending changes enter the queue."""

    node: str


@dataclass(frozen=True)
class RunStep(Step):
    """One run of the pipeline."""


@dataclass(frozen=True)
class DownloadStep(Step):
    """A subscriber applies the commands that it has not applied yet."""

    node: str


@dataclass(frozen=True)
class SyncStep(Step):
    """Upload, run, download."""

    node: str


@dataclass(frozen=True)
class DecideStep(Step):
    """A person's decision about a conflict."""

    article: str
    key: Mapping[str, object]
    loser: str
    decision: str
    edited: Mapping[str, object]


@dataclass(frozen=True)
class SetStep(Step):
    """A change of configuration from here on."""

    policy: str | None
    subscriptions: Mapping[str, Mapping[str, object]]
    added: Mapping[str, Mapping[str, object]]


@dataclass(frozen=True)
class ErrorStep(Step):
    """The step before this one must fail with an error that contains these texts."""

    texts: tuple[str, ...]


def key_values(publication: Publication, article: str, key: Mapping[str, object]) -> Key:
    """The key of an article from a mapping of its columns."""
    found = publication.articles[article]
    return found.key_of(found.part(key))


def _flow(value: object) -> str:
    """A step in one line of YAML, for people."""
    dumper = yaml.SafeDumper
    text = yaml.dump(
        _plain(value),
        Dumper=dumper,
        default_flow_style=True,
        allow_unicode=True,
        sort_keys=False,
        width=10**6,
    )
    return text.strip()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return str(value)
