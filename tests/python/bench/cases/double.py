"""Twice as many changes, against so many."""

from __future__ import annotations

from tests.python.bench.bench import Bench
from tests.python.bench.results import Result, seconds
from tests.python.bench.workload import Batch


def run(bench: Bench) -> None:
    """The first case's project once with its changes and once with twice as many."""
    sizes = bench.sizes
    product = bench.product("queued", sizes.rows)
    once = bench.median_run(product, Batch(sizes.changes, sizes.rows))
    twice = bench.median_run(product, Batch(2 * sizes.changes, sizes.rows))
    bench.add(
        Result(
            f"{2 * sizes.changes:,} changes",
            seconds(twice),
            f"{sizes.changes:,} changes",
            seconds(once),
            twice / once,
            2.1,
        )
    )
