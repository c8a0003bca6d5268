"""Queued updating: how one transaction is decided.

The rows of the publisher are a dictionary per article, from key to what is held; a key that is not
in it was never held, a `Held` without row is a tombstone.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.python.sequential_reader.constraints import failed_changes
from tests.python.sequential_reader.contract import Transaction
from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.records import Change, Held, Key, Party

Rows = dict[str, dict[Key, Held]]

UPDATE_CONFLICT = 1
UPDATE_DELETE_WINS = 3
UPDATE_WINS_DELETE = 4
FAILED_TYPES = {"insert": 5, "delete": 7, "update": 9}


@dataclass(frozen=True)
class Verdict:
    """What becomes of one change of a transaction."""

    change: Change
    held: Held | None
    """What was held when the change was looked at, as if the changes before it in its transaction
    had applied; None = the row was never held."""
    is_clean: bool
    outcome: str
    before: Held | None
    """What the publisher holds before the decision about this change."""
    after: Held | None
    """What the publisher holds after it."""
    kind: str | None = None
    type: int | None = None
    reason_code: int | None = None
    loser: Party | None = None
    winner: Party | None = None
    lost: Held | None = None
    """The losing row; None when a delete lost, or nothing did."""
    has_conflict_row: bool = False


@dataclass(frozen=True)
class Look:
    """One change beside what it met."""

    change: Change
    held: Held | None
    after: Held
    """The row if the change applies."""
    is_clean: bool
    is_already_deleted: bool
    kind: str | None


def look(change: Change, held: Held | None) -> Look:
    """Compare a change with what is held.

    A change is clean when its old version equals the held version; an insert when no row is held.
    Otherwise it is a conflict: `update_update` (row held, another version), `insert_insert` (row
    held), `update_delete` (update, no row held), `delete_update` (delete, another version held).  A
    delete of a row that is already gone is no conflict.
    """
    held_version = held.version if held else None
    is_gone = held is None or held.row is None
    is_delete = change.operation == "delete"
    if change.operation == "insert":
        is_clean = is_gone
        kind = None if is_clean else "insert_insert"
    elif is_gone:
        is_clean = False
        kind = None if is_delete else "update_delete"
    else:
        is_clean = change.old_version == held_version
        conflict = "delete_update" if is_delete else "update_update"
        kind = None if is_clean else conflict
    assert change.node is not None
    after = Held(
        row=None if is_delete else change.row,
        version=None if is_delete else change.new_version,
        node=change.node,
        change_id=change.change_id,
        position=change.position,
        changed_at=change.changed_at,
    )
    if is_delete and is_gone:
        # the tombstone, if there is one, stays who made it
        after = held or after
    return Look(change, held, after, is_clean, is_delete and is_gone, kind)


def look_at_all(rows: Rows, changes: list[Change]) -> list[Look]:
    """Look at the changes of a transaction in order, each as if those before it had applied."""
    overlay: dict[tuple[str, Key], Held] = {}
    looks = []
    for change in changes:
        place = (change.article, change.key)
        looked = look(change, overlay.get(place, rows[change.article].get(change.key)))
        if not looked.is_already_deleted:
            overlay[place] = looked.after
        looks.append(looked)
    return looks


def decide(
    publication: Publication,
    rows: Rows,
    transaction: Transaction,
    is_waiting: bool,
    judges_constraints: bool = True,
) -> list[Verdict]:
    """Decide one transaction, and write what applies into `rows`.

    `is_waiting`: the subscription waits for its reinitialization; whatever it sends is rejected.
    """
    changes = transaction.changes
    looks = look_at_all(rows, changes)
    if changes[0].node == publication.publisher:
        verdicts = [_publishers_own(publication, looked) for looked in looks]
    elif is_waiting:
        verdicts = [_condemned_waiting(publication, rows, looked) for looked in looks]
    else:
        has_conflict = any(looked.kind for looked in looks)
        carries = publication.policy == "subscriber_wins"
        failed: dict[int, int] = {}
        if judges_constraints and (carries or not has_conflict):
            # only what the rules above would apply can fail
            applied = [not looked.is_already_deleted for looked in looks]
            befores = [looked.held.row if looked.held else None for looked in looks]
            failed = failed_changes(publication, rows, changes, applied, befores)
        if failed or (has_conflict and not carries):
            verdicts = _rejected(publication, rows, looks, failed)
        else:
            verdicts = [_accepted(publication, looked) for looked in looks]
    for verdict in verdicts:
        if verdict.after is not None:
            rows[verdict.change.article][verdict.change.key] = verdict.after
    return verdicts


def _publishers_own(publication: Publication, looked: Look) -> Verdict:
    """A change made at the publisher always applies, in its place, whatever its old version.

    If it did not know the held version, what it overwrites is logged as the loser of a conflict;
    its own outcome is `applied` all the same.  An update of a row that was never held overwrites
    nothing.
    """
    return _overwriting(publication, looked, outcome="applied", logs_never_held=False)


def _accepted(publication: Publication, looked: Look) -> Verdict:
    """A change of an accepted transaction applies: `won` if it was in conflict."""
    outcome = "won" if looked.kind else "applied"
    return _overwriting(publication, looked, outcome=outcome, logs_never_held=True)


def _overwriting(
    publication: Publication, looked: Look, outcome: str, logs_never_held: bool
) -> Verdict:
    """The change applies; what was held, and unknown to it, is the loser.

    An update over a deleted row: the delete lost, which has no data.  A delete over an updated row:
    the update lost.
    """
    if looked.is_already_deleted:
        return Verdict(
            looked.change,
            looked.held,
            looked.is_clean,
            "already_deleted",
            before=looked.held,
            after=looked.held,
        )
    kind = looked.kind
    if kind == "update_delete" and looked.held is None and not logs_never_held:
        kind = None
    if kind is None:
        return Verdict(
            looked.change, looked.held, looked.is_clean, outcome, looked.held, looked.after
        )
    if kind == "update_delete":
        conflict_type = UPDATE_WINS_DELETE
    elif kind == "delete_update":
        conflict_type = UPDATE_DELETE_WINS
    else:
        conflict_type = UPDATE_CONFLICT
    is_row_lost = looked.held is not None and looked.held.row is not None
    return Verdict(
        looked.change,
        looked.held,
        looked.is_clean,
        outcome,
        before=looked.held,
        after=looked.after,
        kind=kind,
        type=conflict_type,
        reason_code=conflict_type,
        loser=_made_by(publication, looked.held),
        winner=Party(looked.after.node, looked.change.change_id),
        lost=looked.held if is_row_lost else None,
        has_conflict_row=True,
    )


def _rejected(
    publication: Publication, rows: Rows, looks: list[Look], failed: dict[int, int]
) -> list[Verdict]:
    """One change in conflict, or one that fails, condemns the whole transaction: nothing applies.

    Every insert and update has a conflict row.  The winner is the node of the change that made the
    winning version, never another change of the transaction; one that did not conflict itself is
    `condemned`, and has the winner of the first conflict of its transaction.  Failed changes lose
    against the publisher, and so does what is condemned with them.  Deletes have a record only if
    they conflicted or failed themselves.
    """
    publisher = Party(publication.publisher, None)
    first_winner = publisher
    if not failed:
        first = next(looked for looked in looks if looked.kind)
        first_winner = _made_by(publication, _held_of(rows, first.change))
    verdicts = []
    for number, looked in enumerate(looks):
        change = looked.change
        before = _held_of(rows, change)
        is_delete = change.operation == "delete"
        outcome = "rejected"
        has_conflict_row = True
        if number in failed:
            outcome = "failed"
            kind = f"failed_{change.operation}"
            conflict_type = FAILED_TYPES[str(change.operation)]
            reason_code = failed[number]
            winner = publisher
        elif looked.kind:
            kind = looked.kind
            conflict_type = {
                "update_delete": UPDATE_DELETE_WINS,
                "delete_update": UPDATE_WINS_DELETE,
            }.get(kind, UPDATE_CONFLICT)
            reason_code = conflict_type
            winner = _made_by(publication, before)
        else:
            kind, conflict_type, reason_code = "condemned", UPDATE_CONFLICT, UPDATE_CONFLICT
            winner = first_winner
            has_conflict_row = not is_delete
        if not has_conflict_row:
            verdicts.append(_without_record(looked, before))
            continue
        verdicts.append(
            Verdict(
                change,
                looked.held,
                looked.is_clean,
                outcome,
                before=before,
                after=before,
                kind=kind,
                type=conflict_type,
                reason_code=reason_code,
                loser=Party(str(change.node), change.change_id),
                winner=winner,
                lost=None if is_delete else looked.after,
                has_conflict_row=True,
            )
        )
    return verdicts


def _condemned_waiting(publication: Publication, rows: Rows, looked: Look) -> Verdict:
    """While a subscription waits for its reinitialization, all its changes are condemned.

    The winner is the publisher; deletes leave no conflict row.
    """
    change = looked.change
    before = _held_of(rows, change)
    if change.operation == "delete":
        return _without_record(looked, before)
    return Verdict(
        change,
        looked.held,
        looked.is_clean,
        "rejected",
        before=before,
        after=before,
        kind="condemned",
        type=UPDATE_CONFLICT,
        reason_code=UPDATE_CONFLICT,
        loser=Party(str(change.node), change.change_id),
        winner=Party(publication.publisher, None),
        lost=looked.after,
        has_conflict_row=True,
    )


def _without_record(looked: Look, before: Held | None) -> Verdict:
    """A delete that is rejected with others: it has no data, and no conflict of its own."""
    return Verdict(looked.change, looked.held, looked.is_clean, "rejected", before, before)


def _held_of(rows: Rows, change: Change) -> Held | None:
    """What the publisher holds of a change's row; None = it was never held."""
    return rows[change.article].get(change.key)


def _made_by(publication: Publication, held: Held | None) -> Party:
    """Who made what is held; rows that were there at the start, or never: the publisher."""
    if held is None:
        return Party(publication.publisher, None)
    return Party(held.node, held.change_id)
