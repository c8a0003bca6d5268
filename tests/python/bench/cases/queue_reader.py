"""The first case against a reader that takes one change at a time, on PostgreSQL."""

from __future__ import annotations

from replication_conflicts.database.local_postgres import LocalPostgres
from tests.python.bench.bench import Bench
from tests.python.bench.peers.queue_reader import QueueReader
from tests.python.bench.results import Result, speed
from tests.python.bench.workload import Batch


def run(bench: Bench) -> None:
    """Changes per second; the reader gets the same rows, and the beginning of the same queue."""
    sizes = bench.sizes
    product = bench.product("queued", sizes.rows)
    with LocalPostgres(is_durable=False) as server:
        reader = QueueReader(server.url())
        product.deliver(Batch(sizes.changes, sizes.rows))
        reader.take(product, sizes.queue_reader)
        ours = bench.build(product).seconds
        taken, counts = reader.run()
    read = sum(counts.values())
    bench.note(
        f"The reader took {read:,} changes, {counts['rejected']:,} of them were rejected; its "
        "server does not wait for the disk."
    )
    bench.add(
        Result(
            "decisions, log, rows, conflicts",
            speed(sizes.changes, ours),
            "queue reader on PostgreSQL",
            speed(read, taken),
            sizes.changes / ours * taken / read,
            20,
            is_speed=True,
        )
    )
