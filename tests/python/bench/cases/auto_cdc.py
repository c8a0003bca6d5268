"""The first case against Spark's own change application."""

from __future__ import annotations

from tests.python.bench.bench import Bench
from tests.python.bench.peers.auto_cdc import ICEBERG, AutoCdc
from tests.python.bench.results import Result, seconds
from tests.python.bench.workload import Batch


def run(bench: Bench) -> None:
    """The same feed; both have taken a batch before the one that is measured."""
    sizes = bench.sizes
    product = bench.product("queued", sizes.rows)
    auto_cdc = AutoCdc(bench.home, product)
    auto_cdc.take_rows()
    times = []
    for changes in (sizes.warm_up, sizes.changes):
        product.deliver(Batch(changes, sizes.rows))
        auto_cdc.take_changes()
        times.append(bench.build(product).seconds)
    ours, theirs = times[-1], auto_cdc.run()[-1]
    bench.note(f"AUTO CDC writes a table of Iceberg ({ICEBERG}).")
    bench.add(
        Result(
            "decisions, log, rows, conflicts",
            seconds(ours),
            "AUTO CDC",
            seconds(theirs),
            ours / theirs,
            1,
        )
    )
