"""One rule of the project, broken on purpose."""

from __future__ import annotations

from dataclasses import dataclass

DECISION = "macros/decision"


@dataclass(frozen=True)
class Mutant:
    """One line of one file, and what stands there instead."""

    title: str
    file: str
    line: str
    instead: str
