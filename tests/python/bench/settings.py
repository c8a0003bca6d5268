"""The Spark session of the benchmark: one machine, set for real volumes."""

from __future__ import annotations

import os
from pathlib import Path

from replication_conflicts.environment.profile import embedded_parameters

# what the embedded target has for small data alone
_QUICK_STARTS = ("-XX:+UseSerialGC", "-Xms2g", "-Xmn1g", "-XX:ReservedCodeCacheSize=512m")
# Java leaves methods of more than 8,000 bytes uncompiled, and a decision is one
_LONG_RUNS = ("-XX:+UseParallelGC", "-XX:-DontCompileHugeMethods")

# columns of the log and of published rows that have another value in nearly every row: building a
# dictionary of them takes a third of the time of writing the log, for nothing
_ALL_DIFFERENT = (
    "change_id",
    "row_key",
    "transaction_id",
    "old_version",
    "new_version",
    "held_version",
    "held_change_id",
    "publisher_version",
    "content_hash",
    "change_row.key_value.value",
    "row_version",
    "version_change_id",
    "queue_position",
    "transaction_position",
    "changed_at",
)


def settings(state: Path, cores: int, memory: str) -> dict[str, str]:
    """What differs from the embedded target.

    Both compiler tiers, whole-stage code generation, adaptive execution, a heap for the volume, and
    as many partitions as the cores can use.
    """
    java = embedded_parameters(state)["spark.driver.extraJavaOptions"]
    kept = [word for word in java.split(" ") if word not in _QUICK_STARTS]
    return {
        "spark.master": f"local[{cores}]",
        "spark.driver.memory": memory,
        "spark.driver.extraJavaOptions": " ".join([*kept, *_LONG_RUNS]),
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.codegen.wholeStage": "true",
        "spark.sql.codegen.factoryMode": "FALLBACK",
        # the statements of a decision carry more columns than the hundred that Spark compiles
        "spark.sql.codegen.maxFields": "1000",
        # rounds, and run after run, have the same code again
        "spark.sql.codegen.cache.maxEntries": "2000",
        # Spark estimates rows in memory from compressed files: wide rows must not be broadcast
        "spark.sql.sources.fileCompressionFactor": "4",
        # joins of changes with changes need no sorting
        "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": "128m",
        # as many parts as were asked for, so that both cores have work to the end
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        # a run is one partition of the log: no need to bring its rows together
        "spark.databricks.delta.merge.repartitionBeforeWrite.enabled": "false",
        "spark.databricks.delta.merge.deletionVectors.persistent": "true",
        "spark.databricks.delta.optimizeMetadataQuery.enabled": "true",
        "spark.databricks.delta.fileSizeHistogramMetrics.enabled": "true",
        "spark.buffer.pageSize": "16m",
        **{f"spark.hadoop.parquet.enable.dictionary#{name}": "false" for name in _ALL_DIFFERENT},
        "spark.sql.shuffle.partitions": str(partitions(cores)),
        "spark.databricks.delta.snapshotPartitions": str(cores),
        "spark.local.dir": str(state.resolve() / "scratch"),
    }


def partitions(cores: int) -> int:
    """How many parts a shuffle has at the most."""
    return 4 * cores


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
