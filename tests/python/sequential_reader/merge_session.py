"""Merge replication: how one synchronization session is decided."""

from __future__ import annotations

from collections.abc import Mapping

from tests.python.sequential_reader.constraints import Made, failure_at_the_end
from tests.python.sequential_reader.contract import IMAGE, Transaction
from tests.python.sequential_reader.logical_records import groups_of
from tests.python.sequential_reader.merge import Decision, decide, failed
from tests.python.sequential_reader.merge_records import RecordDecision
from tests.python.sequential_reader.merge_result import Session, own_failure
from tests.python.sequential_reader.merge_state import MergeHeld, MergeRows, Scribe
from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.records import Change, Key


def decide_session(
    publication: Publication, rows: MergeRows, transaction: Transaction, judges: bool = True
) -> Session:
    """Decide the changes of one session in order, and write what applies into `rows`.

    Unique and foreign keys are judged at the end; after each failure the session is decided again
    without the failed changes.  The publisher's own changes never fail; `judges` False: none does.
    """
    scribe = Scribe(publication, transaction.known_from, transaction.position)
    failures: dict[str, int] = {}
    numbers = {str(c.change_id): number for number, c in enumerate(transaction.changes)}
    is_judged = judges and transaction.changes[0].node != publication.publisher
    while True:
        session = _attempt(scribe, rows, transaction, failures, is_judged)
        if not is_judged:
            break
        made = [
            Made(numbers[str(one.change.change_id)], one.article, one.key, one.after.row)
            for one in session.written
        ]
        failure = failure_at_the_end(publication, rows, made)
        if failure is None:
            break
        failures[str(transaction.changes[failure[0]].change_id)] = failure[1]
    for (article, key), held in session.rows.items():
        rows[article][key] = held
    return session


def _attempt(
    scribe: Scribe,
    rows: MergeRows,
    transaction: Transaction,
    failures: dict[str, int],
    is_judged: bool,
) -> Session:
    """Decide all changes in order, those of a logical record together; those that are known to fail
    do not apply.
    """
    session = Session()

    def held(article: str) -> Mapping[Key, MergeHeld]:
        ahead = {key: one for (name, key), one in session.rows.items() if name == article}
        return {**rows[article], **ahead} if ahead else rows[article]

    groups, found = groups_of(scribe.publication, transaction.changes, held)
    for number, change in enumerate(transaction.changes):
        group = found.get(number)
        if group is None and change.operation != IMAGE:
            codes = failures if is_judged else None
            session.add(_alone(scribe, change, held(change.article).get(change.key), codes))
        elif group in groups and group is not None:
            groups.remove(group)
            if group.changes:
                record = RecordDecision(scribe, group, held, is_judged, transaction.rejected)
                session.extend(record.decide(failures))
    return session


def _alone(
    scribe: Scribe, change: Change, held: MergeHeld | None, failures: Mapping[str, int] | None
) -> Decision:
    """A change of a row that belongs to no record; `failures` None: nothing fails."""
    decision = decide(scribe, change, held)
    if failures is None or not decision.is_written:
        return decision
    code = failures.get(str(change.change_id)) or own_failure(scribe.publication, decision)
    return decision if code is None else failed(scribe, change, held, decision.comparison, code)
