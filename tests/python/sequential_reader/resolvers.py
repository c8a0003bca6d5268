"""Resolvers of merge replication: which side of a conflict stays, or the row that both make."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

from tests.python.sequential_reader.publication import Article
from tests.python.sequential_reader.records import Change, Row

CHALLENGER, HELD, WAITING = "challenger", "held", "waiting"
EXACT = Context(prec=200, rounding=ROUND_HALF_UP)
LARGEST_FLOAT = (2 - 2**-23) * 2.0**127
INTEGER_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "integer": 32, "bigint": 64}


class Overflow(Exception):
    """The column cannot hold the number that was computed."""


@dataclass(frozen=True)
class Resolution:
    """Who wins; `row` if it is neither side's."""

    winner: str
    row: Row | None = None


def resolve(
    article: Article, change: Change, held: Row | None, columns: tuple[str, ...], by_priority: str
) -> Resolution:
    """The winner of a conflict by the article's resolver.

    `by_priority` wins where it does not handle the conflict; `columns` are those in conflict.
    Errors: Overflow.
    """
    resolver = article.resolver
    default = Resolution(by_priority)
    sides = {
        "publisher_wins": HELD,
        "download_only": HELD,
        "subscriber_wins": CHALLENGER,
        "upload_only": CHALLENGER,
        "manual": WAITING,
    }
    if resolver.name in sides:
        return Resolution(sides[resolver.name])
    if resolver.name == "priority" or change.operation == "delete" or held is None:
        return default
    theirs, ours = change.row[resolver.column], held[resolver.column]
    if resolver.name in CHOOSERS:
        if theirs == ours:
            return default
        if theirs is None or ours is None:
            return Resolution(HELD if theirs is None else CHALLENGER)
        return Resolution(CHALLENGER if CHOOSERS[resolver.name](theirs, ours) else HELD)
    if resolver.name == "additive_delta":
        if not _has_previous_value(article, change):
            return default
        value = _with_delta(article, change, ours)
    elif resolver.column not in columns:
        return default
    elif theirs is None or ours is None or theirs == ours == "":
        value = ours if theirs is None else theirs
    else:
        value = _value_of_both(article, theirs, ours)
    return _of_row(change, held, resolver.column, value, by_priority)


CHOOSERS: dict[str, Callable[[Any, Any], bool]] = {
    "earlier_wins": lambda theirs, ours: bool(theirs < ours),
    "minimum": lambda theirs, ours: bool(theirs < ours),
    "later_wins": lambda theirs, ours: bool(theirs > ours),
    "maximum": lambda theirs, ours: bool(theirs > ours),
    "priority_column": lambda theirs, ours: bool(theirs > ours),
}


def _of_row(change: Change, held: Row, column: str, value: Any, by_priority: str) -> Resolution:
    """The winner's row with the computed value; if it equals one side, that side has won."""
    row = {**(change.row if by_priority == CHALLENGER else held), column: value}
    if row == change.row and row == held:
        return Resolution(by_priority)
    if row in (change.row, held):
        return Resolution(CHALLENGER if row == change.row else HELD)
    return Resolution(by_priority, row)


def _value_of_both(article: Article, theirs: Any, ours: Any) -> Any:
    resolver = article.resolver
    kind = article.columns[resolver.column]
    if resolver.name == "merge_text":
        return _short_enough(_merged_text(theirs, ours, resolver.separator), kind)
    if isinstance(ours, float):
        both = ours + theirs
        if resolver.name == "averaging":
            both = ours / 2 + theirs / 2 if math.isinf(both) else both / 2
        return _fitting(both, kind)
    total = EXACT.add(Decimal(ours), Decimal(theirs))
    if resolver.name == "averaging":
        total = EXACT.divide(total, Decimal(2))
    return _fitting(total, kind)


def _merged_text(theirs: str, ours: str, separator: str) -> str:
    """Common beginning, publisher's rest, separator, subscriber's rest; equal texts stay."""
    if theirs == ours:
        return ours
    length = 0
    while length < min(len(theirs), len(ours)) and theirs[length] == ours[length]:
        length += 1
    return ours + separator + theirs[length:]


def _short_enough(text: str, kind: str) -> str:
    """The text, where its column has room for it."""
    limit = re.fullmatch(r"(?:var)?char\((\d+)\)", kind)
    if limit and len(text) > int(limit[1]):
        raise Overflow(kind)
    return text


def _has_previous_value(article: Article, change: Change) -> bool:
    """A column that was not changed has no delta; else its previous value must be known."""
    column = article.resolver.column
    if change.changed_columns is not None and column not in change.changed_columns:
        return True
    if change.previous_values is None or column not in change.previous_values:
        return False
    text, kind = change.previous_values[column], article.columns[column]
    return text is None or _is_number_of(kind, text)


def _is_number_of(kind: str, text: str) -> bool:
    """Whether a text is a number that the column can hold as it is."""
    try:
        if kind in ("double", "float"):
            float(text)
            return True
        return bool(_fitting(Decimal(text), kind) == Decimal(text))
    except (ValueError, InvalidOperation, Overflow):
        return False


def _with_delta(article: Article, change: Change, ours: Any) -> Any:
    """The held value and what the change has added to its own."""
    column = article.resolver.column
    if change.changed_columns is not None and column not in change.changed_columns:
        return ours
    assert change.previous_values is not None
    text = change.previous_values[column]
    theirs = change.row[column]
    if article.columns[column] in ("double", "float"):
        floating = (theirs or 0.0) - float(text or 0)
        return (
            ours
            if ours is None and not floating
            else _fitting((ours or 0.0) + floating, article.columns[column])
        )
    delta = EXACT.subtract(Decimal(theirs or 0), Decimal(text or 0))
    if ours is None and not delta:
        return None
    return _fitting(EXACT.add(Decimal(ours or 0), delta), article.columns[column])


def _fitting(number: Decimal | float, kind: str) -> Any:
    """The number as the column holds it, rounded to its scale, half away from zero."""
    if isinstance(number, float):
        if math.isinf(number) or (kind == "float" and abs(number) > LARGEST_FLOAT):
            raise Overflow(kind)
        return number
    if kind in INTEGER_BITS:
        whole = int(number.quantize(Decimal(1), context=EXACT))
        if not -(2 ** (INTEGER_BITS[kind] - 1)) <= whole < 2 ** (INTEGER_BITS[kind] - 1):
            raise Overflow(kind)
        return whole
    precision, scale = (int(part) for part in kind[kind.index("(") + 1 : -1].split(","))
    rounded = number.quantize(Decimal(1).scaleb(-scale), context=EXACT)
    if rounded.copy_abs() >= Decimal(10) ** (precision - scale):
        raise Overflow(kind)
    return rounded
