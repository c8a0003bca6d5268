"""Canonical texts of values, and what a column can hold."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication_conflicts.publication.values import (
    Value,
    ValueProblem,
    join_key_texts,
    parse_timestamp,
    parse_type,
    split_key_text,
)
from tests.python.wider_types import OTHER, WIDER


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("int", 7, "7"),
        ("bigint", -(2**62), "-4611686018427387904"),
        ("decimal(10,2)", Decimal("1"), "1.00"),
        ("decimal(38,0)", Decimal(10**37), "1" + "0" * 37),
        ("decimal(38,10)", Decimal("-1234567890123456789012345678.0000000001"), None),
        ("boolean", True, "true"),
        ("string", "it's | \\ 'ü'", "it's | \\ 'ü'"),
        ("varchar(3)", "ab ", "ab "),
        ("char(3)", "ab  ", "ab"),
        ("date", date(2026, 1, 2), "2026-01-02"),
        ("timestamp", "2026-01-01T00:00:01.500Z", "2026-01-01 00:00:01.5"),
        ("timestamp", "2026-01-01T02:00:00+02:00", "2026-01-01 00:00:00"),
        ("timestamp", datetime(1, 1, 1, tzinfo=timezone.utc), "0001-01-01 00:00:00"),
        ("timestamp_ntz", "2026-01-01 10:11:12", "2026-01-01 10:11:12"),
        ("binary", b"\x00\xff", "AP8="),
        ("double", 0.1, "0.1"),
        ("double", 1e7, "1.0E7"),
        ("double", 1234567.0, "1234567.0"),
        ("double", 0.001, "0.001"),
        ("double", 0.0001, "1.0E-4"),
        ("double", -1.5e-10, "-1.5E-10"),
        ("double", float("inf"), "Infinity"),
        ("float", 0.1, "0.1"),
    ],
)
def test_canonical_text(kind: str, value: object, text: str | None) -> None:
    column = parse_type(kind)
    typed = column.coerce(value)
    written = column.to_text(typed)
    assert text is None or written == text
    assert column.from_text(written) == typed


def test_null_has_no_text() -> None:
    assert parse_type("int").to_text(None) is None
    assert parse_type("int").from_text(None) is None


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("tinyint", 128),
        ("int", 2**31),
        ("int", True),
        ("int", "seven"),
        ("int", Decimal("1.5")),
        ("decimal(10,2)", "1.005"),
        ("decimal(4,2)", 100),
        ("decimal(4,2)", "NaN"),
        ("boolean", "yes"),
        ("timestamp", "yesterday"),
        ("date", "2026-13-01"),
        ("string", True),
        ("varchar(3)", "four"),
        ("char(3)", "four"),
        ("varchar(2)", 100),
    ],
)
def test_what_a_column_cannot_hold(kind: str, value: object) -> None:
    with pytest.raises(ValueProblem):
        parse_type(kind).coerce(value)


@pytest.mark.parametrize("kind", ["varchar", "array<int>"])
def test_types_that_articles_cannot_have_as_they_are(kind: str) -> None:
    with pytest.raises(ValueProblem):
        parse_type(kind)


# some of them are Spark's other words for types; the macro `is_column_type` takes none of these
OTHER_WORDS = ("byte", "short", "integer", "long", "real", "dec", "numeric(5,2)", "timestamp_ltz")


@pytest.mark.parametrize("kind", ["text", "decimal(10", "int(5)", "variant", *OTHER_WORDS])
def test_unknown_types(kind: str) -> None:
    with pytest.raises(ValueProblem, match=r"must be one of: tinyint, .*, decimal\(p,s\)$"):
        parse_type(kind)


@given(st.lists(st.text(), min_size=1))
def test_key_texts_can_be_taken_apart(texts: list[str]) -> None:
    assert list(split_key_text(join_key_texts(texts))) == texts


def values_with_types() -> st.SearchStrategy[tuple[str, Value]]:
    """Pairs of a column type and a value that it holds."""
    moments = st.datetimes(timezones=st.just(timezone.utc))
    return st.one_of(
        st.tuples(st.just("bigint"), st.integers(-(2**63), 2**63 - 1)),
        st.tuples(
            st.just("decimal(12,3)"),
            st.decimals(-(10**9) + 1, 10**9 - 1, places=3, allow_nan=False, allow_infinity=False),
        ),
        st.tuples(st.just("string"), st.text()),
        st.tuples(st.just("binary"), st.binary()),
        st.tuples(st.just("timestamp"), moments),
        st.tuples(st.just("date"), st.dates()),
        st.tuples(st.just("double"), st.floats(allow_nan=False)),
        st.tuples(st.just("float"), st.floats(width=32, allow_nan=False)),
        st.tuples(st.just("boolean"), st.booleans()),
    )


@given(values_with_types())
def test_text_and_back(pair: tuple[str, Value]) -> None:
    kind, value = pair
    column = parse_type(kind)
    assert column.from_text(column.to_text(column.coerce(value))) == value


def test_timestamps_of_the_same_moment_are_equal() -> None:
    zone = timezone(timedelta(hours=5, minutes=30))
    moment = datetime(2026, 1, 1, 5, 30, tzinfo=zone)
    assert parse_timestamp(moment) == parse_timestamp("2026-01-01T00:00Z")
    assert parse_timestamp(date(2026, 1, 1)) == parse_timestamp("2026-01-01")


def test_which_types_are_wider() -> None:
    pairs = [*WIDER, *OTHER]
    assert [(a, b) for a, b in pairs if parse_type(b).is_wider_than(parse_type(a))] == WIDER
    assert not any(parse_type(a).is_wider_than(parse_type(a)) for pair in pairs for a in pair)
