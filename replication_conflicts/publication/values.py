"""Values of article columns: Python values, and the canonical text in which rows travel as maps.

Canonical text of a value is what Spark's cast to string gives in a session whose time zone is UTC,
but for numbers of many decimal places, which have no exponent; binary is base64. NULL is None on
both sides.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Decimal, InvalidOperation

Value = int | float | Decimal | str | bool | bytes | date | datetime | None
Row = dict[str, Value]
Key = tuple[Value, ...]
# canonical text by column
Texts = Mapping[str, str | None]

_INTEGER_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_PLAIN_TYPES = (
    *_INTEGER_BITS,
    *("float", "double", "string", "boolean", "binary", "date", "timestamp", "timestamp_ntz"),
)
_TYPE = re.compile(r"^\s*([a-z_]+)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?\s*$")
_NESTED_TYPE = re.compile(r"^\s*(array|map|struct)\s*<")
_TIMESTAMP = re.compile(
    r"^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?)?"
    r"\s*(Z|[+-]\d{2}:?\d{2})?$"
)


class ValueProblem(ValueError):
    """A value that its column cannot hold, or a column type that is not known."""


@dataclass(frozen=True)
class ColumnType:
    """The type of a column, in Spark's words: `int`, `decimal(10,2)`, `timestamp`, ..."""

    name: str
    precision: int | None = None
    scale: int = 0

    @property
    def bits(self) -> int | None:
        """How many bits a whole number has, its sign included; None for any other type."""
        return _INTEGER_BITS.get(self.name)

    @property
    def ddl(self) -> str:
        """The type as Spark SQL writes it."""
        if self.name == "decimal":
            return f"decimal({self.precision},{self.scale})"
        if self.name in ("varchar", "char"):
            return f"{self.name}({self.precision})"
        return self.name

    def is_wider_than(self, other: ColumnType) -> bool:
        """Whether it has every value of another type, with the same canonical text.

        As the macro `is_wider` says it, which decides about the lakehouse's tables.
        """
        if {self.name, other.name} <= set(_INTEGER_BITS):
            return _INTEGER_BITS[self.name] > _INTEGER_BITS[other.name]
        if self.name == "string":
            return other.name == "varchar"
        is_longer = (self.precision or 0) > (other.precision or 0)
        is_alike = self.name == other.name and self.scale == other.scale
        return self.name in ("decimal", "varchar") and is_alike and is_longer

    def coerce(self, value: object) -> Value:
        """The value as this type holds it; errors: ValueProblem when it does not fit.

        Texts of dates, timestamps, numbers and binary (base64) are understood, so that values
        can come from a YAML file as well as from Python.
        """
        if value is None:
            return None
        try:
            return self._coerce(value)
        except (ValueError, ArithmeticError) as problem:
            raise ValueProblem(f"{value!r} is no {self.ddl}: {problem}") from problem

    def _coerce(self, value: object) -> Value:
        if self.name in _INTEGER_BITS:
            return _integer(value, _INTEGER_BITS[self.name])
        if self.name == "decimal":
            return _decimal(value, self.precision or 10, self.scale)
        if self.name in ("double", "float"):
            return _floating(value, single=self.name == "float")
        if self.name == "boolean":
            return _boolean(value)
        if self.name == "date":
            return _date(value)
        if self.name == "timestamp":
            return parse_timestamp(value)
        if self.name == "timestamp_ntz":
            return parse_timestamp(value).replace(tzinfo=None)
        if self.name == "binary":
            return value if isinstance(value, bytes) else base64.b64decode(str(value))
        if self.name == "char":
            # blanks at the end only fill it up
            return _text(_text(value, None).rstrip(" "), self.precision)
        return _text(value, self.precision)

    def to_text(self, value: Value) -> str | None:
        """Canonical text of a value that this type holds."""
        if value is None:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, datetime):
            return timestamp_text(value)
        if isinstance(value, bytes):
            return base64.b64encode(value).decode("ascii")
        if isinstance(value, float):
            return floating_text(value, single=self.name == "float")
        if isinstance(value, Decimal):
            return format(value, "f")
        return str(value)

    def from_text(self, text: str | None) -> Value:
        """The value of a canonical text; errors: ValueProblem."""
        return self.coerce(text)


def parse_type(text: str) -> ColumnType:
    """A column type from its name in Spark SQL; errors: ValueProblem when it is not known here."""
    if _NESTED_TYPE.match(text.lower()):
        raise ValueProblem(
            f"the lakehouse can have the column type {text!r}, a node's database cannot"
        )
    match = _TYPE.match(text.lower())
    if match is None:
        raise _unknown_type(text)
    name, precision, scale = match.groups()
    if name == "decimal":
        return ColumnType(name, int(precision or 10), int(scale or 0))
    if name in ("varchar", "char"):
        if precision is None:
            raise ValueProblem(f"column type {text!r} needs a length")
        return ColumnType(name, int(precision))
    if precision is not None or name not in _PLAIN_TYPES:
        raise _unknown_type(text)
    return ColumnType(name)


