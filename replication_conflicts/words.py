"""Words of messages."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number and what it counts; `plural`: where that is not the noun with an s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
