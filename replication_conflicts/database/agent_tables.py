"""What the agent keeps in a subscriber's database, beside the articles.

Reports wait here until they have arrived: they are written in the transaction that they are
about, so that a crash loses none.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    Text,
    inspect,
    select,
)

from replication_conflicts.database.engine import DatabaseProblem
from replication_conflicts.publication.commands import Place

metadata = MetaData()

positions = Table(
    "replication_position",
    metadata,
    Column("publication", Text, primary_key=True),
    Column("subscriber", Text, primary_key=True),
    Column("queue_position", BigInteger, nullable=False),
    Column("behind_position", BigInteger, nullable=False),
    comment="Up to which place of the queue this database has its commands.",
)
conflicts = Table(
    "replication_conflict",
    metadata,
    Column("command_id", Text, primary_key=True),
    Column("publication", Text, nullable=False),
    Column("conflict_id", Text),
    Column("article", Text),
    Column("row_key", Text, nullable=False),
    Column("lost_row", Text),
    Column("queue_position", BigInteger, nullable=False),
    Column("logged_at", Text, nullable=False),
    comment="Conflicts that this node lost, with the row that did not survive (JSON).",
)
refusals = Table(
    "replication_refusal",
    metadata,
    Column("command_id", Text, primary_key=True),
    Column("publication", Text, nullable=False),
    Column("article", Text, nullable=False),
    Column("row_key", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("error_code", Integer, nullable=False),
    Column("error_text", Text, nullable=False),
    Column("held_row", Text),
    Column("is_skipped", Boolean, nullable=False),
    Column("is_reported", Boolean, nullable=False),
    comment="Commands that this database refused.",
)
events = Table(
    "replication_event",
    metadata,
    Column("publication", Text, primary_key=True),
    Column("subscriber", Text, primary_key=True),
    Column("snapshot_position", BigInteger, primary_key=True),
    Column("at", Text, nullable=False),
    Column("is_reported", Boolean, nullable=False),
    comment="Snapshots that this database has taken.",
)
starts = Table(
    "replication_start",
    metadata,
    Column("publication", Text, primary_key=True),
    Column("subscriber", Text, primary_key=True),
    Column("article", Text, primary_key=True),
    comment="Articles with which this database began: their initial rows came then, or not at all.",
)
agent = Table(
    "replication_agent",
    metadata,
    Column("is_at_work", Integer, nullable=False),
    comment="Holds a row only inside a transaction of the agent.",
)


def create_tables(engine: Engine) -> None:
    """Make the agent's tables, unless they are there. Errors: DatabaseProblem, see below."""
    with engine.begin() as connection:
        check_are_own(connection, metadata)
        metadata.create_all(connection)


def check_are_own(connection: Connection, *groups: MetaData) -> None:
    """Errors: DatabaseProblem where somebody else has a table of such a name.

    It would be written to, and dropped in the end.
    """
    inspector = inspect(connection)
    for table in (one for group in groups for one in group.sorted_tables):
        if not inspector.has_table(table.name):
            continue
        held = {one["name"] for one in inspector.get_columns(table.name)}
        missing = [column.name for column in table.columns if column.name not in held]
        if missing:
            raise DatabaseProblem(
                f"there is a table {table.name!r} without the columns {', '.join(missing)}: it is"
                " somebody else's, or of another version of this program. Give it another name"
            )


def is_known(connection: Connection, publication: str, subscriber: str) -> bool:
    """Whether a snapshot or a command has come: a run that found nothing leaves no position."""
    return _position(connection, publication, subscriber, is_locked=False) is not None


def read_position(connection: Connection, publication: str, subscriber: str) -> Place:
    """The place in the queue up to which commands are applied; before the first: before all."""
    return _position(connection, publication, subscriber, is_locked=False) or Place()


def lock_position(connection: Connection, publication: str, subscriber: str) -> Place:
    """The same, and nobody else can move it before this transaction ends."""
    return _position(connection, publication, subscriber, is_locked=True) or Place()


def move_position(connection: Connection, publication: str, subscriber: str, place: Place) -> None:
    """Note the place that the rows of this transaction stand for."""
    at = {"queue_position": place.position, "behind_position": place.behind}
    moved = connection.execute(
        positions.update()
        .where(positions.c.publication == publication, positions.c.subscriber == subscriber)
        .values(at)
    )
    if not moved.rowcount:
        names = {"publication": publication, "subscriber": subscriber}
        connection.execute(positions.insert(), {**names, **at})


def later_articles(
    connection: Connection, publication: str, subscriber: str, articles: Iterable[str]
) -> list[str]:
    """Those of the articles that have come since the database began; none before it does."""
    if not is_known(connection, publication, subscriber):
        return []
    one = starts.c
    query = select(one.article).where(one.publication == publication, one.subscriber == subscriber)
    known: set[str] = set(connection.execute(query).scalars())
    return [article for article in articles if article not in known]


def note_start(
    connection: Connection, publication: str, subscriber: str, articles: Iterable[str]
) -> None:
    """The database has what the articles began with."""
    one = starts.c
    names = list(articles)
    mine = (one.publication == publication) & (one.subscriber == subscriber)
    connection.execute(starts.delete().where(mine, one.article.in_(names)))
    rows = [
        {"publication": publication, "subscriber": subscriber, "article": name} for name in names
    ]
    connection.execute(starts.insert(), rows)


def unreported_snapshot(connection: Connection, publication: str, subscriber: str) -> int | None:
    """The place of a snapshot that is in the tables, and that no run has been told of yet."""
    event = events.c
    query = select(event.snapshot_position).where(
        event.publication == publication,
        event.subscriber == subscriber,
        event.is_reported.is_(False),
    )
    return connection.execute(query.order_by(event.snapshot_position).limit(1)).scalar()


def now_text() -> str:
    """The moment, as text that sorts."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def _position(
    connection: Connection, publication: str, subscriber: str, *, is_locked: bool
) -> Place | None:
    query = select(positions.c.queue_position, positions.c.behind_position).where(
        positions.c.publication == publication, positions.c.subscriber == subscriber
    )
    # SQLite has no such clause, and its transactions here hold the lock from their beginning
    found = connection.execute(query.with_for_update() if is_locked else query).first()
    return None if found is None else Place(int(found[0]), int(found[1]))
