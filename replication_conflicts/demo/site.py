"""One publication of the demo: its story, played at databases by the product's own capture and
agent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from replication_conflicts.capture.install import install
from replication_conflicts.capture.ports import SharedFeedSink
from replication_conflicts.capture.state import capture_state
from replication_conflicts.capture.upload import SealedBatch, seal, upload_together
from replication_conflicts.database.agent_tables import conflicts, read_position
from replication_conflicts.database.articles import NodePublication
from replication_conflicts.database.engine import dialect_of
from replication_conflicts.database.statements import Tables
from replication_conflicts.demo.commands import ListedCommands
from replication_conflicts.demo.databases import (
    MakeUrl,
    NodeRows,
    all_rows,
    create_tables,
    open_hasty,
)
from replication_conflicts.demo.office import DatabaseOffice, Reader
from replication_conflicts.distribution.agent import Agent, Ports, Summary
from replication_conflicts.distribution.apply import Node
from replication_conflicts.distribution.ports import (
    CommandSource,
    FirstRows,
    Refusal,
    Reinitialized,
    ReportSink,
    SnapshotSource,
)
from replication_conflicts.publication.commands import AgentCommand, Place
from replication_conflicts.publication.rows import SnapshotRow, StoredRow
from replication_conflicts.simulation import Identity, initial_rows, stamped_priority
from replication_conflicts.workload import Round, Rounds, Settings, Story

# a demo's uploads go as one batch, however many changes people have made
_ALL = 10**9


@dataclass(frozen=True)
class Links:
    """How a site reaches the lakehouse after a build; `commands` and `snapshots` by node."""

    commands: Mapping[str, CommandSource]
    snapshots: Mapping[str, SnapshotSource]
    reports: ReportSink


class StartRows:
    """What agents reach before the first build: the rows that every node starts with."""

    def __init__(self, publication: NodePublication, rows: Iterable[StoredRow]) -> None:
        self._rows = [
            SnapshotRow(
                stored.article,
                {
                    name: kind.to_text(stored.row[name])
                    for name, kind in publication.article(stored.article).kinds.items()
                },
                stored.version,
                stored.lineage,
            )
            for stored in rows
        ]

    def first_rows(self) -> FirstRows:
        """What every node begins with."""
        return FirstRows(iter(self._rows))

    def initial_rows(self, articles: Collection[str]) -> Iterator[SnapshotRow]:
        """What every node holds of these articles before the first command about them."""
        return (row for row in self._rows if row.article in articles)

    def last_number(self, node: str) -> int:
        """Nobody has sent anything yet."""
        return 0

    def rows(self, command: AgentCommand) -> Iterator[SnapshotRow]:
        """Nothing was published yet that a snapshot could hold."""
        raise LookupError(f"snapshot {command.command_id} was taken before the first build")

    def refused(self, refusals: Iterable[Refusal]) -> None:
        """There is nothing yet that a database could refuse."""

    def check_takes_events(self) -> None:
        """Nothing is in the way."""

    def reinitialized(self, event: Reinitialized) -> None:
        """There is nothing yet to start over from."""


class Site:
    """The nodes of one publication, and the people at them."""

    _tables: Tables

    def __init__(self, story: Story, publication: NodePublication, settings: Settings) -> None:
        self.story = story
        self.publication = publication
        self._rounds = Rounds(story, settings)
        identity = Identity(publication.name, publication.options.publisher)
        self.initial: list[StoredRow] = initial_rows(
            publication.options,
            {name: list(rows) for name, rows in self._rounds.initial.items()},
            identity,
        )
        self.offices: dict[str, DatabaseOffice] = {}
        self._sealed: dict[str, SealedBatch] = {}

    @property
    def nodes(self) -> tuple[str, ...]:
        """The publisher and the subscribers."""
        return (self.publication.options.publisher, *self.story.subscribers)

    # --- the databases

    def open(self, make_url: MakeUrl) -> None:
        """Databases with captured tables, which hold the rows that every node starts with."""
        start = StartRows(self.publication, self.initial)
        engines = {name: open_hasty(make_url(self.publication.name, name)) for name in self.nodes}
        dialect = dialect_of(engines[self.nodes[0]])
        self._tables = Tables(self.publication, dialect)
        reader = Reader(self.publication, dialect)
        for name, engine in engines.items():
            create_tables(engine, self.publication, with_version=False)
            priority = stamped_priority(self.story.subscribers.get(name, {}))
            is_stamped = self.publication.is_merge and name in self.story.subscribers
            install(engine, self.publication, name, priority=priority if is_stamped else None)
            self.offices[name] = DatabaseOffice(engine, name, reader)
            agent = self._agent(name, Ports(ListedCommands(), start, start))
            agent.prepare()
            agent.initialize()
        self._rounds.open(list(self.offices.values()))

    def close(self) -> None:
        """Let go of the databases."""
        for office in self.offices.values():
            office.engine.dispose()

    def held(self, node: str) -> NodeRows:
        """Everything that a node's database holds."""
        return all_rows(self.offices[node].engine, self.publication)

    def has_record(self, node: str, conflict_id: str) -> bool:
        """Whether a node's database keeps the record of a conflict."""
        query = select(conflicts.c.command_id).where(conflicts.c.conflict_id == conflict_id)
        with self.offices[node].engine.begin() as connection:
            return connection.execute(query).first() is not None

    # --- a round

    def work(self) -> Round:
        """People at work, and captures that seal what each node uploads, at its own time."""
        played = self._rounds.play(self._seal)
        self._seal_one(self.nodes[0])
        return played

    def upload(self, feed: SharedFeedSink) -> int:
        """What is sealed enters the feed; the number of changes."""
        sealed, self._sealed = self._sealed, {}
        return upload_together(self.publication, feed, list(sealed.values())).changes

    def places(self, online: Sequence[str]) -> dict[str, Place]:
        """Up to where in the queue the publisher and those that are online have their commands."""
        found = {}
        for name in (self.nodes[0], *online):
            with self.offices[name].engine.begin() as connection:
                found[name] = read_position(connection, self.publication.name, name)
        return found

    def distribute(self, links: Links) -> dict[str, Summary]:
        """Every node that has commands among the links carries them out."""
        done = {}
        for name, commands in links.commands.items():
            ports = Ports(commands, links.snapshots[name], links.reports)
            done[name] = self._agent(name, ports).run()
            self.offices[name].look_again()
        return done

    @property
    def has_pending(self) -> bool:
        """Whether a node has something to upload; what it has is sealed, for the next upload."""
        return any(self._batch(name) is not None for name in self.nodes)

    def _seal(self, name: str) -> None:
        # the publisher is always online, and uploads in the middle of the others; under merge
        # replication it must come before what it has not seen, or its database would not hear of
        # its changes being merged
        if len(self._sealed) == 1 and not self.publication.is_merge:
            self._seal_one(self.nodes[0])
        self._seal_one(name)

    def _seal_one(self, name: str) -> None:
        if name not in self._sealed:
            found = self._batch(name)
            if found is not None:
                self._sealed[name] = found

    def _batch(self, name: str) -> SealedBatch | None:
        engine = self.offices[name].engine
        found = seal(engine, self.publication, _ALL)
        return None if found is None else SealedBatch(engine, found)

    def _agent(self, name: str, ports: Ports) -> Agent:
        engine = self.offices[name].engine
        state = capture_state(engine, name, self._tables)
        return Agent(engine, Node(self.publication, name, self._tables, state), ports)
