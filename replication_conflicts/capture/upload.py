"""Moving committed changes to the feed: exactly once, in order, transaction by transaction.

Changes are sealed into a batch with a number, which the database commits; the batch goes to the
feed, which knows the numbers it has; then the batch is taken off the queue. A process that dies in
between finds the sealed batch again and sends it as it was.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Engine, func, select, text
from sqlalchemy.exc import DBAPIError

from replication_conflicts.capture import tables
from replication_conflicts.capture.chains import in_chains
from replication_conflicts.capture.checks.postgres import check_sees_all
from replication_conflicts.capture.checks.since import check_can_be_read, check_is_captured
from replication_conflicts.capture.installation import (
    captured_node,
    check_articles,
)
from replication_conflicts.capture.ports import (
    BatchMismatch,
    FeedBatch,
    FeedMemory,
    FeedSink,
    SharedFeedSink,
)
from replication_conflicts.capture.problem import CaptureProblem
from replication_conflicts.capture.sessions import seal_session
from replication_conflicts.database.agent_tables import unreported_snapshot
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.database.engine import dialect_of
from replication_conflicts.database.faults import Fault, error_text, fault_of
from replication_conflicts.database.images import texts_of, values_of
from replication_conflicts.database.locks import SHORT_TRY_SECONDS, lock_tables
from replication_conflicts.database.metadata import metadata_name
from replication_conflicts.database.statements import run_plain
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.values import ValueProblem, parse_timestamp

CHANGES_AT_ONCE = 5_000
PATIENCE_SECONDS = 60.0
# an agent's report is a commit in the lakehouse
_REPORT_SECONDS = 1.0

# whole transactions, by the place of their last change, up to about so many changes; and up to
# which place there are any
_REACH = """
select max(case when changes_so_far - changes < :most then last_id end) as last,
    max(last_id) as newest
from (
    select max(queue_id) as last_id, count(*) as changes,
        sum(count(*)) over (order by max(queue_id)) as changes_so_far
    from replication_queue
    where publication = :publication and batch is null
    group by transaction_key
) as transactions
"""
_SEAL = """
update replication_queue as sealed
set batch = :batch, transaction_order = closed.last_id, transaction_id = closed.first_change,
    transaction_change_count = closed.changes
from (
    select one.transaction_key, one.last_id, one.changes, first.change_id as first_change
    from (
        select transaction_key, min(queue_id) as first_id, max(queue_id) as last_id,
            count(*) as changes
        from replication_queue
        where publication = :publication and batch is null
        group by transaction_key
        having max(queue_id) <= :last
    ) as one
    inner join replication_queue as first on first.queue_id = one.first_id
) as closed
where sealed.publication = :publication and sealed.batch is null
    and sealed.transaction_key = closed.transaction_key
"""


class _UnreportedSnapshot(CaptureProblem):
    """What was made on top of a snapshot must not come before the report of it."""

    def __init__(self, node: str, position: int) -> None:
        super().__init__(
            f"{node} has taken the snapshot of place {position}, and its report has not arrived: a"
            " run would judge its changes as if it still waited for the snapshot. `distribute`"
            " sends the report"
        )


@dataclass(frozen=True)
class Reach:
    """Up to which place of the database's queue a batch goes, and how far the queue went then."""

    last: int
    newest: int


# a session is all that there is
_ALL = Reach(0, 0)


@dataclass(frozen=True)
class Batch:
    """Changes that go to the feed together; each batch of a node has a higher `number`.

    `reach`: None for one that was on its way before.
    """

    node: str
    number: int
    size: int
    reach: Reach | None = field(default=None, compare=False)


@dataclass(frozen=True)
class SealedBatch:
    """A batch, and the database that it waits in."""

    engine: Engine
    batch: Batch


@dataclass
class Uploaded:
    """What an upload has moved."""

    changes: int = 0
    batches: int = 0


def upload(
    engine: Engine,
    publication: NodePublication,
    sink: FeedSink,
    most: int = CHANGES_AT_ONCE,
    progress: Callable[[Uploaded], None] = lambda _: None,
) -> Uploaded:
    """Move everything that is committed now; `most` changes, about, enter the feed at once.

    What people commit meanwhile may go with it, or waits for the next upload. `progress` is told
    after every batch what has been moved so far.
    Errors: those of `seal`.
    """
    done = Uploaded()
    # how far the queue went when the first new batch was sealed
    newest: int | None = None
    while (batch := _patient_seal(engine, publication, most)) is not None:
        rows = read(engine, publication, batch)
        if not rows:
            # another upload has brought it to the feed
            continue
        sink.deliver(batch.node, batch.number, rows)
        finish(engine, publication.name, batch)
        done.changes += batch.size
        done.batches += 1
        progress(done)
        if batch.reach is None:
            continue
        newest = batch.reach.newest if newest is None else newest
        if batch.reach.last >= newest:
            _check_captured(engine, publication)
            break
    return done


