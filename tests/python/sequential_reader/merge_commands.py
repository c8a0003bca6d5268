"""What every subscriber is told to do about one decided session of merge replication."""

from __future__ import annotations

from collections.abc import Iterator

from tests.python.sequential_reader.commands import (
    COMPENSATING,
    NOT_APPLIED,
    REPLICATED,
    Draft,
    Log,
    in_partition,
    to_all,
)
from tests.python.sequential_reader.merge import Decision
from tests.python.sequential_reader.merge_result import Session
from tests.python.sequential_reader.merge_state import own_number
from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.records import Held


def drafts_of(publication: Publication, session: Session) -> Iterator[Draft]:
    """The commands about rows.

    For every row written: the publisher's version before it to the one after it, for all.  For
    every change that is not there as it came: its own version to the publisher's, for its node; a
    failed one that is not undone is only named, so that its node uploads it again.
    """
    for written in session.written:
        change, name, key = written.change, written.article, written.key
        after = written.after
        draft = Draft(REPLICATED, change, None, written.before, after, name, key, held=after)
        yield from to_all(publication, draft)
    for decision in session.decisions:
        yield from for_its_node(publication, decision)


def for_its_node(publication: Publication, decision: Decision) -> Iterator[Draft]:
    """What the node that made a change must do about it: a subscriber, or the publisher's own
    database.
    """
    change = decision.change
    node = str(change.node)
    article = publication.articles[change.article]
    is_publisher = node == publication.publisher
    if node not in publication.subscriptions and not is_publisher:
        return
    after = in_partition(publication, node, change.article, decision.after)
    is_left = decision.is_written and after is not decision.after
    if decision.is_as_it_came and not is_left:
        return
    if decision.is_kept_at_node:
        yield Draft(NOT_APPLIED, change, node, None, None)
    elif decision.outcome in ("failed", "rejected") or article.is_downloaded or is_publisher:
        yield Draft(COMPENSATING, change, node, carried(decision), after, held=decision.after)


def carried(decision: Decision) -> Held:
    """The row as the node has it that made the change."""
    change = decision.change
    is_gone = change.operation == "delete"
    lineage = decision.before.lineage if decision.before else {}
    version = f"{change.node}:{own_number(change, lineage)}"
    return Held(
        row=None if is_gone else change.row,
        version=None if is_gone else version,
        node=str(change.node),
        change_id=change.change_id,
    )


def logs_of(session: Session) -> list[Log]:
    """The conflicts for those who lost."""
    return [
        Log(lost.change, lost.loss.loser.node, lost.loss.lost, lost.article, lost.key)
        for lost in session.lost
    ]
