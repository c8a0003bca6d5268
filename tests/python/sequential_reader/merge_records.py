"""Logical records that are resolved as a whole: one conflicting member is enough.

What a session brings about one record is decided together.  The winner's whole record stays: where
the session wins, the rows that it holds replace those of the publisher.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tests.python.sequential_reader.constraints import row_failure
from tests.python.sequential_reader.logical_records import (
    Group,
    HeldOf,
    RowName,
    members_of_group,
    record_lineage,
)
from tests.python.sequential_reader.merge import (
    Decision,
    Loss,
    columns_in_conflict,
    decide,
    defender,
    failed,
    failed_against,
    kind_of,
    lost_version,
    whole,
)
from tests.python.sequential_reader.merge_result import Session, own_failure
from tests.python.sequential_reader.merge_state import (
    BEFORE_QUEUE,
    MergeHeld,
    Scribe,
    Writer,
    held_by,
    knows_row,
    strongest,
    union,
)
from tests.python.sequential_reader.record_conflicts import (
    Opponent,
    record_type,
    unknown_writers,
)
from tests.python.sequential_reader.records import Change, Party, Row

CONDEMNED = "condemned"
SETTLED = ("already_known", "already_deleted", "same_value")


class RecordDecision:
    """Decides about one group of a session; `rejected` are changes of it that take no part."""

    def __init__(
        self,
        scribe: Scribe,
        group: Group,
        held: HeldOf,
        is_judged: bool,
        rejected: Iterable[Change] = (),
    ) -> None:
        self.group = group
        self.rejected = list(rejected)
        self.held = held
        self.is_judged = is_judged
        self.publication = scribe.publication
        self.members = members_of_group(self.publication, group, held)
        self.before = {name: one.held for name, one in self.members.items()}
        floor = record_lineage(self.before.values()) if group.record.detection else {}
        self.scribe = replace(scribe, floor=floor)
        # by itself: each as if no other change of the session were there; natural: one by one
        self.by_itself = [decide(self.scribe, one, self._held(one)) for one in group.changes]
        self.natural = self._in_order()
        self.active = [one for one in self.natural if one.outcome not in SETTLED]
        self.opponents = self._opponents()

    def _held(self, change: Change) -> MergeHeld | None:
        return self.held(change.article).get(change.key)

    def decide(self, failures: Mapping[str, int]) -> Session:
        """What becomes of the group, as a part of its session."""
        session = Session()
        if self.opponents and not self._is_challenger_winner():
            decisions = [self._lost(one) for one in self.by_itself]
            written: list[tuple[RowName, MergeHeld]] = []
        elif self.opponents:
            decisions = self._won()
            written = list(self._replaced())
        else:
            decisions, written = self.natural, []
        codes = self._failing(decisions, written, failures)
        if codes:
            decisions, written = self._condemned(codes), []
        is_won = bool(self.opponents) and not codes and self._is_challenger_winner()
        losses = self._held_losses(decisions, written) if is_won else {}
        for decision in decisions:
            loss = losses.pop(self._name(decision), None) if decision.is_written else None
            session.add(replace(decision, losses=(loss,)) if loss else decision)
        for name, after in written:
            session.write(self._leader(), *name, self.held(name[0]).get(name[1]), after)
            if name in losses:
                session.lose(self._leader(), losses[name], after)
        return session

    # --- who is against whom --------------------------------------------------------------------

    def _opponents(self) -> list[Opponent]:
        """The held rows that make the group a conflict.

        Detection by record: every member that a change about its record does not know, or the
        session's image of it, but for a deleted one that the group deletes as well.  Rows that were
        there at first are known to all.  Else the rows, or columns, in conflict.
        """
        if not self.group.record.resolution:
            return []
        if not self.group.record.detection:
            return [
                self._opponent(one.change)
                for one in self.by_itself
                if one.losses and one.outcome != "failed"
            ]
        deleted = {
            (one.change.article, one.change.key)
            for one in self.natural
            if one.change.operation == "delete"
        }
        own = {(one.change.article, one.change.key): one.change for one in self.active}
        unaware = {
            (one.article, one.key)
            for one in self.group.images
            if (one.article, one.key) in self.members
            and not knows_row(one, self.members[(one.article, one.key)].held)
        }
        found = [
            Opponent(name, member.held, member.held.writer, own.get(name))
            for name, member in self.members.items()
            if not (member.held.row is None and name in deleted)
            and member.held.writer.place != BEFORE_QUEUE
            and any(
                name in unaware or not knows_row(one.change, member.held)
                for one in self.active
                if self.group.concerned[self._name(one)] & member.tops
            )
        ]
        return [*found, *self._of_no_record()] if found else []

    def _of_no_record(self) -> Iterable[Opponent]:
        """Rows that others have moved out of every record make no conflict.  But where there is
        one, they are what the session would replace without knowing it.
        """
        for image in self.group.images:
            name = (image.article, image.key)
            member = self.members.get(name)
            if member is None or member.tops or knows_row(image, member.held):
                continue
            if member.held.row != image.row and member.held.writer.place != BEFORE_QUEUE:
                yield Opponent(name, member.held, member.held.writer, None)

    def _opponent(self, change: Change) -> Opponent:
        held = self._held(change)
        assert held is not None
        article = self.publication.articles[change.article]
        writer = defender(article, held, columns_in_conflict(article, change, held))
        return Opponent((change.article, change.key), held, writer, change)

    def _is_challenger_winner(self) -> bool:
        if self._leader().node == self.publication.publisher:
            return True
        return max(one.change.priority for one in self.active) > self._defender().priority

    def _defender(self) -> Writer:
        return strongest([one.writer for one in self.opponents])

    def _leader(self) -> Change:
        """The first change of the group that is in conflict, or else the first."""
        in_conflict = {id(one.change) for one in self.opponents}
        changes = [one.change for one in self.active]
        return next((one for one in changes if id(one) in in_conflict), changes[0])

    # --- the publisher's record stays -------------------------------------------------------------

    def _lost(self, decision: Decision) -> Decision:
        """Every change of the group has lost, those without a conflict of their own too."""
        change = decision.change
        if decision.outcome in SETTLED:
            return decision
        name = (change.article, change.key)
        opponent = next((one for one in self.opponents if one.name == name), None)
        winner = opponent.writer if opponent else self._defender()
        operations = [one.operation for one in self.opponents]
        loss = Loss(
            kind=kind_of(change, opponent.held) if opponent else CONDEMNED,
            type=record_type(
                self.publication,
                change.article,
                str(change.operation),
                [opponent.operation] if opponent else operations,
                is_same_row=opponent is not None,
            ),
            loser=Party(str(change.node), change.change_id),
            winner=winner.party,
            lost=None if change.operation == "delete" else change.row,
            losing_version=lost_version(self.scribe, change, decision.before),
            winning_version=winner.version,
        )
        return Decision(
            change, self._comparison(decision), "lost", decision.before, decision.before, (loss,)
        )

    # --- the session's record stays ---------------------------------------------------------------

    def _won(self) -> list[Decision]:
        """All changes as they came; the settled ones stay what they are."""
        is_publisher = self._leader().node == self.publication.publisher
        in_conflict = {one.name for one in self.opponents}
        decisions = []
        rows: dict[RowName, MergeHeld | None] = {}
        for change in self.group.changes:
            name = (change.article, change.key)
            held = rows.get(name, self._held(change))
            one = decide(self.scribe, change, held)
            if one.outcome in SETTLED:
                decisions.append(one)
                rows[name] = one.after
                continue
            rows[name] = whole(self.scribe, change, held)
            is_won = name in in_conflict and not is_publisher
            outcome = "won" if is_won else "applied"
            decisions.append(Decision(change, self._comparison(one), outcome, held, rows[name]))
        return decisions

    def _comparison(self, decision: Decision) -> str:
        is_by_record = self.group.record.detection
        return "concurrent" if is_by_record else decision.comparison

    def _replaced(self) -> Iterable[tuple[RowName, MergeHeld]]:
        """The other rows of the record as the session holds them; what it does not hold goes.

        A row stays as it is where the session knows it and holds the same.  Values alone say
        nothing, unless the article asks for it: of a row that a node has set to what it was, its
        version has lost.  What a run itself has brought back is nobody's.
        """
        node = str(self._leader().node)
        images = {(one.article, one.key): one for one in self.group.images}
        changed = {(one.change.article, one.change.key) for one in self.natural}
        for name, image in images.items():
            held = self.held(name[0]).get(name[1])
            if name not in changed and not self._stays(image, held):
                yield name, self._own(held, image.row)
        for name, member in self.members.items():
            held = member.held
            if held.row is None or name in images or name in changed or not member.is_of_session:
                continue
            if self._may_be_rejected(name):
                continue
            if self.publication.articles[name[0]].is_inside(node, held.row):
                yield name, self._own(held, None)

    def _may_be_rejected(self, name: RowName) -> bool:
        """Whether the session has the row, in a change or image that does not count; one without a
        whole key may be of any row.
        """
        article, key = name
        return any(
            one.article == article and (one.key == key or None in one.key) for one in self.rejected
        )

    def _stays(self, image: Change, held: MergeHeld | None) -> bool:
        """Whether a row is as a session has it, and the session knows it."""
        if held is None or held.row != image.row:
            return False
        article = self.publication.articles[image.article]
        unknown = unknown_writers(article.is_column_tracked, image, held)
        nodes = {writer.node for writer in unknown} - {self.publication.own_node}
        return not nodes or article.ignore_equal_values

    def _own(self, held: MergeHeld | None, row: Row | None) -> MergeHeld:
        known = held.lineage if held else {}
        leader = self._leader()
        own = self.scribe.own(known, leader.position or 0)
        last_row = held.last_row if held else row or {}
        operation = "delete" if row is None else "update"
        lineage = union(known, {own.node: own.number})
        after = held_by(own, row, last_row, lineage, operation=operation)
        # the node that has won knows what its own session holds
        return replace(after, known_as=(self.scribe.of_change(leader, known),))

    def _held_losses(
        self, decisions: list[Decision], written: list[tuple[RowName, MergeHeld]]
    ) -> dict[RowName, Loss]:
        """A conflict for every held row that the session did not know and has replaced."""
        leader = self._leader()
        images = {(one.article, one.key): one for one in self.group.images}
        opponents = {one.name: one for one in self.opponents}
        operations = [str(one.change.operation) for one in self.active]
        replaced = {self._name(one): one.after for one in decisions if one.is_written}
        losses = {}
        for name, after in [*replaced.items(), *written]:
            held = self.before.get(name)
            if held is None and name in opponents:
                # it came into the record with the change
                held = opponents[name].held
            if held is None or after is None:
                continue
            own = next((one.change for one in self.active if self._name(one) == name), None)
            writers = unknown_writers(
                self.publication.articles[name[0]].is_column_tracked,
                own or images.get(name),
                held,
            )
            opponent = opponents.get(name) if own else None
            if not writers and opponent is None:
                continue
            loser = opponent.writer if opponent else strongest(writers)
            losing = "delete" if held.row is None else held.operation
            losses[name] = Loss(
                kind=kind_of(own, held) if own and opponent else CONDEMNED,
                type=record_type(
                    self.publication,
                    name[0],
                    losing,
                    [str(own.operation)] if own and opponent else operations,
                    is_same_row=own is not None and opponent is not None,
                ),
                loser=loser.party,
                winner=Party(str(leader.node), (own or leader).change_id),
                lost=held.row,
                losing_version=held.writer.version,
                winning_version=after.writer.version,
                article=name[0],
                key=name[1],
            )
        return losses

    @staticmethod
    def _name(decision: Decision) -> RowName:
        return (decision.change.article, decision.change.key)

    # --- no conflict, and failures ----------------------------------------------------------------

    def _in_order(self) -> list[Decision]:
        """Without a conflict every change is decided by itself."""
        rows: dict[RowName, MergeHeld | None] = {}
        decisions = []
        for change in self.group.changes:
            name = (change.article, change.key)
            decision = decide(self.scribe, change, rows.get(name, self._held(change)))
            rows[name] = decision.after
            decisions.append(decision)
        return decisions

    def _failing(
        self,
        decisions: list[Decision],
        written: list[tuple[RowName, MergeHeld]],
        failures: Mapping[str, int],
    ) -> dict[str, int]:
        """Which changes break a constraint; a row that stands for the record breaks the leader."""
        if not self.is_judged:
            return {}
        codes: dict[str, int] = {}
        for natural, decision in zip(self.natural, decisions, strict=True):
            if not decision.is_written and decision.outcome != "failed":
                continue
            code = own_failure(self.publication, decision)
            code = failures.get(str(decision.change.change_id)) or code
            if natural.outcome == "failed":
                code = natural.losses[0].reason_code
            if code is not None:
                codes[str(decision.change.change_id)] = code
        for (article, _), after in written:
            code = row_failure(self.publication.articles[article], after.row)
            if code is not None:
                codes.setdefault(str(self._leader().change_id), code)
        return codes

    def _condemned(self, codes: Mapping[str, int]) -> list[Decision]:
        """A change that fails takes what its session brings about the record with it."""
        articles = self.publication.articles
        is_kept = not all(
            articles[one.change.article].compensate_for_errors
            for one in self.natural
            if str(one.change.change_id) in codes
        )
        decisions = []
        for one in self.by_itself:
            change = one.change
            code = codes.get(str(change.change_id))
            # it fails in the conflict that its record has won
            is_contended = self.opponents and one.outcome not in SETTLED
            comparison = self._comparison(one) if is_contended else one.comparison
            if code is not None:
                fails = failed(self.scribe, change, one.before, comparison, code)
                decisions.append(replace(fails, is_kept_at_node=is_kept))
            elif not one.is_written:
                decisions.append(one)
            else:
                loss = Loss(
                    kind=CONDEMNED,
                    type=1,
                    loser=Party(str(change.node), change.change_id),
                    winner=Party(self.publication.publisher, None),
                    lost=None if change.operation == "delete" else change.row,
                    losing_version=lost_version(self.scribe, change, one.before),
                    winning_version=failed_against(one.before),
                )
                decisions.append(
                    Decision(
                        change, comparison, "rejected", one.before, one.before, (loss,), is_kept
                    )
                )
        return decisions
