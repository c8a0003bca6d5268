"""Transactions of which half are rejected, over few rows."""

from __future__ import annotations

from replication_conflicts.database.local_postgres import LocalPostgres
from tests.python.bench.bench import Bench
from tests.python.bench.peers.queue_reader import QueueReader
from tests.python.bench.results import Result, seconds, speed
from tests.python.bench.workload import Batch

# as many rows as the changes go to
_ROWS = 100


def run(bench: Bench) -> None:
    """Against as many transactions without contention, and against the row-by-row reader."""
    changes = 2 * bench.sizes.contended
    product = bench.product("few", bench.sizes.few_rows)
    calm = bench.median_run(product, Batch(changes, product.rows, with_new_rows=False))
    contended = Batch(changes, _ROWS, stale=0.5, with_new_rows=False)
    with LocalPostgres(is_durable=False) as server:
        reader = QueueReader(server.url())
        product.deliver(contended)
        reader.take(product, bench.sizes.queue_reader)
        ours = bench.build(product).seconds
        taken, counts = reader.run()
    what = f"{bench.sizes.contended:,} transactions, half rejected, {_ROWS} rows"
    bench.add(Result(what, seconds(ours), "as many over all rows", seconds(calm), ours / calm, 3))
    read = sum(counts.values())
    bench.add(
        Result(
            what,
            speed(changes, ours),
            "queue reader on PostgreSQL",
            speed(read, taken),
            changes / ours * taken / read,
            1,
            is_speed=True,
        )
    )
