"""The first case: one delivery of queued updating, with few conflicts, spread over many rows."""

from __future__ import annotations

from statistics import median

from tests.python.bench.bench import Bench
from tests.python.bench.machine import peak_memory
from tests.python.bench.peers.bare_log import BareLog
from tests.python.bench.peers.bare_merge import BareMerge
from tests.python.bench.peers.dbt_incremental import DbtIncremental
from tests.python.bench.results import Result, seconds
from tests.python.bench.workload import Batch


def run(bench: Bench) -> None:
    """Decisions, log, published rows and conflicts, against the engine and the usual dbt model."""
    sizes = bench.sizes
    product = bench.product("queued", sizes.rows)
    merge, log = BareMerge(product), BareLog(product)
    last_wins = DbtIncremental(bench.home, product)
    ours, merges, writes, models = [], [], [], []
    for _ in range(bench.repeats):
        merge.remember()
        last_wins.remember()
        ours.append(bench.run(product, Batch(sizes.changes, sizes.rows)).seconds)
        merges.append(merge.run())
        writes.append(merges[-1] + log.run())
        models.append(last_wins.run())
        bench.say(
            f"   bare MERGE {seconds(merges[-1])}, with the log {seconds(writes[-1])},"
            f" row_number() {seconds(models[-1])}"
        )
    what, mine = "decisions, log, rows, conflicts", median(ours)
    for against, theirs, limit in (
        ("bare MERGE", median(merges), 1.5),
        ("bare MERGE, and the log written", median(writes), None),
        ("dbt model with row_number()", median(models), None),
    ):
        bench.add(Result(what, seconds(mine), against, seconds(theirs), mine / theirs, limit))
    bench.note(f"Memory of the JVM: {peak_memory(product.spark)}")
    bench.note(f"For each change: {bench.moved}")
    bench.note(f"The models that took longest: {bench.slowest}")


def run_with_commands(bench: Bench) -> None:
    """The same, and the commands for subscribers."""
    sizes = bench.sizes
    product = bench.product("queued", sizes.rows)
    merge = BareMerge(product)
    product.build()  # the commands of earlier runs
    ours, merges = [], []
    for _ in range(bench.repeats):
        merge.remember()
        batch = Batch(sizes.changes, sizes.rows)
        ours.append(bench.run(product, batch, commands=True).seconds)
        merges.append(merge.run())
    bench.add(
        Result(
            "the same with commands",
            seconds(median(ours)),
            "bare MERGE",
            seconds(median(merges)),
            median(ours) / median(merges),
            2.2,
        )
    )
    bench.note(f"For each change: {bench.moved}")
    bench.note(f"The models that took longest: {bench.slowest}")