def check_is_installed(engine: Engine, publication: NodePublication) -> None:
    """What can be said before there is a feed to deliver to.

    Errors: CaptureProblem where nothing is captured, or other articles than the publication has.
    """
    with engine.begin() as connection:
        captured_node(connection, publication.name)
        check_articles(connection, publication)


def check_is_not_set_back(engine: Engine, publication: NodePublication, memory: FeedMemory) -> None:
    """For a database in which nothing is pending: what waits is compared when it is delivered.

    Errors: BatchMismatch where the feed has batches of the node that the database does not know:
    what was in them may be missing here, and no command brings a node its own changes.
    """
    before = _progress(engine, publication)
    node, number, size = before
    is_idle = not size and memory.has_batch(node, number)
    # else another upload is at work
    if is_idle and _progress(engine, publication) == before:
        raise BatchMismatch.of(node, number)


def _progress(engine: Engine, publication: NodePublication) -> tuple[str, int, int | None]:
    with engine.begin() as connection:
        return _state(connection, publication.name)


def _state(connection: Connection, publication: str) -> tuple[str, int, int | None]:
    """The node, its next batch, and how large that is, if it is sealed.

    0: the batch before was dropped by a reinitialization.
    """
    node = captured_node(connection, publication)
    mine = tables.nodes.c.publication == publication
    state = connection.execute(select(tables.nodes).where(mine)).mappings().one()
    return node, state["next_batch"], state["batch_size"]


def _check_captured(engine: Engine, publication: NodePublication) -> None:
    """Errors: CaptureProblem where a table is not captured any more."""
    with engine.begin() as connection:
        check_is_captured(connection, publication)


def upload_together(
    publication: NodePublication, sink: SharedFeedSink, sealed: Sequence[SealedBatch]
) -> Uploaded:
    """Move batches of several databases, in the order given and in one commit of the feed.

    Each is safe by itself: what a crash leaves sealed is sent again, together or alone.
    """
    found = [(one, read(one.engine, publication, one.batch)) for one in sealed]
    there = [(one, rows) for one, rows in found if rows]
    sink.deliver_together(
        [FeedBatch(one.batch.node, one.batch.number, rows) for one, rows in there]
    )
    for one, _ in there:
        finish(one.engine, publication.name, one.batch)
    return Uploaded(sum(one.batch.size for one, _ in there), len(there))


def seal(engine: Engine, publication: NodePublication, most: int = CHANGES_AT_ONCE) -> Batch | None:
    """The batch that is on its way, or a new one; None where nothing is pending.

    Under merge replication a batch is a session: everything that is pending.

    Errors: CaptureProblem, also where a snapshot is not reported yet, and where a table is not
    captured any more, once all is on its way that was captured before; DatabaseProblem where
    somebody does not stop writing.
    """
    with engine.begin() as connection:
        node = captured_node(connection, publication.name)
        if publication.is_merge:
            check_articles(connection, publication)
            check_can_be_read(connection, publication)
            if dialect_of(engine) == "postgres":
                _keep_still(connection, publication)
        check_articles(connection, publication)
        check_sees_all(connection, publication)
        found = _sealed(connection, publication, node, most)
        # last: an agent may have written its snapshot while this waited for it
        snapshot = unreported_snapshot(connection, publication.name, node)
        if found is not None and snapshot is not None:
            raise _UnreportedSnapshot(node, snapshot)
    if found is None:
        # people need not wait for that
        _check_captured(engine, publication)
    return found


def _keep_still(connection: Connection, publication: NodePublication) -> None:
    """Nobody writes while a session is made of what all tables hold at one moment.

    Who writes may hold one table and wait for another: then this gives up, and comes again, before
    PostgreSQL looks for a deadlock and ends somebody's transaction.
    """
    beside = (metadata_name(name) for name in publication.articles)
    lock_tables(
        connection,
        beside,
        "share row exclusive",
        PATIENCE_SECONDS,
        longest_try=SHORT_TRY_SECONDS,
    )
    # and an agent that begins with a snapshot may hold the node, and wait for one of them
    run_plain(connection, f"set local lock_timeout = {round(1000 * SHORT_TRY_SECONDS)}")


def _sealed(
    connection: Connection, publication: NodePublication, node: str, most: int
) -> Batch | None:
    mine = tables.nodes.c.publication == publication.name
    locked = select(tables.nodes).where(mine).with_for_update()
    state = connection.execute(locked).mappings().one()
    number, size = state["next_batch"], state["batch_size"]
    if size:
        return Batch(node, number, size)
    reach: Reach | None = _ALL
    if publication.is_merge:
        size = seal_session(connection, publication, number, node, state["priority"])
    else:
        reach = _reach(connection, publication.name, most)
        size = _seal(connection, publication.name, number, reach.last) if reach else 0
    if not size:
        return None
    connection.execute(tables.nodes.update().where(mine).values(batch_size=size))
    return Batch(node, number, size, reach)


