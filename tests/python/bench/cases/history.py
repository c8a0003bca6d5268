"""The same batch, with ten times the history in the log and ten times the tombstones."""

from __future__ import annotations

from tests.python.bench.bench import Bench
from tests.python.bench.results import Result, seconds
from tests.python.bench.workload import Batch

_TIMES = 10


def run(bench: Bench) -> None:
    """A project when its log has one batch, and again when it has ten times as many changes.

    What has been decided leaves the feed, so that the log alone grows, the commands made from it,
    and the tombstones.
    """
    sizes = bench.sizes
    product = bench.product("history", sizes.rows)
    batch = Batch(sizes.history, sizes.rows)
    bench.run(product, batch, commands=True, in_emptied_feed=True)
    young = bench.median_run(product, batch, commands=True, in_emptied_feed=True)
    young_log = product.decided()
    old_size = _TIMES * young_log - young_log
    bench.run(product, Batch(old_size, sizes.rows), commands=True, in_emptied_feed=True)
    old = bench.median_run(product, batch, commands=True, in_emptied_feed=True)
    old_log = product.decided()
    bench.add(
        Result(
            f"{sizes.history:,} changes with commands, {old_log:,} in the log",
            seconds(old),
            f"the same, {young_log:,} in the log",
            seconds(young),
            old / young,
            1.1,
        )
    )
