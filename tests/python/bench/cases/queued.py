"""The first case: one delivery of queued updating, with few conflicts, spread over many rows."""

from __future__ import annotations

from statistics import median

from tests.python.bench.bench import Bench
from tests.python.bench.machine import peak_memory
from tests.python.bench.peers.bare_merge import BareMerge
from tests.python.bench.peers.dbt_incremental import DbtIncremental
from tests.python.bench.results import Result, seconds
from tests.python.bench.workload import Batch


def run(bench: Bench) -> None:
    """Against the bare MERGE, without and with the commands, and the model of the last change."""
    sizes = bench.sizes
    product = bench.product("queued", sizes.rows)
    merge = BareMerge(product)
    last_wins = DbtIncremental(bench.home, product)
    batch = Batch(sizes.changes, sizes.rows)
    times: dict[bool, list[float]] = {False: [], True: []}
    merges: list[float] = []
    plain: list[float] = []
    for commands in [False, True] * bench.repeats:
        merge.remember()
        last_wins.remember()
        times[commands].append(bench.run(product, batch, commands=commands).seconds)
        if not commands:
            product.build()  # its commands, before the next run is to write its own
        merges.append(merge.run())
        plain.append(last_wins.run())
        bench.say(f"   bare MERGE {seconds(merges[-1])}, row_number() {seconds(plain[-1])}")
    without, with_commands = median(times[False]), median(times[True])
    for what, ours, limit in (
        ("decisions, log, rows, conflicts", without, 1.5),
        ("the same with commands", with_commands, 2.2),
    ):
        _add(bench, what, ours, "bare MERGE", median(merges), limit)
    what = "decisions, log, rows, conflicts"
    _add(bench, what, without, "dbt model with row_number()", median(plain), None)
    bench.note(f"Memory of the JVM: {peak_memory(product.spark)}")


def _add(
    bench: Bench, what: str, ours: float, against: str, theirs: float, limit: float | None
) -> None:
    bench.add(Result(what, seconds(ours), against, seconds(theirs), ours / theirs, limit))
