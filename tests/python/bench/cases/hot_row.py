"""All changes to one row, against as many to rows of their own."""

from __future__ import annotations

from tests.python.bench.bench import Bench
from tests.python.bench.results import Result, seconds
from tests.python.bench.workload import Batch


def run(bench: Bench) -> None:
    """Transactions of one change each, without rows that come and go."""
    changes = bench.sizes.hot
    product = bench.product("few", bench.sizes.few_rows)
    spread = Batch(changes, product.rows, transaction_size=1, is_spread=True, with_new_rows=False)
    hot = Batch(changes, 1, transaction_size=1, with_new_rows=False)
    apart = bench.median_run(product, spread)
    together = bench.median_run(product, hot)
    bench.add(
        Result(
            f"{changes:,} changes to one row",
            seconds(together),
            "to rows of their own",
            seconds(apart),
            together / apart,
            2,
        )
    )
