"""Values that the feed has as text."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any


def value_of(kind: str, text: str | None) -> Any:
    """The value of a column's type behind its canonical text."""
    if text is None:
        return None
    if kind in ("tinyint", "smallint", "int", "bigint"):
        return int(text)
    if kind in ("float", "double"):
        return float(text)
    if kind.startswith("decimal"):
        return Decimal(text)
    if kind == "boolean":
        return text == "true"
    if kind == "date":
        return date.fromisoformat(text)
    if kind.startswith("timestamp"):
        return datetime.fromisoformat(text)
    return text