def _unknown_type(text: str) -> ValueProblem:
    known = ", ".join((*_PLAIN_TYPES, "varchar(n)", "char(n)", "decimal(p,s)"))
    return ValueProblem(f"column type {text!r} is not known, must be one of: {known}")


def parse_timestamp(value: object) -> datetime:
    """A moment in UTC, from ISO 8601 text (no offset means UTC), a datetime or a date."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=timezone.utc)).astimezone(
            timezone.utc
        )
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=timezone.utc)
    match = _TIMESTAMP.match(str(value).strip())
    if match is None:
        raise ValueProblem(f"{value!r} is no timestamp (ISO 8601)")
    day, clock, fraction, offset = match.groups()
    clock = clock or "00:00:00"
    clock = clock if clock.count(":") == 2 else f"{clock}:00"
    offset = "+00:00" if offset in (None, "Z") else offset
    offset = offset if ":" in offset else f"{offset[:3]}:{offset[3:]}"
    moment = datetime.fromisoformat(f"{day}T{clock}.{(fraction or '0')[:6]:0<6}{offset}")
    return moment.astimezone(timezone.utc)


def timestamp_text(moment: datetime) -> str:
    """A moment as Spark's cast to string writes it in UTC."""
    if moment.tzinfo is not None:
        moment = moment.astimezone(timezone.utc)
    # not strftime: it does not pad years before 1000
    text = f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d} {moment:%H:%M:%S}"
    fraction = f"{moment.microsecond:06d}".rstrip("0")
    return f"{text}.{fraction}" if fraction else text


def floating_text(value: float, single: bool = False) -> str:
    """A double (or float) as Java writes it: 1.0E10, not 1e+10."""
    if math.isnan(value):
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if str(value).startswith("-") else "0.0"
    shortest = _shortest_single(value) if single else repr(value)
    sign, digits, exponent = Decimal(shortest).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(str(digit) for digit in digits)
    point = len(text) + exponent
    minus = "-" if sign else ""
    if -3 < point <= 7:
        if point <= 0:
            return f"{minus}0.{'0' * -point}{text}"
        whole, rest = text[:point].ljust(point, "0"), text[point:]
        return f"{minus}{whole}.{rest or '0'}"
    return f"{minus}{text[0]}.{text[1:] or '0'}E{point - 1}"


def join_key_texts(texts: Iterable[str | None]) -> str:
    """The `row_key` of canonical texts: joined with '|', a backslash before '\\' and '|'."""
    return "|".join((text or "").replace("\\", "\\\\").replace("|", "\\|") for text in texts)


def split_key_text(text: str) -> tuple[str, ...]:
    """The canonical texts of a `row_key`."""
    parts, current, escaped = [], "", False
    for character in text:
        if not escaped and character == "\\":
            escaped = True
        elif not escaped and character == "|":
            parts.append(current)
            current = ""
        else:
            current += character
            escaped = False
    return (*parts, current)


def _integer(value: object, bits: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        raise ValueProblem("not a whole number")
    if isinstance(value, Decimal) and value != value.to_integral_value():
        raise ValueProblem("not a whole number")
    number = int(value)
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise ValueProblem(f"does not fit into {bits} bits")
    return number


def _decimal(value: object, precision: int, scale: int) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, str, float, Decimal)):
        raise ValueProblem("not a number")
    try:
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    except InvalidOperation:
        raise ValueProblem("not a number") from None
    if not number.is_finite():
        raise ValueProblem("not a number")
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    while exponent < -scale and digits[-1] == 0:
        digits, exponent = digits[:-1] or (0,), exponent + 1
    if exponent < -scale:
        raise ValueProblem(f"more than {scale} digits behind the point")
    # by hand: the decimal module's context would round beyond 28 digits
    digits = digits + (0,) * (exponent + scale)
    stripped = "".join(map(str, digits)).lstrip("0")
    if len(stripped) > precision:
        raise ValueProblem(f"more than {precision} digits")
    return Decimal((sign if stripped else 0, tuple(map(int, stripped or "0")), -scale))


def _floating(value: object, single: bool) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, str, float, Decimal)):
        raise ValueProblem("not a number")
    number = float(value)
    return struct.unpack("f", struct.pack("f", number))[0] if single else number


def _shortest_single(value: float) -> str:
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("f", float(text)) == struct.pack("f", value):
            return text
    return repr(value)


def _boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    raise ValueProblem("neither true nor false")


def _date(value: object) -> date:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else date.fromisoformat(str(value))


def _text(value: object, longest: int | None) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal, date)):
        raise ValueProblem("not a text")
    text = value.isoformat() if isinstance(value, date) else str(value)
    if longest is not None and len(text) > longest:
        raise ValueProblem(f"more than {longest} characters")
    return text
