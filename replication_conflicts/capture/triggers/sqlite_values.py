"""What SQLite would keep in any column, and an article cannot hold: refused where it is written.

A change that the feed could not carry would otherwise stop the upload, long after it was made.
"""

from __future__ import annotations

from replication_conflicts.database.articles import NodeArticle
from replication_conflicts.database.images import literal, quoted
from replication_conflicts.publication.values import ColumnType

_DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
_FIRST_DAY = "0001-01-01"
# what is larger has no float beside it; what is larger than any double is infinite
_LARGEST_FLOAT = "3.4028235677973366e38"
_LARGEST_DOUBLE = "1.7976931348623157e308"
# a floating point number has 15 digits and more; calculating with such numbers takes some of them
_BINARY_FRACTION = "1e-12"


def refused_values(article: NodeArticle, event: str) -> list[str]:
    """One statement a column: it ends the writing statement where the value does not fit.

    An update may leave a value as it is: the agent may have brought it, or it was there before.
    """
    return [
        f"select raise(abort, {literal('replication: ' + said)}) where"
        f" {_is_written(name, event)} and ({is_refused(article, name, 'new')})"
        for name, said in held_values(article).items()
    ]


def held_values(article: NodeArticle) -> dict[str, str]:
    """What each column holds, in words."""
    return {
        name: f"{article.name}.{name} holds {kind.ddl} only{_key_form(article, name)}"
        for name, kind in article.kinds.items()
    }


def is_refused(article: NodeArticle, column: str, alias: str) -> str:
    """Whether a row's value is one that the article cannot hold."""
    kind, value = article.kinds[column], f"{alias}.{quoted(column)}"
    if column not in article.shape.primary_key:
        return _is_bad(kind, value)
    # a key of SQLite takes NULL; the one that numbers the rows is -1 before an insert
    conditions = [_is_bad(kind, value), f"{value} is null"]
    if kind.name in _OTHER_FORMS:
        conditions.append(f"not {value} is null and ({_OTHER_FORMS[kind.name](kind, value)})")
    return " or ".join(f"({one})" for one in conditions)


def _is_written(column: str, event: str) -> str:
    name = quoted(column)
    return f"old.{name} is not new.{name} collate binary" if event == "update" else "true"


def _key_form(article: NodeArticle, column: str) -> str:
    """Commands name a row by its key as the feed writes it."""
    kind = article.kinds[column]
    if column not in article.shape.primary_key or kind.name not in _OTHER_FORMS:
        return ""
    if kind.name == "char":
        return ", and as a key without blanks at its end"
    if kind.name == "decimal":
        return f", and as a key with {kind.scale} digits behind the point"
    return ", and as a key in the form 2024-01-31 09:30:00.5"


def _is_bad(kind: ColumnType, value: str) -> str:
    kept = f"typeof({value})"
    if kind.bits is not None:
        largest = 2 ** (kind.bits - 1) - 1
        # -9223372036854775808 as a literal would be a real number
        smallest = f"(-{largest} - 1)"
        return f"{kept} not in ('integer', 'null') or {value} not between {smallest} and {largest}"
    if kind.name == "decimal":
        return _is_bad_decimal(kind, value)
    if kind.name in ("float", "double"):
        # SQLite has no such number: the agent brings the word
        bad_number = f"{kept} not in ('integer', 'real', 'null') and {value} is not 'NaN'"
        too_large = f"abs({value}) between {_LARGEST_FLOAT} and {_LARGEST_DOUBLE}"
        return f"({bad_number}) or {too_large}" if kind.name == "float" else bad_number
    if kind.name == "boolean":
        return f"{kept} not in ('integer', 'null') or {value} not in (0, 1)"
    if kind.name == "date":
        return f"{_is_no_day(value)} or {value} < '{_FIRST_DAY}'"
    if kind.name in ("timestamp", "timestamp_ntz"):
        return f"{kept} <> 'null' and ({_is_bad_timestamp(value)})"
    if kind.name == "binary":
        return f"{kept} not in ('blob', 'null')"
    # PostgreSQL takes no character zero
    bad_text = f"{kept} = 'blob' or instr({value}, char(0)) > 0 or {_is_broken(value)}"
    return f"{bad_text} or length({value}) > {kind.precision}" if kind.precision else bad_text


