"""What every subscriber is told to do about one decided transaction."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.queued import Verdict
from tests.python.sequential_reader.records import Command, Held, Key

KIND_ORDER = ("replicated", "compensating", "log_conflict")

_Draft = tuple[str, Verdict, Held | None, Held | None]


def commands_of(
    publication: Publication,
    verdicts: list[Verdict],
    position: int,
    subscribers: AbstractSet[str],
    is_reinitialized: bool,
    run: int,
) -> list[Command]:
    """The commands of one transaction, in order.

    For every change that applied: the publisher's version before it to the one after it, for all
    subscribers, its own included.  For every change that did not apply as it came: the change's own
    new version to the publisher's, for the node that made it; nothing where both are no row.
    Then, where an article keeps records at the loser, one `log_conflict` for each.  A subscription
    whose transaction is rejected because of its reinitialization gets neither: one `reinitialize`
    command makes it right.
    """
    drafts: list[_Draft] = []
    logs: list[Verdict] = []
    for verdict in verdicts:
        change = verdict.change
        if verdict.outcome in ("applied", "won"):
            drafts.append(("replicated", verdict, verdict.before, verdict.after))
        elif verdict.outcome in ("rejected", "failed") and not is_reinitialized:
            own = Held(
                row=None if change.operation == "delete" else change.row,
                version=None if change.operation == "delete" else change.new_version,
                node=str(change.node),
                change_id=change.change_id,
            )
            drafts.append(("compensating", verdict, own, verdict.after))
        is_undone_by_snapshot = verdict.outcome in ("rejected", "failed") and is_reinitialized
        if is_logged_at_loser(publication, verdict, subscribers) and not is_undone_by_snapshot:
            logs.append(verdict)

    commands: list[Command] = []
    for kind, verdict, before, after in in_order(publication, drafts):
        commands.append(
            Command(
                position=position,
                sequence=len(commands),
                subscriber=None if kind == "replicated" else verdict.change.node,
                kind=kind,
                origin=verdict.change.node,
                transaction_id=verdict.change.transaction_id,
                article=verdict.change.article,
                operation=operation_of(before, after),
                key=verdict.change.key,
                row=after.row if after else None,
                old_version=before.version if before else None,
                new_version=after.version if after else None,
                change_id=verdict.change.change_id,
                run=run,
            )
        )
    for verdict in sorted(logs, key=lambda verdict: publication.depth(verdict.change.article)):
        assert verdict.loser is not None
        commands.append(
            Command(
                position=position,
                sequence=len(commands),
                subscriber=verdict.loser.node,
                kind="log_conflict",
                origin=verdict.change.node,
                transaction_id=verdict.change.transaction_id,
                article=verdict.change.article,
                operation=None,
                key=verdict.change.key,
                row=verdict.lost.row if verdict.lost else None,
                old_version=None,
                new_version=None,
                change_id=verdict.change.change_id,
                run=run,
            )
        )
    return commands


def is_logged_at_loser(
    publication: Publication, verdict: Verdict, subscribers: AbstractSet[str]
) -> bool:
    """The losing node gets the record where the article says so; the publisher needs no command."""
    return (
        verdict.has_conflict_row
        and verdict.loser is not None
        and verdict.loser.node in subscribers
        and publication.articles[verdict.change.article].conflict_logging in ("subscriber", "both")
    )


def operation_of(before: Held | None, after: Held | None) -> str | None:
    """What takes a row from one state to the other; None when it is no row in both."""
    is_before = before is not None and before.row is not None
    is_after = after is not None and after.row is not None
    if is_after:
        return "update" if is_before else "insert"
    return "delete" if is_before else None


def in_order(publication: Publication, drafts: list[_Draft]) -> list[_Draft]:
    """The order of commands inside a transaction.

    Inserts and updates parents first, then deletes children first, and deletes of a key before an
    insert of the same key.  So commands go by phases: about one row inserts and updates lie in even
    phases, deletes in odd ones, and the phase never goes back along the row's changes.
    """
    phases: dict[tuple[str, str, Key], int] = {}
    ordered = []
    for draft in drafts:
        kind, verdict, before, after = draft
        operation = operation_of(before, after)
        if operation is None:
            continue
        change = verdict.change
        place = (kind, change.article, change.key)
        phase = phases.get(place, 0)
        if (phase % 2 == 1) != (operation == "delete"):
            phase += 1
        phases[place] = phase
        depth = publication.depth(change.article)
        order = (
            KIND_ORDER.index(kind),
            phase,
            depth if phase % 2 == 0 else -depth,
            change.position or 0,
        )
        ordered.append((order, draft))
    return [draft for _, draft in sorted(ordered, key=lambda pair: pair[0])]
