"""What SQLite and PostgreSQL say differently in the triggers of merge replication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """What databases say differently."""

    dialect: str
    # whether a trigger gives a row its version before it is written; otherwise it is updated
    # afterwards, when the number is known
    stamps_first: bool
    # {table} and {condition}: takes the next version number if there is such a row
    take_number: str
    # the number that was taken, in an update of such a row
    number: str
    # in a query over rows: each row's number, and a statement after it
    row_number: str
    rows_numbered: str
    now: str
    # {}: the other value
    is_same: str
    is_other: str
    # {}: a value as it is told from all others, by the name of its type
    exact: Mapping[str, str]
    # {a} and {b}: two JSON objects as text, of which the second wins
    merged: str
    # {name} and {value}: a JSON object with one entry, as text
    entry: str
    # {lineage}: a source of rows, one an entry; the number of such an entry; and a lineage again,
    # of rows with `node` and `number`
    entries: str
    entry_number: str
    lineage: str
