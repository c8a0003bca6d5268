"""What is not as expected, line by line, and which rows and entries are equal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Context, Decimal

from replication_conflicts.publication.values import Row, Value, timestamp_text

# no decimal of Spark has more digits
_EXACT = Context(prec=38)

Matcher = Callable[[Mapping[str, object], Mapping[str, object]], bool]
"""Whether an actual entry is as the expected one says."""


@dataclass(frozen=True)
class Difference:
    """Something that did not come out as expected, line by line; equal lines stand in both.

    `is_ordered`: the order of the lines counts.
    """

    what: str
    expected: Sequence[str] = field(default=())
    actual: Sequence[str] = field(default=())
    is_ordered: bool = False


def match(
    expected: Sequence[Mapping[str, object]],
    actual: Sequence[Mapping[str, object]],
    matches: Matcher,
) -> tuple[list[int], list[int]]:
    """Pairs each expected entry with an actual one of its own; gives the indexes left over.

    Entries may name different keys, so an early choice can be wrong: pairs are exchanged until
    no more fit (augmenting paths).
    """
    taken: dict[int, int] = {}

    def place(index: int, tried: set[int]) -> bool:
        for other, candidate in enumerate(actual):
            if other in tried or not matches(expected[index], candidate):
                continue
            tried.add(other)
            if other not in taken or place(taken[other], tried):
                taken[other] = index
                return True
        return False

    left = [index for index in range(len(expected)) if not place(index, set())]
    return left, [index for index in range(len(actual)) if index not in taken]


def row_differences(what: str, expected: Iterable[Row], actual: Iterable[Row]) -> list[Difference]:
    """Two sets of rows, compared by value; nothing where they are equal."""
    wanted = sorted((identity(row), in_one_line(row)) for row in expected)
    found = sorted((identity(row), in_one_line(row)) for row in actual)
    if [one for one, _ in wanted] == [one for one, _ in found]:
        return []
    return [Difference(what, [text for _, text in wanted], [text for _, text in found])]


def identity(row: Mapping[str, Value]) -> str:
    """A row as text, equal for values that are equal: 1.50 and 1.5 are the same number."""
    return repr([(name, _normal(row[name])) for name in sorted(row)])


def _normal(value: object) -> object:
    if isinstance(value, Decimal):
        return str(value.normalize(_EXACT) if value else Decimal(0))
    # 0.0 and -0.0 are one number
    return value + 0.0 if isinstance(value, float) else value


def in_one_line(value: object) -> str:
    """A value as it would stand in a suite, on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {in_one_line(one)}" for name, one in value.items()) + "}"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return timestamp_text(value)
    if isinstance(value, date):
        return value.isoformat()
    return str(value)
