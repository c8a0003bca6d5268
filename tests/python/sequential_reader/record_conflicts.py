"""Conflicts of logical records: held rows against a session, and the types of what is lost."""

from __future__ import annotations

from dataclasses import dataclass

from tests.python.sequential_reader.logical_records import RowName
from tests.python.sequential_reader.merge_state import MergeHeld, Writer, knows, knows_row
from tests.python.sequential_reader.publication import Publication
from tests.python.sequential_reader.records import Change

RECORD_UPDATE_BEATS_DELETE, RECORD_INSERT, RECORD_DELETE_BEATS_UPDATE = 12, 13, 14


@dataclass(frozen=True)
class Opponent:
    """A held row that a change does not know; `change` None: no change of that very row."""

    name: RowName
    held: MergeHeld
    writer: Writer
    change: Change | None

    @property
    def operation(self) -> str:
        """What made the held version."""
        return "delete" if self.held.row is None else self.held.operation


def record_type(
    publication: Publication,
    article: str,
    losing: str,
    winning: list[str],
    is_same_row: bool,
) -> int:
    """12 update beats delete, 13 insert against a change, 14 delete beats update, else by the
    article's tracking; a row without a conflict of its own has 1, and without detection by
    record always.
    """
    is_tracked = publication.articles[article].is_column_tracked
    base = 2 if is_tracked and is_same_row else 1
    record = publication.record_of(article)
    if not is_same_row and not (record and record.detection):
        return base
    if is_same_row:
        losing = "delete" if losing == "delete" else "update"
        winning = ["delete" if one == "delete" else "update" for one in winning]
    is_all_deletes = all(one == "delete" for one in winning)
    if losing == "delete":
        return base if is_all_deletes else RECORD_UPDATE_BEATS_DELETE
    if losing == "insert":
        return RECORD_INSERT
    if is_all_deletes:
        return RECORD_DELETE_BEATS_UPDATE
    return RECORD_INSERT if all(one == "insert" for one in winning) else base


def unknown_writers(
    is_column_tracked: bool, change: Change | None, held: MergeHeld
) -> list[Writer]:
    """The last writers of a held row that a session did not know.

    `change` is the session's change or image of it; a row that the session does not hold at all is
    unknown to it.
    """
    if change is None:
        return [held.writer]
    if knows_row(change, held):
        return []
    if held.row is None or not is_column_tracked:
        return [held.writer]
    return [writer for writer in held.columns.values() if not knows(change, writer)]
