"""What was decided about the changes of a publication, and which decisions are conflicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.demo.intake import LOG, TAKEN
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
    taken = f"{TAKEN} and {here}"
    publisher = publication.options.publisher
    rows = lakehouse.rows(
        "select outcome, count(*) as changes, count(conflict_id) as conflicts,"
        f" count(distinct transaction_id) as transactions from {taken}"
        " group by outcome order by changes desc, outcome"
    )
    return Decided(
        outcomes=tuple(
            Outcome(
                str(row["outcome"]),
                _number(row, "changes"),
                _number(row, "conflicts"),
                _number(row, "transactions"),
            )
            for row in rows
        ),
        transactions=lakehouse.count(f"select count(distinct transaction_id) from {taken}"),
        overwritten=lakehouse.count(
            f"select count(*) from {taken} and node = '{publisher}' and outcome = 'applied'"
            " and conflict_id is not null"
        ),
        replaced=lakehouse.count(
            f"select count(*) from {LOG}"
            f" where {here} and outcome is null and conflict_id is not null"
        ),
        fallen=lakehouse.count(
            f"select count(*) from {taken} and outcome = 'rejected' and operation = 'delete'"
            " and conflict_id is null"
        ),
    )


def _number(row: Mapping[str, object], name: str) -> int:
    return int(str(row[name]))
