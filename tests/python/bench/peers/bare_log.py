"""The engine alone once more: the rows that a run adds to the decision log, written and no more."""

from __future__ import annotations

import time

from tests.python.bench.product import Product


class BareLog:
    """The log's rows of the last run as a table of their own, partitioned as the log is.

    They are there already, read from one place; nobody has to decide, or to bring them together.
    """

    def __init__(self, product: Product) -> None:
        self._product = product
        self._table = f"{product.schema}_logged"

    def run(self) -> float:
        """Write what the last run has logged; the seconds of that."""
        spark, last_run = self._product.spark, self._product.last_run()
        spark.sql(f"drop table if exists {self._table}")
        started = time.monotonic()
        spark.sql(
            f"create table {self._table} using delta partitioned by (run_sequence) as"
            f" select * from {self._product.log}"
            f" where run_sequence = {last_run}"
        )
        return time.monotonic() - started
