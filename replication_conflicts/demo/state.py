"""What the demo keeps between two calls: its settings, and every delivery as a file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from replication_conflicts.nodes import FeedRow, Publication, StoredRow
from replication_conflicts.workload import (
    Settings,
    read_feed,
    write_feed,
    write_rows,
)


@dataclass(frozen=True)
class Plan:
    """What a demo was asked to do."""

    policy: str
    settings: Settings

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

    @property
    def plan(self) -> Plan | None:
        """What the demo in this folder was asked to do."""
        entry = self._entry()
        return Plan(entry["policy"], Settings(**entry["settings"])) if entry else None

    @property
    def is_finished(self) -> bool:
        """Whether that demo came to its end."""
        return bool(self._entry().get("is_finished"))

    def start(self, plan: Plan, publication: Publication, initial: Iterable[StoredRow]) -> None:
        """Begin a new demo in an empty folder."""
        self.clear()
        write_rows(self.folder / "initial.jsonl", publication, initial)
        self._write(plan, is_finished=False)

    def keep(self, number: int, publication: Publication, rows: Iterable[FeedRow]) -> None:
        """Keep a delivery, so that it can be delivered again."""
        write_feed(self.folder / f"delivery-{number:02d}.jsonl", publication, rows)

    def finish(self, plan: Plan) -> None:
        """The demo has come to its end."""
        self._write(plan, is_finished=True)

    def deliveries(self, publication: Publication) -> list[list[FeedRow]]:
        """Every delivery that was kept, in order."""
        files = sorted(self.folder.glob("delivery-*.jsonl"))
        return [read_feed(file, publication) for file in files]

    def clear(self) -> None:
        """Forget everything."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    @property
    def _file(self) -> Path:
        return self.folder / "demo.json"

    def _entry(self) -> dict[str, Any]:
        if not self._file.is_file():
            return {}
        entry: dict[str, Any] = json.loads(self._file.read_text(encoding="utf-8"))
        return entry

    def _write(self, plan: Plan, is_finished: bool) -> None:
        entry = {
            "policy": plan.policy,
            "settings": asdict(plan.settings),
            "is_finished": is_finished,
        }
        self._file.write_text(json.dumps(entry, indent=2) + "\n", encoding="utf-8")
