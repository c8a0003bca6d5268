"""What was decided about the changes of a publication, and which decisions are conflicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.demo.intake import IS_TAKEN, LOG, TAKEN
from replication_conflicts.demo.lakehouse import Lakehouse


@dataclass(frozen=True)
class Outcome:
    """How many changes had an outcome, how many of them are conflicts, and of how many transactions
    they are: one with several outcomes counts with each.
    """

    name: str
    changes: int
    conflicts: int
    transactions: int


@dataclass(frozen=True)
class Decided:
    """A publication's outcomes, and those numbers that nobody expects.

    overwritten   conflicts of the publisher's own changes, which apply all the same
    replaced      rows that were replaced with their logical record, a conflict each
    fallen        deletes that were rejected with their transaction: no conflicts, as without data
    """

    outcomes: tuple[Outcome, ...]
    transactions: int
    overwritten: int
    replaced: int
    fallen: int


def read_decided(lakehouse: Lakehouse, publication: NodePublication) -> Decided:
    """Count what was decided about a publication's changes."""
    here = f"publication = '{publication.name}'"
    by_outcome = lakehouse.rows(
        "select outcome, count(*) as changes, count(conflict_id) as conflicts,"
        f" count(distinct transaction_id) as transactions from {TAKEN} and {here}"
        " group by outcome order by changes desc, outcome"
    )
    (over_all,) = lakehouse.rows(_over_all(here, publication.options.publisher))
    return Decided(
        outcomes=tuple(
            Outcome(
                str(row["outcome"]),
                _number(row, "changes"),
                _number(row, "conflicts"),
                _number(row, "transactions"),
            )
            for row in by_outcome
        ),
        transactions=_number(over_all, "transactions"),
        overwritten=_number(over_all, "overwritten"),
        replaced=_number(over_all, "replaced"),
        fallen=_number(over_all, "fallen"),
    )


def _over_all(here: str, publisher: str) -> str:
    """The numbers that go across outcomes, in one row."""
    is_overwritten = (
        f"{IS_TAKEN} and node = '{publisher}' and outcome = 'applied' and conflict_id is not null"
    )
    is_replaced = "outcome is null and conflict_id is not null"
    is_fallen = (
        f"{IS_TAKEN} and outcome = 'rejected' and operation = 'delete' and conflict_id is null"
    )
    return (
        f"select count(distinct transaction_id) filter (where {IS_TAKEN}) as transactions,"
        f" count(*) filter (where {is_overwritten}) as overwritten,"
        f" count(*) filter (where {is_replaced}) as replaced,"
        f" count(*) filter (where {is_fallen}) as fallen"
        f" from {LOG} where {here}"
    )


def _number(row: Mapping[str, object], name: str) -> int:
    return int(str(row[name]))
