"""What references do to captured rows when a command deletes or changes another row.

It is in no queue: the agent's work calls no trigger of capture. Commands may do so while people add
a row that refers to it, whatever foreign keys the publication has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, inspect, select

from replication_conflicts.capture import tables
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.database.articles import NodePublication
from replication_conflicts.database.images import literal, quoted
from replication_conflicts.database.statements import run_plain

# a column without a name is one of the key
_SQLITE_REFERENCES = """
select lower(held.name) as child, lower(named."table") as parent,
    named."table" as parent_name, named.on_delete, named.on_update,
    json_group_array(lower(named."from")) as columns, json_group_array(lower(named."to")) as targets
from sqlite_master held, pragma_foreign_key_list(held.name) named
where held.type = 'table'
group by held.name, named.id
order by held.name, named.id
"""
# as pg_constraint writes actions: c cascade, n set null, d set default; what a partition refers to,
# its table does
_POSTGRES_REFERENCES = """
select cast(child.oid as text) as child,
    cast(parent.oid as text) as parent, parent.relname as parent_name,
    {action_of_delete} as on_delete, {action_of_update} as on_update,
    cast(to_json(one.conkey) as text) as columns, cast(to_json(one.confkey) as text) as targets
from pg_constraint one
join pg_class child on child.oid = coalesce(pg_partition_root(one.conrelid), one.conrelid)
join pg_class parent on parent.oid = coalesce(pg_partition_root(one.confrelid), one.confrelid)
where one.contype = 'f' and one.conparentid = 0
order by child.relname, one.conname
"""
_POSTGRES_ACTION = (
    "case {column} when 'c' then 'CASCADE' when 'n' then 'SET NULL' when 'd' then 'SET DEFAULT'"
    " else 'NO ACTION' end"
)
_DOES_NOTHING = ("NO ACTION", "RESTRICT")


@dataclass(frozen=True)
class _Reference:
    """A foreign key; tables and columns have whatever tells them apart in the catalog."""

    child: str
    parent: str
    parent_name: str
    on_delete: str
    on_update: str
    columns: frozenset[object]
    targets: frozenset[object]


@dataclass(frozen=True)
class _Event:
    """What happens to rows of a table; `columns`: those that an update changes, None: any."""

    table: str
    name: str
    columns: frozenset[object] | None = None


@dataclass(frozen=True)
class _Step:
    """A reference that does something, because of an event at its parent."""

    reference: _Reference
    because: str
    action: str

    def said(self, captured: Mapping[str, str]) -> str:
        """What a message says of it."""
        parent = captured.get(self.reference.parent, self.reference.parent_name)
        return f"refers to {parent!r} with `on {self.because} {self.action.lower()}`"


def check_references(connection: Connection, publication: NodePublication) -> None:
    """Errors: CaptureProblem where a command would change rows that are captured, unseen.

    They may be of another publication, and other tables may stand between.
    """
    references = _references(connection)
    captured = _captured(connection, publication)
    own = {place for place, name in captured.items() if name in publication.articles}
    for start in sorted(captured, key=lambda one: (one not in own, one)):
        for steps in _ways(references, captured, start):
            if own.isdisjoint((start, steps[-1].reference.child)):
                continue
            last = steps[-1]
            said = ", which ".join(one.said(captured) for one in reversed(steps))
            raise CaptureProblem(
                f"table {captured[last.reference.child]!r} {said}: what that does to rows when a"
                " command comes would not be captured, and this database would differ from the"
                f" others. Make it `on {last.because} no action` or `restrict`"
            )


def _ways(
    references: Sequence[_Reference], captured: Mapping[str, str], start: str
) -> Iterator[list[_Step]]:
    """How commands about one captured table change rows of captured ones."""
    seen = {_Event(start, "delete"), _Event(start, "update")}
    waiting: list[tuple[_Event, list[_Step]]] = [(one, []) for one in sorted(seen, key=str)]
    while waiting:
        event, before = waiting.pop(0)
        for reference in references:
            step = _step(reference, event)
            if step is None:
                continue
            steps = [*before, step]
            if reference.child in captured:
                yield steps
                continue
            happens = _Event(reference.child, "update", reference.columns)
            if step.action == "CASCADE" and event.name == "delete":
                happens = _Event(reference.child, "delete")
            if happens not in seen:
                seen.add(happens)
                waiting.append((happens, steps))


def _step(reference: _Reference, event: _Event) -> _Step | None:
    if reference.parent != event.table:
        return None
    action = reference.on_delete if event.name == "delete" else reference.on_update
    # a reference may not name its targets
    named = reference.targets - {None}
    is_hit = event.columns is None or not named or event.columns & named
    if action in _DOES_NOTHING or not is_hit:
        return None
    return _Step(reference, event.name, action)


def _references(connection: Connection) -> list[_Reference]:
    query = _SQLITE_REFERENCES
    if connection.dialect.name != "sqlite":
        query = _POSTGRES_REFERENCES.format(
            action_of_delete=_POSTGRES_ACTION.format(column="one.confdeltype"),
            action_of_update=_POSTGRES_ACTION.format(column="one.confupdtype"),
        )
    return [
        _Reference(
            **{
                **row,
                "columns": frozenset(json.loads(row["columns"])),
                "targets": frozenset(json.loads(row["targets"])),
            }
        )
        for row in run_plain(connection, query).mappings()
    ]


def _captured(connection: Connection, publication: NodePublication) -> dict[str, str]:
    """All tables that are captured here, or are about to be: name by what the catalog has."""
    names = list(publication.articles)
    if inspect(connection).has_table(tables.articles.name):
        names += connection.execute(select(tables.articles.c.article)).scalars()
    places = {_place(connection, name): name for name in names}
    return {place: name for place, name in places.items() if place is not None}


def _place(connection: Connection, name: str) -> str | None:
    if connection.dialect.name == "sqlite":
        return name.lower()
    query = f"select cast(cast(to_regclass({literal(quoted(name))}) as oid) as text)"
    place: str | None = run_plain(connection, query).scalar()
    return place
