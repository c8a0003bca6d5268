"""Rows of merge replication that many nodes have written, against rows that few have."""

from __future__ import annotations

from statistics import median

from tests.python.bench.bench import Bench
from tests.python.bench.product import Product
from tests.python.bench.results import Result, seconds
from tests.python.bench.workload import SUBSCRIBERS, Batch

FEW, MANY = 3, 50


def run(bench: Bench) -> None:
    """The same batch, over rows whose lineages are short or long, as are those of the changes."""
    sizes = bench.sizes
    few, many = [
        (product, Batch(sizes.history, sizes.few_rows, with_new_rows=False))
        for product in (_written_by(bench, FEW), _written_by(bench, MANY))
    ]
    short, long = [], []
    for _ in range(bench.repeats):
        short.append(bench.run(*few).seconds)
        long.append(bench.run(*many).seconds)
    bench.add(
        Result(
            f"lineages of {MANY} nodes",
            seconds(median(long)),
            f"lineages of {FEW} nodes",
            seconds(median(short)),
            median(long) / median(short),
            2,
        )
    )


def _written_by(bench: Bench, nodes: int) -> Product:
    """A project in which that many nodes have written every row, the publisher among them."""
    rows = bench.sizes.few_rows
    product = bench.product(f"lineages_{nodes}", rows, "merge")
    others = max(nodes - 1 - len(SUBSCRIBERS), 0)
    everything = Batch(rows, rows, stale=0, is_spread=True, with_new_rows=False, known_nodes=others)
    bench.run(product, everything)
    return product