def _is_bad_decimal(kind: ColumnType, value: str) -> str:
    kept = f"typeof({value})"
    places = (kind.precision or 10) - kind.scale
    # a text keeps every digit, so that its digits are counted; of a number the upload rounds away
    # what binary fractions are beside decimal ones, as in 0.1 + 0.2
    point = f"instr({value} || '.', '.')"
    whole = f"ltrim(substr({value}, 1, {point} - 1), '+-0')"
    fraction = f"rtrim(substr({value}, {point} + 1), '0')"
    return (
        f"{kept} = 'blob'"
        f" or {kept} <> 'text' and (abs(round({value}, {kind.scale})) >= 1e{places}"
        f" or abs({value} - round({value}, {kind.scale})) > abs({value}) * {_BINARY_FRACTION})"
        f" or {kept} = 'text' and ({value} not glob '*[0-9]*' or {value} glob '*.*.*'"
        f" or {value} glob '?*[-+]*' or trim({value}, '+-.0123456789') <> ''"
        f" or length({whole}) > {places} or length({fraction}) > {kind.scale})"
    )


def _is_bad_timestamp(value: str) -> str:
    """What SQLite takes for a moment, and others do not.

    February 30, the hour 24, year 0 (also by its offset from UTC), a small `z`, two separators.
    """
    day = f"substr({value}, 1, 10)"
    # datetime() rounds: what is left of the last second of all would be year 10000
    whole = (
        f"case when substr({value}, 20) glob '.[0-9]*' then substr({value}, 1, 19)"
        f" || '.0' || ltrim(substr({value}, 21), '0123456789') else {value} end"
    )
    return (
        f"typeof({value}) <> 'text' or instr({value}, char(0)) > 0"
        f" or coalesce(datetime({whole}), '') < '{_FIRST_DAY}' or {day} < '{_FIRST_DAY}'"
        f" or {_is_no_day(day)}"
        f" or {value} not glob '{_DAY}' and {value} not glob '{_DAY}[ T][0-9][0-9]:*'"
        f" or substr({value}, 12, 2) >= '24' or {value} glob '*z*'"
        f" or {value} glob '*.{'[0-9]' * 10}*'"
    )


def _is_other_timestamp(_: ColumnType, value: str) -> str:
    """Whether a moment is written in another form than the canonical one."""
    second = f"{_DAY} [0-9][0-9]:[0-9][0-9]:[0-9][0-9]"
    fraction = f"substr({value}, 21)"
    return (
        f"{value} not glob '{second}' and ({value} not glob '{second}.[0-9]*'"
        f" or {fraction} glob '*[^0-9]*' or {fraction} glob '*0' or length({fraction}) > 6)"
    )


def _is_other_decimal(kind: ColumnType, value: str) -> str:
    """The same of a decimal, of which a number may have more digits than the upload keeps."""
    digits = f"ltrim({value}, '-')"
    has_no_form = (
        f"{value} not glob '*.{'[0-9]' * kind.scale}'" if kind.scale else f"{value} glob '*.*'"
    )
    return (
        f"typeof({value}) <> 'text' and round({value}, {kind.scale}) <> {value}"
        f" or typeof({value}) = 'text' and ({has_no_form} or {value} glob '+*'"
        f" or {digits} glob '0[0-9]*' or {digits} glob '.*'"
        f" or {value} glob '-*' and {value} not glob '*[1-9]*')"
    )


def _is_other_char(_: ColumnType, value: str) -> str:
    """The same of a text with blanks at its end, which fill it up and are not uploaded."""
    return f"{value} glob '* '"


_OTHER_FORMS = {
    "char": _is_other_char,
    "decimal": _is_other_decimal,
    "timestamp": _is_other_timestamp,
    "timestamp_ntz": _is_other_timestamp,
}


def _is_no_day(value: str) -> str:
    # only a day that is counted with is looked up in the calendar
    return f"{value} is not date({value}, '+0 days')"


def _is_broken(value: str) -> str:
    """Whether a text is not UTF-8: SQLite keeps whatever bytes it is given.

    The text is read character by character; most texts are of plain letters, and are not read.
    """

    def piece(at: str) -> str:
        return f"hex(substr(cast({value} as blob), {at}, 4))"

    # of the next four bytes, how many the character has; NULL where they begin none
    size = (
        "case when piece < '80' then 1"
        " when piece >= 'C2' and piece < 'E0' and piece glob '??[89AB]*' then 2"
        " when piece >= 'E0A0' and piece < 'F0' and piece glob '??[89AB]?[89AB]*'"
        " and not (piece >= 'EDA0' and piece < 'EE') then 3"
        " when piece >= 'F090' and piece < 'F490' and piece glob '??[89AB]?[89AB]?[89AB]*' then 4"
        " end"
    )
    return (
        f"typeof({value}) = 'text' and {value} glob '*[^ -~]*' and exists ("
        f"with recursive step (at, piece) as (select 1, {piece('1')} union all"
        f" select at + {size}, {piece(f'at + {size}')} from step"
        " where piece <> '') select 1 from step where at is null)"
    )
