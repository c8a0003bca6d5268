"""What the reader has recorded: outcomes, conflicts and commands."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from tests.python.sequential_reader.commands import Draft, written_commands
from tests.python.sequential_reader.merge_commands import carried, drafts_of, logs_of
from tests.python.sequential_reader.merge_result import Identity, Session
from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.recording import merge_conflict, merge_outcome
from tests.python.sequential_reader.records import Command, Conflict, Key, Outcome


@dataclass
class Journal:
    """Grows with every transaction; decisions of people take conflicts away."""

    outcomes: list[Outcome] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    known: set[Identity] = field(default_factory=set)
    """Conflicts that were recorded once: a change that fails again is the same conflict."""

    def record(
        self,
        publication: Publication,
        session: Session,
        position: int,
        run: int,
        more: Iterable[Draft] = (),
    ) -> None:
        """A decided session, or what acted like one; `more`: commands beside its own."""
        self.outcomes.extend(merge_outcome(one, position, run) for one in session.decisions)
        kept = {
            one.change.change_id: carried(one)
            for one in session.decisions
            if one.is_kept_at_node and one.change.operation != "delete"
        }
        found, session.lost = session.lost, []
        for lost in found:
            if lost.identity not in self.known:
                self.known.add(lost.identity)
                session.lost.append(lost)
                conflict = merge_conflict(publication, lost, position, run)
                self.conflicts.append(replace(conflict, kept=kept.get(conflict.loser_change_id)))
        subscribers: AbstractSet[str] = set(publication.subscriptions)
        self.commands.extend(
            written_commands(
                publication,
                [*drafts_of(publication, session), *more],
                logs_of(session),
                position,
                subscribers,
                run,
                first=sum(command.position == position for command in self.commands),
            )
        )

    def latest_conflict(self, article: str, key: Key, loser: str) -> Conflict | None:
        """The last conflict of a row that a node lost, if the publisher keeps one."""
        found = [
            conflict
            for conflict in self.conflicts
            if (conflict.article, conflict.key, conflict.loser_node) == (article, key, loser)
            and conflict.is_kept_at_publisher
        ]
        return found[-1] if found else None
