"""What acts on published rows beside changes: refused commands that are undone, and decisions of
people about conflicts.  What they write are versions of the run's own.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tests.python.sequential_reader.commands import (
    COMPENSATING,
    Draft,
    in_partition,
)
from tests.python.sequential_reader.logical_records import (
    taken_numbers,
)
from tests.python.sequential_reader.merge import Loss
from tests.python.sequential_reader.merge_result import Session
from tests.python.sequential_reader.merge_state import (
    MergeHeld,
    MergeRows,
    Scribe,
    Writer,
    held_by,
    union,
)
from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.records import (
    ApplyError,
    Change,
    Command,
    Conflict,
    ConflictDecision,
    Held,
    Key,
    Party,
    Row,
)
from tests.python.sequential_reader.reinitialization import Place

REFUSED_TYPES = {"insert": 6, "delete": 8, "update": 10}


@dataclass
class PendingInterventions:
    """Reports and decisions that have not acted yet, with their places in the queue."""

    pending: list[tuple[Place, ApplyError | ConflictDecision]] = field(default_factory=list)
    reported: set[tuple[str, str]] = field(default_factory=set)
    last_report: int = 0
    """The largest place of a report."""
    behind: Counter[int] = field(default_factory=Counter)
    """How many act behind a place: decisions, and changes of sessions that the queue had passed."""

    def receive(
        self,
        errors: Iterable[ApplyError],
        decisions: Iterable[ConflictDecision],
        last_place: int,
    ) -> None:
        """Reports may be delivered twice; a decision acts behind the place that it names, but not
        before the last one taken, or behind that one. There they act in the order of the places
        that they name.
        """
        for error in errors:
            if (error.subscriber, error.command_id) in self.reported:
                continue
            self.reported.add((error.subscriber, error.command_id))
            self.last_report = max(self.last_report, error.position)
            self.pending.append(((error.position, 0), error))
        for decision in sorted(
            decisions, key=lambda one: (one.position is None, one.position or 0)
        ):
            place = max(last_place, decision.position or 0)
            self.behind[place] += 1
            self.pending.append(((place, 1), decision))

    def due(self, until: Place) -> list[tuple[int, ApplyError | ConflictDecision]]:
        """What acts before a place, in order; it is no longer pending then."""
        ready = sorted((one for one in self.pending if one[0] < until), key=lambda one: one[0])
        self.pending = [one for one in self.pending if one[0] >= until]
        return [(place[0], one) for place, one in ready]


@dataclass
class Intervention:
    """What was written, the conflicts that were recorded, and commands beside those for all."""

    session: Session = field(default_factory=Session)
    drafts: list[Draft] = field(default_factory=list)


def undo_refused(
    publication: Publication, rows: MergeRows, command: Command, error: ApplyError
) -> Intervention:
    """A command that a subscriber could not apply: a failed change that the publisher loses.

    With `compensate_for_errors` the publisher's row becomes the subscriber's, if it still is what
    the command was to leave; if not, it gets what is there.  Without, it is recorded.
    """
    assert command.article is not None
    assert command.key is not None
    intervention = Intervention()
    loser = command.carried or Party(publication.publisher, None)
    # what is undone is no change of anybody's
    change = replace(
        _stand_in(command.article, command.key, error.position, error.operation),
        node=publication.publisher,
    )
    loss = Loss(
        kind=f"failed_{command.operation}",
        type=REFUSED_TYPES[str(command.operation)],
        loser=loser,
        winner=Party(publication.publisher, None),
        lost=command.row,
        losing_version=f"{error.subscriber}/{error.command_id}",
        reason_code=error.error_code,
    )
    held = rows[command.article].get(command.key)
    after = held
    if publication.is_merge and publication.articles[command.article].compensate_for_errors:
        now = held.settled_version if held else None
        if now == command.left_version:
            after = _write(intervention, publication, rows, change, held, error.row, error.position)
            if error.row is None:
                # no command can tell it to who refused the row, and holds none
                after = replace(after, known_as=(_known_to(error.subscriber, after.writer),))
                rows[command.article][command.key] = after
        before = Held(
            row=error.row,
            version=command.old_version,
            node=error.subscriber,
            change_id=None,
        )
        cut = in_partition(publication, error.subscriber, command.article, after)
        intervention.drafts.append(
            Draft(COMPENSATING, change, error.subscriber, before, cut, held=after)
        )
    intervention.session.lose(change, loss, after)
    return intervention


def decide_conflict(
    publication: Publication,
    rows: MergeRows,
    conflict: Conflict,
    decision: ConflictDecision,
    place: int,
) -> Intervention | None:
    """A person's decision about a conflict; None: it is stale, and nothing is done.

    It acts behind `place`.  A winner that is a delete cannot be edited.  Conflicts of queued
    updating can only be removed.
    """
    held = rows[conflict.article].get(conflict.key)
    now = held.settled_version if held else None
    if now != conflict.settled_version:
        return None
    intervention = Intervention()
    if decision.decision == "remove":
        return intervention
    if not publication.is_merge:
        return None
    edited = dict(decision.edited or {})
    # what a person decides is no change of anybody's
    change = replace(_stand_in(conflict.article, conflict.key, 0, None), node=publication.publisher)
    if decision.decision == "submit_winner":
        if not edited:
            return intervention
        if held is None or held.row is None:
            return None
        _write(intervention, publication, rows, change, held, {**held.row, **edited}, place + 1)
        return intervention
    row = None if conflict.lost is None else {**conflict.lost, **edited}
    if row is not None or (held is not None and held.row is not None):
        after = _write(intervention, publication, rows, change, held, row, place + 1)
        if conflict.kept is not None:
            # its node has what it made
            cut = in_partition(publication, conflict.loser_node, conflict.article, after)
            intervention.drafts.append(
                Draft(COMPENSATING, change, conflict.loser_node, conflict.kept, cut, held=after)
            )
    return intervention


def _write(
    intervention: Intervention,
    publication: Publication,
    rows: MergeRows,
    change: Change,
    held: MergeHeld | None,
    row: Row | None,
    place: int,
) -> MergeHeld:
    """A version of the run's own; `row` None: a tombstone.

    Where conflicts are found by record its number is new to the record that its row leaves, and to
    the one that it enters.
    """
    known = held.lineage if held else {}
    sides = (held.last_row if held else None, row)
    floor = union(*(taken_numbers(publication, change.article, one, rows) for one in sides if one))
    own = Scribe(publication, place, floor=floor).own(known, change.position or 0)
    last_row = held.last_row if held else row or {}
    lineage = union(known, {own.node: own.number})
    after = held_by(own, row, last_row, lineage, operation="delete" if row is None else "update")
    intervention.session.write(change, change.article, change.key, held, after)
    rows[change.article][change.key] = after
    return after


def _known_to(node: str, writer: Writer) -> Writer:
    """A version as one node alone knows it."""
    return replace(writer, node=node, number=sys.maxsize)


def _stand_in(article: str, key: Key, position: int, operation: str | None) -> Change:
    """What stands for a change where nobody has made one."""
    return Change(
        article=article,
        key=key,
        change_id=None,
        position=position,
        node=None,
        transaction_id=None,
        change_count=None,
        operation=operation,
        changed_at=None,
        old_version=None,
        new_version=None,
        row={},
        taken_before=None,
    )
