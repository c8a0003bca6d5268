"""What commands and snapshots mean for what is captured at a node."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby

from sqlalchemy import Connection, Engine, inspect, select, text

from replication_conflicts.capture import tables
from replication_conflicts.capture.checks.postgres import check_sees_all
from replication_conflicts.capture.checks.since import check_is_captured
from replication_conflicts.capture.install import ExistingRows, pending_changes
from replication_conflicts.capture.installation import (
    captured_node,
    check_articles,
)
from replication_conflicts.capture.numbers import OwnNumbers
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.triggers import own_triggers
from replication_conflicts.capture.triggers.merge_bodies import (
    IS_AGAIN,
    OPERATION,
    UPLOADED_ID,
    UPLOADED_VERSION,
)
from replication_conflicts.database.articles import NodePublication
from replication_conflicts.database.captured import CaptureState, NoCapture
from replication_conflicts.database.images import image_sql, json_text, quoted, texts_of
from replication_conflicts.database.metadata import (
    LINEAGE,
    NO_ROW,
    UNDECIDED,
    VERSION,
    metadata_name,
    metadata_shape,
    parent_names,
)
from replication_conflicts.database.statements import (
    Prepared,
    Tables,
    escaped,
    prepared,
    run_plain,
    where_key,
)
from replication_conflicts.publication.commands import NOT_APPLIED, AgentCommand
from replication_conflicts.publication.rows import SnapshotRow
from replication_conflicts.publication.values import Texts
from replication_conflicts.statements import NEW_VERSION, OLD_VERSION, parameter_name


class QueuedCapture:
    """Queued updating: versions are in the rows themselves."""

    def __init__(self, publication: NodePublication, dialect: str) -> None:
        self._publication = publication
        self._dialect = dialect

    def applied(self, connection: Connection, commands: Sequence[AgentCommand]) -> None:
        """The statements have set the versions."""

    def freed(self, connection: Connection) -> Sequence[AgentCommand]:
        """What a command has found under way is decided, and another command says how."""
        return ()

    def started_over(self, connection: Connection) -> None:
        """What is pending was made on rows that go; a batch on its way is never sent again."""
        drop_queue(connection, self._publication)

    def took(self, connection: Connection, rows: Sequence[SnapshotRow]) -> None:
        """The statements have set the versions."""

    def sent_before(self, connection: Connection, last_number: int) -> None:
        """A version is an id of its own, without a number."""

    def pending(self, connection: Connection) -> Mapping[str, int]:
        """What waits in the queue, and what is on its way."""
        return pending_changes(connection, self._publication)

    def awaits_snapshot(self, connection: Connection) -> bool:
        """As `install` was told."""
        return awaits_snapshot(connection, self._publication)

    def own_triggers(self, article: str) -> frozenset[str]:
        """Those that write the queue, and keep versions."""
        return own_triggers(self._dialect, article, is_merge=False)


def awaits_snapshot(connection: Connection, publication: NodePublication) -> bool:
    """Whether a snapshot replaces the rows that were there before `install`."""
    node = tables.nodes.c
    query = select(node.existing_rows).where(node.publication == publication.name)
    return connection.execute(query).scalar() == ExistingRows.SNAPSHOT.value


def drop_queue(connection: Connection, publication: NodePublication) -> None:
    """Forget changes that are not in the feed; the number of their batch is not given again."""
    mine = tables.queue.c.publication == publication.name
    connection.execute(tables.queue.delete().where(mine))
    node = tables.nodes.c.publication == publication.name
    connection.execute(
        tables.nodes.update()
        .where(node, tables.nodes.c.batch_size > 0)
        .values(next_batch=tables.nodes.c.next_batch + 1, batch_size=0)
    )


class MergeCapture:
    """Merge replication: lineages stand beside the rows, and change with them."""

    def __init__(self, publication: NodePublication, node: str, rows: Tables) -> None:
        self._publication = publication
        self._node = node
        self._numbers = OwnNumbers(publication.name, node)
        self._rows = rows
        self._metadata: dict[str, dict[str, Prepared]] = {}
        self._where_key: dict[str, str] = {}
        for name, article in publication.articles.items():
            shape = metadata_shape(article)
            beside = prepared(shape, rows.dialect)
            self._where_key[name] = where_key(shape, beside["delete"])
            # a tombstone is a row without a version, so that inserts find it, too
            gone = prepared(metadata_shape(article, is_deleting=True), rows.dialect)["update"]
            self._metadata[name] = {**beside, "delete": gone}

    def applied(self, connection: Connection, commands: Sequence[AgentCommand]) -> None:
        """Versions and lineages follow; a command that found an unsent insert is kept.

        The node's own numbers are taken, those of a command that has not acted, too: a change of
        its own that has lost is known as the version that goes, and nowhere else.
        """
        versions = (one for c in commands for one in (c.old_version, c.new_version))
        last = self._numbers.last_in((command.lineage for command in commands), versions)
        self._numbers.count_on(connection, last)
        changes = [command for command in commands if command.changes_a_row]
        self._keep_passed_over(connection, changes)
        self._follow(connection, changes)
        self._are_decided(connection, changes)
        for command in commands:
            if command.kind == NOT_APPLIED:
                self._send_again(connection, command)

    def freed(self, connection: Connection) -> Sequence[AgentCommand]:
        """Commands that found an insert of the node's, which is undone; they are kept no longer."""
        passed = tables.passed_over.c
        kept = connection.execute(
            select(tables.passed_over)
            .where(passed.publication == self._publication.name)
            .order_by(passed.queue_position, passed.sequence)
        ).mappings()
        commands = [
            AgentCommand(**{**json.loads(row["command"]), "snapshot": ()}) for row in kept.all()
        ]
        freed = [one for one in commands if not self._unsent_inserts(connection, [one])]
        for command in freed:
            mine = passed.command_id == command.command_id
            connection.execute(tables.passed_over.delete().where(mine))
        return freed

    def started_over(self, connection: Connection) -> None:
        """Nothing that the node knew or has changed stays."""
        drop_queue(connection, self._publication)
        passed = tables.passed_over
        mine = passed.c.publication == self._publication.name
        connection.execute(passed.delete().where(mine))
        for name in self._publication.articles:
            run_plain(connection, f"delete from {quoted(metadata_name(name))}")

    def took(self, connection: Connection, rows: Sequence[SnapshotRow]) -> None:
        """The rows' versions and lineages; the node's own numbers among them are taken."""
        last = self._numbers.last_in((row.lineage for row in rows), (row.version for row in rows))
        self._numbers.count_on(connection, last)
        self._write(
            connection,
            rows[0].article,
            "insert",
            [self._values(one.article, one.row, one.lineage, None, one.version) for one in rows],
        )

    def sent_before(self, connection: Connection, last_number: int) -> None:
        """What nobody has decided yet is in no command and in no snapshot."""
        self._numbers.count_on(connection, last_number)

    def pending(self, connection: Connection) -> Mapping[str, int]:
        """What is folded beside the rows, what goes again, and what is on its way."""
        return pending_changes(connection, self._publication)

    def awaits_snapshot(self, connection: Connection) -> bool:
        """As `install` was told."""
        return awaits_snapshot(connection, self._publication)

    def own_triggers(self, article: str) -> frozenset[str]:
        """Those that keep versions and lineages."""
        return own_triggers(self._rows.dialect, article, is_merge=True)

    def _follow(self, connection: Connection, commands: Sequence[AgentCommand]) -> None:
        """Where a command has acted, the version and what is known are its own."""
        for (article, is_insert, is_delete), group in groupby(
            commands, lambda c: (c.article or "", c.old_version is None, c.row is None)
        ):
            found = list(group)
            if is_insert:
                blank = [self._values(article, one.key or {}, {}, None, NO_ROW) for one in found]
                self._write(connection, article, "insert", blank)
            changes = [
                self._values(
                    article,
                    {**(one.key or {}), **(one.row or {})},
                    one.lineage,
                    one.old_version or NO_ROW,
                    one.new_version or NO_ROW,
                )
                for one in found
            ]
            self._write(connection, article, "delete" if is_delete else "update", changes)

    def _are_decided(self, connection: Connection, commands: Sequence[AgentCommand]) -> None:
        """Rows whose last uploaded change has been decided, though no command has acted on them.

        The command about it leads from or to its version; or others have deleted the row, too.
        """
        for article, group in groupby(commands, lambda command: command.article or ""):
            if not self._publication.options.is_detected_by_record(article):
                continue
            decided = f"update {quoted(metadata_name(article))} set {UNDECIDED} = null"
            decided += f"{self._where_key[article]} and"
            found = [(one, self._rows[article].bound(one.key or {})) for one in group]
            is_own = f"{decided} {UPLOADED_VERSION} in (:{OLD_VERSION}, :{NEW_VERSION})"
            own = [
                {**key, OLD_VERSION: one.old_version, NEW_VERSION: one.new_version}
                for one, key in found
                if self._is_about_own_version(one)
            ]
            is_gone = f"{decided} {VERSION} = '{NO_ROW}'"
            gone = [key for one, key in found if one.row is None]
            for statement, values in ((is_own, own), (is_gone, gone)):
                if values:
                    connection.execute(text(escaped(statement)), values)

    def _is_about_own_version(self, command: AgentCommand) -> bool:
        versions = (command.old_version, command.new_version)
        return any((version or "").startswith(f"{self._node}:") for version in versions)

    def _write(
        self, connection: Connection, article: str, operation: str, values: list[dict[str, object]]
    ) -> None:
        statement = self._metadata[article][operation]
        connection.execute(statement.clause, [statement.values(one) for one in values])

    def _values(
        self,
        article: str,
        row: Texts,
        lineage: Mapping[str, int],
        old: str | None,
        new: str,
    ) -> dict[str, object]:
        known = self._publication.article(article)
        bound = self._rows[article].bound(row)
        parents = {
            name: bound.get(parameter_name(column))
            for name, column in zip(parent_names(known), known.parent_columns, strict=True)
        }
        # as triggers write names: SQLite would take an escaped one for another
        known_of = json.dumps(dict(lineage), ensure_ascii=False)
        versions = {OLD_VERSION: old, NEW_VERSION: new, LINEAGE: known_of, UNDECIDED: None}
        return {**bound, **parents, **versions}

    # --- inserts that are not uploaded: what comes down about them acts if they are undone

    def _unsent_inserts(
        self, connection: Connection, commands: Sequence[AgentCommand]
    ) -> dict[str, str]:
        """Version by key, of one article; about a single command only its own row is looked at."""
        article = commands[0].article or ""
        shape = self._publication.article(article)
        image = image_sql(shape, self._rows.dialect, "held", shape.shape.primary_key)
        is_insert = f"{OPERATION} = 'insert'"
        where, key = f" where {is_insert}", {}
        if len(commands) == 1:
            where = f"{self._where_key[article]} and {is_insert}"
            key = self._rows[article].bound(commands[0].key or {})
        query = (
            f"select {image} as key_image, {VERSION} as version"
            f" from {quoted(metadata_name(article))} held{where}"
        )
        return {
            str(json_text(texts_of(shape, self._rows.dialect, row["key_image"]))): row["version"]
            for row in connection.execute(text(escaped(query)), key).mappings()
        }

    def _keep_passed_over(self, connection: Connection, commands: Sequence[AgentCommand]) -> None:
        by_article: dict[str, list[AgentCommand]] = {}
        for command in commands:
            by_article.setdefault(command.article or "", []).append(command)
        unsent = {
            article: self._unsent_inserts(connection, found)
            for article, found in by_article.items()
        }
        for command in commands:
            key = str(json_text(command.key))
            version = unsent[command.article or ""].get(key)
            if version is not None and version != command.old_version:
                connection.execute(
                    tables.passed_over.insert(),
                    {
                        "command_id": command.command_id,
                        "publication": self._publication.name,
                        "article": command.article,
                        "row_key": key,
                        "queue_position": command.queue_position,
                        "sequence": command.sequence,
                        "command": json.dumps(asdict(command)),
                    },
                )

    def _send_again(self, connection: Connection, command: AgentCommand) -> None:
        for name in self._publication.articles:
            connection.execute(
                text(
                    f"update {escaped(quoted(metadata_name(name)))} set {IS_AGAIN} = 1"
                    f" where {UPLOADED_ID} = :change and {UPLOADED_VERSION} = {VERSION}"
                    f" and {OPERATION} is null"
                ),
                {"change": command.cause},
            )


def capture_state(engine: Engine, node: str, rows: Tables) -> CaptureState:
    """What the agent has to keep up to date in this database.

    Errors: CaptureProblem where the database takes part as another node, or with other articles, or
    where a table is not captured any more, or not seen whole.
    """
    publication = rows.publication
    with engine.begin() as connection:
        check_sees_all(connection, publication)
        if not inspect(connection).has_table(tables.nodes.name):
            return NoCapture()
        try:
            captured_as = captured_node(connection, publication.name)
        except CaptureProblem:
            return NoCapture()
        check_articles(connection, publication)
        check_is_captured(connection, publication)
    if captured_as != node:
        raise CaptureProblem(
            f"this database is the node '{captured_as}', not '{node}': correct the subscriber or"
            " the URL"
        )
    if publication.is_merge:
        return MergeCapture(publication, node, rows)
    return QueuedCapture(publication, rows.dialect)
