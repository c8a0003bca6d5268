"""A run without news, against as many trivial incremental models."""

from __future__ import annotations

from statistics import median

from tests.python.bench.bench import Bench
from tests.python.bench.peers.trivial_models import TrivialModels
from tests.python.bench.results import Result, seconds


def run(bench: Bench) -> None:
    """Both without tests and with as many threads."""
    product = bench.product("queued", bench.sizes.rows)
    nodes = len(product.build().nodes)
    trivial = TrivialModels(bench.home, product, nodes)
    trivial.run()  # makes its tables
    ours, theirs = [], []
    for _ in range(1 + bench.repeats):
        ours.append(product.build().seconds)
        theirs.append(trivial.run())
    bench.add(
        Result(
            f"nothing new, {nodes} nodes",
            seconds(median(ours)),
            f"{nodes} trivial incremental models",
            seconds(median(theirs)),
            median(ours) / median(theirs),
            1.2,
        )
    )
