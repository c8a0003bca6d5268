"""Merge replication with column tracking, the first case's sizes."""

from __future__ import annotations

from statistics import median

from tests.python.bench.bench import Bench
from tests.python.bench.peers.bare_merge import BareMerge
from tests.python.bench.results import Result, seconds
from tests.python.bench.workload import Batch


def run(bench: Bench) -> None:
    """Against the bare MERGE of the same net rows."""
    sizes = bench.sizes
    product = bench.product("merge", sizes.rows, "merge")
    merge = BareMerge(product)
    ours, theirs = [], []
    for _ in range(bench.repeats):
        merge.remember()
        ours.append(bench.run(product, Batch(sizes.changes, sizes.rows)).seconds)
        theirs.append(merge.run())
    bench.add(
        Result(
            "decisions, log, rows, conflicts",
            seconds(median(ours)),
            "bare MERGE",
            seconds(median(theirs)),
            median(ours) / median(theirs),
            2,
        )
    )
    bench.note(f"For each change: {bench.moved}")
    bench.note(f"The models that took longest: {bench.slowest}")