def _patient_seal(engine: Engine, publication: NodePublication, most: int) -> Batch | None:
    """Seal a batch; again while people or an agent at work keep it from that."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return seal(engine, publication, most)
        except _UnreportedSnapshot:
            if time.monotonic() > deadline:
                raise
            time.sleep(_REPORT_SECONDS)
        except DBAPIError as error:
            if fault_of(error) is not Fault.BUSY:
                raise
            if time.monotonic() > deadline:
                raise CaptureProblem(
                    f"for {PATIENCE_SECONDS:g} s nothing could be sealed: {error_text(error)}."
                    " Where that is a lock, end the transaction that holds it; then upload again"
                ) from error
        time.sleep(random.uniform(0.01, 0.1))


def read(engine: Engine, publication: NodePublication, batch: Batch) -> list[FeedRow]:
    """The changes of a batch as rows of the feed; none where another upload has finished it.

    Errors: CaptureProblem where they are gone without that.
    """
    change = tables.queue.c
    query = (
        select(tables.queue)
        .where(change.publication == publication.name, change.batch == batch.number)
        .order_by(change.transaction_order, change.queue_id)
    )
    with engine.begin() as connection:
        dialect = dialect_of(engine)
        found = connection.execute(query).mappings().all()
        if len(found) != batch.size:
            _check_finished(connection, publication.name, batch)
            return []
    rows = []
    for row in found:
        article = publication.article(row["article"])
        with _naming(article, dict(row)):
            values = values_of(article, texts_of(article, dialect, row["row_image"]))
            rows.append(FeedRow(article.name, {**_contract(batch.node, dict(row)), **values}))
    return rows if publication.is_merge else in_chains(publication, rows)


def _check_finished(connection: Connection, publication: str, batch: Batch) -> None:
    """Errors: CaptureProblem where no other upload has taken a batch off the queue."""
    _, number, size = _state(connection, publication)
    name = f"batch {batch.number} of {batch.node}"
    if number == batch.number + 1 and size == 0:
        raise CaptureProblem(f"{name} was dropped meanwhile, by a reinitialization")
    if number <= batch.number:
        raise CaptureProblem(
            f"changes of {name} are missing in {tables.queue.name}: somebody has deleted them since"
            " they were sealed. Put them back; or give them up: `capture remove --discard`, and"
            " install the node anew"
        )


@contextmanager
def _naming(article: NodeArticle, row: Mapping[str, Any]) -> Iterator[None]:
    """Errors: ValueProblem, which names the change."""
    try:
        yield
    except (ValueError, TypeError, KeyError) as problem:
        where = f"change {row['queue_id']} of replication_queue"
        with suppress(ValueError, TypeError, AttributeError):
            image = json.loads(row["row_image"])
            key = {name: image.get(name) for name in article.shape.primary_key}
            where += f", of the row {key}"
        raise ValueProblem(f"{where}: {problem}") from problem


def _contract(node: str, row: Mapping[str, Any]) -> dict[str, object]:
    """The feed's own columns of a change, beside the queue position."""
    common: dict[str, object] = {
        "change_id": row["change_id"],
        "node": node,
        "transaction_id": row["transaction_id"],
        "transaction_change_count": row["transaction_change_count"],
        "operation": row["operation"],
        "changed_at": parse_timestamp(row["changed_at"]),
    }
    if row["merge_record"] is None:
        return {**common, "old_version": row["old_version"], "new_version": row["new_version"]}
    record = json.loads(row["merge_record"])
    priority = None if record["priority"] is None else Decimal(record["priority"])
    return {**common, **record, "known_position": None, "priority": priority}


def finish(engine: Engine, publication: str, batch: Batch) -> None:
    """The batch is in the feed: take it off the queue."""
    mine = tables.nodes.c.publication == publication
    with engine.begin() as connection:
        connection.execute(
            tables.queue.delete().where(
                tables.queue.c.publication == publication, tables.queue.c.batch == batch.number
            )
        )
        connection.execute(
            tables.nodes.update()
            .where(mine, tables.nodes.c.next_batch == batch.number)
            .values(next_batch=batch.number + 1, batch_size=None)
        )


def _reach(connection: Connection, publication: str, most: int) -> Reach | None:
    """How far a new batch goes; None where nothing is pending."""
    if connection.dialect.name == "sqlite":
        # an application that has not ended its transaction as it should has committed it
        connection.execute(tables.open_transaction.delete())
    names = {"publication": publication, "most": most}
    found = connection.execute(text(_REACH), names).mappings().one()
    return None if found["last"] is None else Reach(int(found["last"]), int(found["newest"]))


def _seal(connection: Connection, publication: str, number: int, last: int) -> int:
    """Seal what is pending up to a place; the number of changes."""
    names = {"publication": publication, "batch": number, "last": last}
    connection.execute(text(_SEAL), names)
    sealed = (tables.queue.c.publication == publication) & (tables.queue.c.batch == number)
    count = select(func.count()).select_from(tables.queue).where(sealed)
    return int(connection.execute(count).scalar_one())
