"""The changes that one transaction makes to a row, in the order in which the row had its versions.

PostgreSQL runs the triggers of a statement's rows once all of them are written: what a trigger of
the first row does to the second one is captured before what the statement itself has done to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.publication.feed import FeedRow


def in_chains(publication: NodePublication, changes: Sequence[FeedRow]) -> list[FeedRow]:
    """Changes of queued updating: those of a row trade places where its versions say so."""
    places: dict[tuple[object, ...], list[int]] = {}
    for place, change in enumerate(changes):
        names = publication.article(change.article).shape.primary_key
        key = (change.values[name] for name in names)
        row = (change.values["transaction_id"], change.article, *key)
        places.setdefault(row, []).append(place)
    ordered = list(changes)
    for found in places.values():
        for place, change in zip(found, _chained([changes[one] for one in found]), strict=True):
            ordered[place] = change
    return ordered


def _chained(changes: Sequence[FeedRow]) -> Sequence[FeedRow]:
    """The changes of one row: each makes the version on which the next one is made."""
    if len(changes) == 1:
        return changes
    made = {change.values["new_version"] for change in changes} - {None}
    next_of = {change.values["old_version"]: change for change in changes}
    first = [change for change in changes if change.values["old_version"] not in made]
    chains = [list(_from(change, next_of)) for change in first]
    # a row that was there goes before another one gets its key, and the one that stays comes last
    chains.sort(key=lambda one: (_is_insert(one[0]), one[-1].values["new_version"] is not None))
    chained = [change for chain in chains for change in chain]
    # versions that somebody else has written may lead nowhere
    return chained if len(chained) == len(changes) else changes


def _from(change: FeedRow, next_of: dict[object, FeedRow]) -> Iterator[FeedRow]:
    found: FeedRow | None = change
    while found is not None:
        yield found
        made = found.values["new_version"]
        found = None if made is None else next_of.get(made)


def _is_insert(change: FeedRow) -> bool:
    return change.values["old_version"] is None
