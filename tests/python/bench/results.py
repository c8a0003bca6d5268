"""What was measured: figures, each beside what it is compared with and the target."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Result:
    """One comparison.

    `ratio`: ours to theirs, in time; with `is_speed` how many times as fast we are. `limit`: the
    target, the highest ratio that is wanted, with `is_speed` the lowest; None: no target.
    """

    what: str
    ours: str
    against: str
    theirs: str
    ratio: float
    limit: float | None = None
    is_speed: bool = False

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.limit is None:
            return None
        return self.ratio >= self.limit if self.is_speed else self.ratio <= self.limit

    @property
    def target(self) -> str:
        """The target in words."""
        if self.limit is None:
            return ""
        return f"{'at least' if self.is_speed else 'at most'} {self.limit:.2g}"

    @property
    def verdict(self) -> str:
        """Met, missed, or nothing where there is no target."""
        return {True: "met", False: "**missed**", None: ""}[self.is_met]


@dataclass
class Findings:
    """What one case has found, with the date, the sizes, and what else is worth knowing."""

    date: str
    sizes: str
    results: list[Result] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def load(file: Path) -> dict[str, Findings]:
    """What was found before, by case; nothing where there is no file."""
    if not file.exists():
        return {}
    stored = json.loads(file.read_text(encoding="utf-8"))
    return {
        name: Findings(
            one["date"], one["sizes"], [Result(**each) for each in one["results"]], one["notes"]
        )
        for name, one in stored.items()
    }


def save(file: Path, findings: dict[str, Findings]) -> None:
    """Keep what was found for the next run, which may measure other cases."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {name: asdict(one) for name, one in findings.items()}
    file.write_text(json.dumps(content, indent=1), encoding="utf-8")


def in_order(findings: dict[str, Findings], cases: Iterable[str]) -> dict[str, Findings]:
    """The findings in the order of the cases; those of cases that are no longer there go."""
    return {name: findings[name] for name in cases if name in findings}


def seconds(value: float) -> str:
    """Seconds as a table shows them."""
    return f"{value:.1f} s"


def speed(changes: int, taken: float) -> str:
    """Changes per second as a table shows them."""
    return f"{changes / taken:,.0f} changes/s"
