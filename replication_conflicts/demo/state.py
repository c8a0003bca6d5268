"""What the demo keeps between two calls: what it was asked to do, and where its feeds end."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from replication_conflicts.demo.databases import Kind
from replication_conflicts.workload import Settings


class DemoError(Exception):
    """The demo cannot go on; the message says why, and what to do."""


@dataclass(frozen=True)
class Plan:
    """What a demo was asked to do."""

    policy: str
    settings: Settings
    databases: Kind = Kind.SQLITE

    def __str__(self) -> str:
        """The plan as the options of the command."""
        settings = self.settings
        return (
            f"--policy {self.policy} --transactions {settings.transactions} "
            f"--deliveries {settings.deliveries} --seed {settings.seed}"
        )


class State:
    """The demo's folder. `plan` is None before the first demo; `is_finished` False after a kill."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other demos out of the folder. Errors: DemoError while another one runs.

        The lock ends with the process, and it is beside the folder, which a new demo removes.
        """
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with self.folder.with_suffix(".lock").open("w") as file:
            if not _is_first(file):
                raise DemoError("another demo runs: wait for its end")
            yield

    @property
    def databases(self) -> Path:
        """Where databases that are files stay when the demo has ended."""
        return self.folder / "databases"

    @property
    def plan(self) -> Plan | None:
        """What the demo in this folder was asked to do."""
        entry = self._entry()
        try:
            return Plan(entry["policy"], Settings(**entry["settings"]), Kind(entry["databases"]))
        except (KeyError, TypeError, ValueError):
            return None

    @property
    def is_there(self) -> bool:
        """Whether there was a demo at all."""
        return self._file.is_file()

    @property
    def is_finished(self) -> bool:
        """Whether that demo came to its end."""
        return bool(self.feed_versions)

    @property
    def feed_versions(self) -> Mapping[str, int]:
        """The Delta version that each publication's queue has had at the end."""
        found: Mapping[str, int] = self._entry().get("feed_versions") or {}
        return found

    def start(self, plan: Plan) -> None:
        """A new demo begins."""
        self._write(plan, {})

    def clear(self) -> None:
        """Forget everything."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def finish(self, plan: Plan, feed_versions: Mapping[str, int]) -> None:
        """The demo has come to its end."""
        self._write(plan, feed_versions)

    @property
    def _file(self) -> Path:
        return self.folder / "demo.json"

    def _entry(self) -> dict[str, Any]:
        """What cannot be read counts as nothing: a demo then starts over."""
        try:
            entry = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return entry if isinstance(entry, dict) else {}

    def _write(self, plan: Plan, feed_versions: Mapping[str, int]) -> None:
        entry = {
            "policy": plan.policy,
            "settings": asdict(plan.settings),
            "databases": plan.databases.value,
            "feed_versions": dict(feed_versions),
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        # a kill leaves the old file or the new one
        unfinished = self._file.with_suffix(".new")
        unfinished.write_text(json.dumps(entry, indent=2) + "\n", encoding="utf-8")
        unfinished.replace(self._file)


def _is_first(file: IO[str]) -> bool:
    """Whether no other process has locked the file."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
