"""Peer 1: the engine alone. A bare Delta MERGE of the same net rows into the same table."""

from __future__ import annotations

import time

from tests.python.bench.product import BuildFailed, Product


class BareMerge:
    """The table as it is before a run, and then the run's net rows merged into it.

    No conflict is looked for, nothing is decided or recorded: what the engine itself needs.
    """

    def __init__(self, product: Product) -> None:
        self._product = product
        self._spark = product.spark
        self._table = f"{product.schema}_merged"
        self._spark.sql(f"drop table if exists {self._table}")

    def remember(self) -> None:
        """Keep the published table as it is: a clone shares its files."""
        self._spark.sql(f"drop table if exists {self._table}")
        self._spark.sql(f"create table {self._table} shallow clone {self._product.versions}")

    def run(self) -> float:
        """Merge what the last run published; the seconds of the MERGE alone."""
        spark, news = self._spark, f"{self._table}_news"
        spark.sql(f"drop table if exists {news}")
        spark.sql(
            f"create table {news} using delta as select * from {self._product.versions}"
            f" where run_sequence = {self._product.last_run()}"
        )
        started = time.monotonic()
        spark.sql(
            f"merge into {self._table} as published using {news} as news"
            " on published.row_key = news.row_key"
            " when matched then update set * when not matched then insert *"
        )
        seconds = time.monotonic() - started
        self._check()
        return seconds

    def _check(self) -> None:
        """Both tables are the same now. Errors: BuildFailed."""
        digests = {
            table: tuple(
                self._spark.sql(
                    "select count(*), sum(cast(xxhash64(row_key, row_version, quantity, is_deleted)"
                    f" as decimal(38, 0))) from {table}"
                ).collect()[0]
            )
            for table in (self._table, self._product.versions)
        }
        if len(set(digests.values())) != 1:
            raise BuildFailed(f"the bare MERGE gives another table: {digests}")
