"""Values of every column type, the awkward ones among them."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from random import Random
from typing import Any

KEY_TYPES = ("int", "bigint", "string", "decimal(10,2)", "date", "timestamp", "boolean")
COLUMN_TYPES = (*KEY_TYPES, "double", "decimal(38,10)")

AWKWARD_STRINGS = (
    "",
    " ",
    "a",
    "A",
    "a ",
    "a|b",
    "a\\",
    "\\|",
    "|",
    "NULL",
    "null",
    "None",
    "O'Neill",
    'say "no"',
    "Ünïcødé 漢字",
    "e\u0301",
    "🙂",
    "{{ x }}",
    "{% if %}",
    "'); drop table x; --",
    "line\nbreak",
    "tab\tstop",
    "100%",
    ":name",
    "?",
    "0",
    "1.0",
)
BIGINTS = (0, 1, -1, 2**53 + 1, 2**62 - 1, 2**62, 2**62 + 1, -(2**62) - 1, 2**63 - 1, -(2**63))
INTS = (0, 1, 2, 3, -1, 2**31 - 1, -(2**31))
DOUBLES = (0.0, 0.1, -2.5, 1 / 3, 1e300, 5e-324, 123456789.125, 1e7)


def value_of(random: Random, column_type: str) -> Any:
    """One value of a type that is not NULL."""
    if column_type == "int":
        return random.choice(INTS) if random.random() < 0.5 else random.randint(0, 99)
    if column_type == "bigint":
        return random.choice(BIGINTS)
    if column_type == "string":
        if random.random() < 0.6:
            return random.choice(AWKWARD_STRINGS)
        return f"text {random.randint(0, 30)}"
    if column_type == "decimal(10,2)":
        return Decimal(random.choice((0, 1, 10, 999, -5, 9999999999))).scaleb(-2)
    if column_type == "decimal(38,10)":
        return Decimal(random.choice((0, 1, -1, 10**27 + 1, 5 * 10**9))).scaleb(-10)
    if column_type == "date":
        return date(2024, 2, 28) + timedelta(days=random.randint(0, 3))
    if column_type == "timestamp":
        base = datetime(2024, 12, 31, 23, 59, 59, tzinfo=timezone.utc)
        return base + timedelta(microseconds=random.choice((0, 1, 10, 500000, 999999, 1000000)))
    if column_type == "boolean":
        return random.random() < 0.5
    if column_type == "double":
        return random.choice(DOUBLES)
    raise ValueError(f"no values for a column of type {column_type}")


def value_or_null(random: Random, column_type: str) -> Any:
    """One value of a type, NULL now and then."""
    return None if random.random() < 0.15 else value_of(random, column_type)
