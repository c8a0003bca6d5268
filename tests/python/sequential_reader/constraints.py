"""Constraints: which changes of a transaction or session fail, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.python.sequential_reader.publication import Article, ForeignKey, Publication
from tests.python.sequential_reader.records import Change, Held, Key, Row

NOT_NULL = 515
CHECK = 547
PARTITION = 550
UNIQUE = 2601
FOREIGN_KEY = 547

State = dict[str, dict[Key, Row]]
HeldRows = Mapping[str, Mapping[Key, Held]]


@dataclass(frozen=True)
class Made:
    """A row as a change of a transaction or session leaves it; `number` is the change's."""

    number: int
    article: str
    key: Key
    row: Row | None


Makers = dict[tuple[str, Key], int]


def failed_changes(
    publication: Publication,
    rows: HeldRows,
    changes: list[Change],
    applied: list[bool],
    befores: list[Row | None],
) -> dict[int, int]:
    """Which of a queued transaction's changes fail: their number, and the reason code.

    Columns that may not be null, then checks, then the partition, are judged on every change's own
    row; `befores` are the rows that the changes met.  Unique and
    foreign keys are judged at the end of the transaction; after each failure it is judged again
    without the failed changes.
    """
    failed: dict[int, int] = {}
    for number, change in enumerate(changes):
        row = None if change.operation == "delete" else change.row
        article, node = publication.articles[change.article], str(change.node)
        code = row_failure(article, row) or partition_failure(
            article, node, str(change.operation), befores[number], row
        )
        if applied[number] and code is not None:
            failed[number] = code
    while True:
        made = [
            Made(
                number,
                change.article,
                change.key,
                None if change.operation == "delete" else change.row,
            )
            for number, change in enumerate(changes)
            if applied[number] and number not in failed
        ]
        next_failure = failure_at_the_end(publication, rows, made)
        if next_failure is None:
            return failed
        failed[next_failure[0]] = next_failure[1]


def failure_at_the_end(
    publication: Publication, rows: HeldRows, made: list[Made]
) -> tuple[int, int] | None:
    """The change that breaks a key at the end of a transaction or session, and the reason code.

    Unique keys first, then children without a parent, then what a parent's delete (or new key)
    would leave without one.
    """
    end, makers = _end_state(rows, made)
    return (
        _unique_failure(publication, end, makers)
        or _child_failure(publication, end, makers)
        or _parent_failure(publication, rows, end, makers)
    )


def row_failure(article: Article, row: Row | None) -> int | None:
    """Not null comes before a check; a check that gives NULL passes; a delete has no row."""
    if row is None:
        return None
    if any(row[column] is None for column in article.not_null):
        return NOT_NULL
    if any(check(row) is False for check in article.checks):
        return CHECK
    return None


def partition_failure(
    article: Article, node: str, operation: str, before: Row | None, after: Row | None
) -> int | None:
    """What a subscriber changes must lie inside its partition: an insert afterwards, an update or
    delete before, so that a row that others moved out of it is out of reach.  An update of a row
    that is not there is an insert.
    """
    judged = after if operation == "insert" or before is None else before
    return None if judged is None or article.is_inside(node, judged) else PARTITION


def _end_state(rows: HeldRows, made: Iterable[Made]) -> tuple[State, Makers]:
    """Live rows if the given changes apply, and for every row they touch the last of them."""
    end: State = {
        article: {key: held.row for key, held in held_rows.items() if held.row is not None}
        for article, held_rows in rows.items()
    }
    makers: Makers = {}
    for one in made:
        if one.row is None:
            end[one.article].pop(one.key, None)
        else:
            end[one.article][one.key] = one.row
        makers[(one.article, one.key)] = one.number
    return end, makers


def _unique_failure(publication: Publication, end: State, makers: Makers) -> tuple[int, int] | None:
    """Of two rows that clash, the one whose change is later in the queue fails.

    NULLs are never equal.  The earliest change that clashes with something before it is named.
    """
    failures: list[int] = []
    for name, article in publication.articles.items():
        for columns in article.unique:
            by_value: dict[tuple[Any, ...], list[int]] = {}
            for key, row in end[name].items():
                value = tuple(row[column] for column in columns)
                if None not in value:
                    by_value.setdefault(value, []).append(makers.get((name, key), -1))
            for numbers in by_value.values():
                failures.extend(number for number in sorted(numbers)[1:] if number >= 0)
    return (min(failures), UNIQUE) if failures else None


def _child_failure(publication: Publication, end: State, makers: Makers) -> tuple[int, int] | None:
    """A row that the transaction wrote needs its parent; a foreign key with a NULL needs none."""
    failures: list[int] = []
    for name, article in publication.articles.items():
        written = [
            (row, number)
            for (written_name, key), number in makers.items()
            if written_name == name and (row := end[name].get(key)) is not None
        ]
        for foreign_key in article.foreign_keys if written else ():
            parents = _Parents(end, foreign_key)
            failures.extend(number for row, number in written if not parents.has_one_of(row))
    return (min(failures), FOREIGN_KEY) if failures else None


def _parent_failure(
    publication: Publication, rows: HeldRows, end: State, makers: Makers
) -> tuple[int, int] | None:
    """A delete of a parent that still has children is a failed delete.

    An update that takes away the values its children refer to fails in the same way.
    """
    failures = []
    for child_name, child in publication.articles.items():
        for foreign_key in child.foreign_keys:
            written = {
                key: number for (name, key), number in makers.items() if name == foreign_key.parent
            }
            if not written:
                continue
            parents = _Parents(end, foreign_key)
            orphans = [
                row
                for key, row in end[child_name].items()
                if (child_name, key) not in makers and not parents.has_one_of(row)
            ]
            for parent_key, number in written.items():
                before = rows[foreign_key.parent].get(parent_key)
                if before is not None and before.row is not None:
                    row = before.row
                    if any(_is_parent(row, foreign_key, orphan) for orphan in orphans):
                        failures.append(number)
    return (min(failures), FOREIGN_KEY) if failures else None


class _Parents:
    """The rows that children of a foreign key refer to, by the values that the children name."""

    def __init__(self, end: State, foreign_key: ForeignKey) -> None:
        self._columns = foreign_key.columns
        rows = end[foreign_key.parent].values()
        self._values = {tuple(row[to] for to in foreign_key.to) for row in rows}

    def has_one_of(self, child: Row) -> bool:
        """Whether the child's parent is there, or the child needs none."""
        named = tuple(child[column] for column in self._columns)
        return None in named or named in self._values


def _is_parent(parent: Row, foreign_key: ForeignKey, child: Row) -> bool:
    """Whether it has the values that the child refers to."""
    return all(
        parent[to] == child[column]
        for to, column in zip(foreign_key.to, foreign_key.columns, strict=True)
    )
