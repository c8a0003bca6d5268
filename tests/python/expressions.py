"""Check expressions and row filters as callables: as much of SQL as the tests need."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from tests.python.sequential_reader.publication import Check

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    ">": lambda left, right: bool(left > right),
    ">=": lambda left, right: bool(left >= right),
    "<": lambda left, right: bool(left < right),
    "<>": lambda left, right: bool(left != right),
    "=": lambda left, right: bool(left == right),
}


def check_of(expression: str) -> Check:
    """An expression of the form `column > number` or `column = 'text'` as a callable; NULL gives
    NULL.
    """
    match = re.fullmatch(r"(\w+) (>|>=|<|<>|=) (?:(-?[\d.]+)|'([^']*)')", expression)
    if match is None:
        raise ValueError(f"check expression {expression!r} is not understood here")
    column, comparison = match[1], COMPARISONS[match[2]]
    value: Any = match[4] if match[3] is None else Decimal(match[3])

    def check(row: Mapping[str, Any]) -> bool | None:
        return None if row[column] is None else comparison(row[column], value)

    return check


def checks_of(articles: Mapping[str, Any]) -> dict[str, list[Check]]:
    """Per article the checks of its configuration."""
    return {
        name: [check_of(text) for text in (article.get("check") or {}).values()]
        for name, article in articles.items()
    }


def row_filters_of(articles: Mapping[str, Any]) -> dict[str, dict[str, Check]]:
    """Per article and subscriber the row filters of its configuration."""
    return {
        name: {
            subscriber: check_of(text)
            for subscriber, text in (article.get("row_filter") or {}).items()
        }
        for name, article in articles.items()
    }
