"""What became of the rows that came in: every one of them is in one of these numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.demo.lakehouse import RELATIONS, Lakehouse, queue_table
from replication_conflicts.lakehouse.queue_table import CHANGE
from replication_conflicts.publication.feed import IMAGE

LOG = f"{RELATIONS.published}.change_outcomes"
_REJECTED = f"{RELATIONS.published}.rejected_changes"
_WAITING = f"{RELATIONS.published}.waiting_changes"
# the log also has images and what a run wrote by itself, without an outcome, and decisions of
# people, which came in no feed and have no time of a change
IS_TAKEN = "outcome is not null and changed_at is not null"
TAKEN = f"{LOG} where {IS_TAKEN}"


@dataclass(frozen=True)
class Intake:
    """Numbers of feed rows; `transactions` and, of merge replication, `sessions` those of the
    changes taken, `rejected` by reason.

    Each is counted where it is, none as what is left of the others: a lost row is noticed.
    """

    delivered: int
    copies: int
    taken: int
    transactions: int
    sessions: int
    images: int
    waiting: int
    rejected: Mapping[str, int]

    @property
    def missing(self) -> int:
        """How many rows were delivered and are nowhere else; below 0: there are too many."""
        others = self.copies + self.taken + self.images + self.waiting
        return self.delivered - others - sum(self.rejected.values())


def read_intake(lakehouse: Lakehouse, publications: Sequence[NodePublication]) -> Intake:
    """Count what came in for publications, and what became of it."""
    reasons = lakehouse.rows(
        f"select reason, count(*) as number from {_REJECTED} group by reason order by reason"
    )
    return Intake(
        delivered=sum(
            lakehouse.count(
                f"select count(*) from {queue_table(one.name)} where entry = '{CHANGE}'"
            )
            for one in publications
        ),
        copies=lakehouse.count(_copies(publications)),
        taken=lakehouse.count(f"select count(*) from {TAKEN}"),
        transactions=_transactions(lakehouse, "queued"),
        sessions=_transactions(lakehouse, "merge"),
        images=lakehouse.count(f"select count(*) from {LOG} where operation = '{IMAGE}'"),
        waiting=lakehouse.count(_still_waiting()),
        rejected={str(row["reason"]): int(str(row["number"])) for row in reasons},
    )


def _transactions(lakehouse: Lakehouse, replication: str) -> int:
    return lakehouse.count(
        "select count(*) from (select distinct publication, transaction_id"
        f" from {TAKEN} and replication = '{replication}') as transactions"
    )


def _copies(publications: Sequence[NodePublication]) -> str:
    """Rows that say once more what another one says, as a run tells copies.

    Another content with a known id is none: it is rejected. What has no id goes by its place.
    """
    staged = " union all ".join(
        "select publication, change_id, content_hash,"
        " case when change_id is null then queue_position end as place"
        f" from {RELATIONS.published}.stg_{one.name}__{article}"
        for one in publications
        for article in one.articles
    )
    return (
        "select sum(times - 1) from (select count(*) as times"
        f" from ({staged}) as staged"
        " group by publication, change_id, content_hash, place) as contents"
    )


def _still_waiting() -> str:
    """What a run has seen incomplete, and none has taken or rejected since."""
    return (
        f"select count(*) from {_WAITING} as waiting"
        f" where not exists (select 1 from {LOG} as log"
        " where log.publication = waiting.publication"
        " and log.change_id = waiting.change_key"
        " and log.content_hash = waiting.content_hash)"
        f" and not exists (select 1 from {_REJECTED} as rejected"
        " where rejected.publication = waiting.publication"
        " and rejected.change_key = waiting.change_key"
        " and rejected.content_hash = waiting.content_hash)"
    )
