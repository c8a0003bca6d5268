"""Nodes of merge replication: they upload net changes, with what they knew of each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from replication_conflicts.publication.feed import DELETE, INSERT, UPDATE, FeedRow
from replication_conflicts.publication.publication import LogicalRecord, Publication
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.publication.sessions import image_values, session_order
from replication_conflicts.publication.values import Key, Row
from replication_conflicts.simulation.commands import Command
from replication_conflicts.simulation.net_changes import (
    NetChange,
    UndecidedChange,
    UploadedChange,
)
from replication_conflicts.simulation.node import (
    Change,
    ChangeReference,
    Held,
    Node,
    PlannedChange,
    RowName,
)
from replication_conflicts.simulation.queue import Identity, Queue
from replication_conflicts.simulation.records import Deleted, RecordRows


class MergeNode(Node):
    """A subscriber, or with an outlet the publisher, of a merge publication.

    `priority` is stamped on changes: the subscription's for a server subscription, None for a
    client and for the publisher, whose priorities are not their own to choose.
    """

    def __init__(
        self,
        name: str,
        publication: Publication,
        outlet: Queue | None = None,
        identity: Identity | None = None,
        priority: Decimal | None = None,
    ) -> None:
        super().__init__(name, publication, outlet, identity)
        self.priority = priority
        self._deleted_rows: dict[str, dict[Key, Deleted]] = {
            name: {} for name in publication.articles
        }
        self._records = RecordRows(publication, self._rows, self._deleted_rows)
        self._pending: dict[RowName, NetChange] = {}
        self._raw: list[FeedRow] = []
        self._raw_behind: list[FeedRow] = []
        self._uploaded: dict[str, UploadedChange] = {}
        self._again: list[str] = []
        self._undecided: dict[RowName, UndecidedChange] = {}
        self._touches: dict[RowName, int] = {}

    # what is done at the node

    def transaction(self, changes: Sequence[Change], at: datetime) -> list[ChangeReference]:
        planned = self._plan(changes)
        if self._outlet is not None:
            return self._publish(planned, at)
        references = []
        for one in planned:
            reference = ChangeReference(one.article.name, one.key)
            self._fold(one, at, reference)
            references.append(reference)
        return references

    def raw(self, article: str, values: Mapping[str, object]) -> None:
        row = FeedRow(article, dict(values))
        if self._outlet is None:
            # what is pending is uploaded as one session, before what comes after its first change
            (self._raw_behind if self._pending else self._raw).append(row)
        else:
            self._outlet.put([row])

    @property
    def has_pending(self) -> bool:
        return bool(
            self._pending
            or self._raw
            or self._raw_behind
            or any(map(self._is_unchanged, self._again))
        )

    def upload(self) -> list[FeedRow]:
        again = [
            self._uploaded.pop(change_id)
            for change_id in self._again
            if self._is_unchanged(change_id)
        ]
        self._again.clear()
        pending = sorted(self._pending.values(), key=self._session_order)
        self._pending.clear()
        raw, self._raw = self._raw, []
        behind, self._raw_behind = self._raw_behind, []
        if not again and not pending:
            return [*raw, *behind]
        session = self.identity.next_id("session")
        repeated = [self._repeat(one) for one in again]
        fresh = [self._send(net) for net in pending]
        images = self._images([*repeated, *fresh])
        changes = [one.row for one in (*repeated, *fresh)]
        last = max((net.changed_at for net in pending), default=None)
        image_rows = [self._image(name, last or self._moment(changes)) for name in images]
        session_rows = self._in_session(session, [*changes, *image_rows])
        for one, row in zip((*repeated, *fresh), session_rows[: len(changes)], strict=True):
            self._uploaded[str(row.values["change_id"])] = replace(one, row=row)
        return [*raw, *session_rows, *behind]

    # net changes

    def _fold(self, planned: PlannedChange, at: datetime, reference: ChangeReference) -> None:
        net = self._pending.get(planned.name)
        if net is None:
            net = self._begin(planned, at)
        elif net.operation == INSERT and planned.operation == DELETE:
            self._undo(net)
            return
        else:
            net.add(planned, at)
        net.references.append(reference)
        self._hold(planned, net.version, net.lineage)

    def _begin(self, planned: PlannedChange, at: datetime) -> NetChange:
        number = self.identity.next_number()
        net = NetChange(
            article=planned.article,
            key=planned.key,
            operation=planned.operation,
            number=number,
            version=f"{self.name}:{number}",
            lineage={**self._known(planned), self.name: number},
            base=planned.before,
            before=self._deleted_rows[planned.article.name].get(planned.key),
            priority=self.priority,
            changed_at=at,
            changed=set(planned.changed) if planned.operation == UPDATE else None,
        )
        self._pending[planned.name] = net
        return net

    def _undo(self, net: NetChange) -> None:
        """An insert and the delete of it leave nothing; skipped commands then find the row gone."""
        del self._pending[net.name]
        del self._rows[net.article.name][net.key]
        if net.before is not None:
            self._deleted_rows[net.article.name][net.key] = net.before
        for reference in net.references:
            reference.change_id = None
        self._touched(*net.name)
        for command in net.passed_over:
            self._act(command)

    def _hold(self, planned: PlannedChange, version: str, lineage: Mapping[str, int]) -> None:
        article = planned.article.name
        if planned.after is None:
            self._rows[article].pop(planned.key, None)
            self._deleted_rows[article][planned.key] = Deleted(planned.before, dict(lineage))
        else:
            self._deleted_rows[article].pop(planned.key, None)
            self._rows[article][planned.key] = Held(planned.after, version, dict(lineage))
        self._touched(article, planned.key)

    # the publisher: every change enters the queue when it is made

    def _publish(self, planned: Sequence[PlannedChange], at: datetime) -> list[ChangeReference]:
        assert self._outlet is not None
        sent, references = [], []
        for one in planned:
            net = self._begin(one, at)
            del self._pending[one.name]
            self._hold(one, net.version, net.lineage)
            reference = ChangeReference(one.article.name, one.key)
            net.references.append(reference)
            references.append(reference)
            sent.append(self._send(net))
        images = self._images(sent)
        rows = [*(one.row for one in sent), *(self._image(name, at) for name in images)]
        self._outlet.put(self._in_session(self.identity.next_id("transaction"), rows))
        return references

    # one session

    def _session_order(self, net: NetChange) -> tuple[bool, int]:
        return session_order(net.operation, self.publication.depth(net.article.name))

    def _send(self, net: NetChange) -> UploadedChange:
        change_id = self.identity.next_id("change")
        for reference in net.references:
            reference.change_id = change_id
        held = self._rows[net.article.name].get(net.key)
        is_delete = net.operation == DELETE or held is None
        row = net.article.key_row(net.key) if is_delete or held is None else held.row
        if self._outlet is None:
            self._undecided[net.name] = UndecidedChange(
                None if is_delete else net.version, net.lineage
            )
        values = {
            "change_id": change_id,
            "node": self.name,
            "operation": net.operation,
            "changed_at": net.changed_at,
            "lineage": dict(net.lineage),
            "known_position": None,
            "changed_columns": net.changed_columns,
            "previous_values": net.previous_values or self._left_parent(net),
            "priority": net.priority,
            **row,
        }
        return UploadedChange(
            FeedRow(net.article.name, values),
            net.name,
            net.base,
            self._touches.get(net.name, 0),
            tuple(net.references),
        )

    def _left_parent(self, net: NetChange) -> dict[str, str | None] | None:
        """Of a delete the columns that named its parent in a logical record."""
        record = self.publication.record_of(net.article.name)
        if net.operation != DELETE or net.base is None:
            return None
        if record is None or not record.is_by_record:
            return None
        steps = record.ancestry(net.article.name)
        columns = steps[0].columns if steps else ()
        return net.article.to_texts({name: net.base[name] for name in columns}) or None

    def _repeat(self, uploaded: UploadedChange) -> UploadedChange:
        change_id = self.identity.next_id("change")
        for reference in uploaded.references:
            reference.change_id = change_id
        row = FeedRow(uploaded.row.article, {**uploaded.row.values, "change_id": change_id})
        return replace(uploaded, row=row)

    @staticmethod
    def _in_session(session: str, rows: Sequence[FeedRow]) -> list[FeedRow]:
        named = {"transaction_id": session, "transaction_change_count": len(rows)}
        return [FeedRow(row.article, {**row.values, **named}) for row in rows]

    @staticmethod
    def _moment(rows: Sequence[FeedRow]) -> datetime:
        moments = [row.values["changed_at"] for row in rows]
        return max(moment for moment in moments if isinstance(moment, datetime))

    # changes that the publisher did not apply

    def _not_applied(self, command: Command) -> None:
        if command.cause in self._uploaded:
            self._again.append(command.cause)

    def _is_unchanged(self, change_id: str) -> bool:
        uploaded = self._uploaded[change_id]
        return uploaded.touches == self._touches.get(uploaded.name, 0)

    # logical records

    def _images(self, changes: Sequence[UploadedChange]) -> list[RowName]:
        """The other rows of the records that a session changed, where winners are whole records.

        Those of before the session count as well, also where a row was taken out of every record:
        the rows below it stay what they were.
        """
        rows = self._records
        before: dict[RowName, Row | None] = {}
        for change in changes:
            # a transaction of the publisher may change a row several times
            before.setdefault(change.name, change.base)
        records: list[tuple[LogicalRecord, Key]] = []
        left: list[tuple[LogicalRecord, RowName]] = []
        for change in changes:
            article, key = change.name
            record = self.publication.record_of(article)
            if record is None or not record.resolution:
                continue
            top = rows.top_key(record, article, rows.last_row(article, key))
            top_before = rows.top_key(record, article, change.base, before)
            for one in (top, top_before):
                if one is not None and (record, one) not in records:
                    records.append((record, one))
            if top is None and top_before is not None:
                left.append((record, change.name))
        members = [
            name for record, top in records for name in rows.members(record, top, deleted=False)
        ]
        members += [below for record, name in left for below in rows.below(record, name)]
        return [name for name in dict.fromkeys(members) if name not in before]

    def _image(self, name: RowName, at: datetime) -> FeedRow:
        """A row as the node holds it.

        One with a change that is not decided is known as far as that change knew it: what others
        have done to it since then is not in it.
        """
        article, key = name
        held = self._rows[article][key]
        undecided = self._undecided.get(name)
        if undecided is not None and self.publication.is_detected_by_record(article):
            lineage = dict(undecided.lineage)
        else:
            lineage = self._records.lineage(self.name, article, [held.row], held.lineage)
        return FeedRow(
            article,
            {
                "change_id": self.identity.next_id("image"),
                "node": self.name,
                "changed_at": at,
                "known_position": None,
                **image_values(lineage, self.priority),
                **held.row,
            },
        )

    def _known(self, planned: PlannedChange) -> dict[str, int]:
        """What the node knows of a row at this moment, or of its whole record.

        A deleted row, whose key is used again, was in a record too. A change on top of one that is
        not decided knows what that one knew: if that one loses, so must what was made of its row,
        whatever the node has learned of the record's other rows in the meantime.
        """
        undecided = self._undecided.get(planned.name)
        if undecided is not None and self.publication.is_detected_by_record(planned.article.name):
            return dict(undecided.lineage)
        before = self._records.last_row(*planned.name)
        rows = [row for row in (before, planned.after) if row is not None]
        lineage = self._records.known_lineage(*planned.name)
        return self._records.lineage(self.name, planned.article.name, rows, lineage)

    # what commands and tables do

    def _act(self, command: Command) -> bool:
        has_acted = super()._act(command)
        if has_acted:
            self._undecided.pop(command.row_name, None)
        return has_acted

    def _store(self, stored: StoredRow) -> None:
        if stored.is_deleted:
            key = self.publication.article(stored.article).key_of(stored.row)
            self._deleted_rows[stored.article][key] = Deleted(
                dict(stored.row), dict(stored.lineage)
            )
        super()._store(stored)

    def _forget_deleted(self) -> None:
        for deleted in self._deleted_rows.values():
            deleted.clear()
        self._undecided.clear()

    def _deleted(
        self, article: str, key: Key, held: Held | None, lineage: Mapping[str, int]
    ) -> None:
        known = self._deleted_rows[article].get(key)
        last = held.row if held else known.row if known else None
        self._deleted_rows[article][key] = Deleted(last, dict(lineage))

    def _touched(self, article: str, key: Key) -> None:
        self._touches[(article, key)] = self._touches.get((article, key), 0) + 1

    def _passed_over(self, command: Command) -> None:
        undecided = self._undecided.get(command.row_name)
        if undecided is not None:
            is_gone = command.row is None and self.row(*command.row_name) is None
            versions = {command.old_version, command.new_version} - {None}
            if is_gone or undecided.version in versions:
                del self._undecided[command.row_name]
        net = self._pending.get(command.row_name)
        if net is not None and net.operation == INSERT:
            net.passed_over.append(command)

    def _drop_pending(self) -> None:
        self._pending.clear()
        self._raw.clear()
        self._raw_behind.clear()
        self._again.clear()
        self._undecided.clear()
