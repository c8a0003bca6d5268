"""The Spark session of the benchmark: one machine, set for real volumes."""

from __future__ import annotations

import os
from pathlib import Path

from replication_conflicts.environment.profile import (
    embedded_parameters,
    server_side_parameters,
)

# what the embedded target has for small data alone
_QUICK_STARTS = ("-XX:+UseSerialGC", "-Xms2g", "-Xmn1g", "-XX:ReservedCodeCacheSize=512m")
# Java leaves methods of more than 8,000 bytes uncompiled, and a decision is one
_LONG_RUNS = ("-XX:+UseParallelGC", "-XX:-DontCompileHugeMethods")

# the target for large volumes names the columns of which a dictionary is built for nothing
_DICTIONARY = "spark.hadoop.parquet.enable.dictionary#"


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
        **{key: value for key, value in _cluster_target().items() if key.startswith(_DICTIONARY)},
        "spark.sql.shuffle.partitions": str(partitions(cores)),
        "spark.databricks.delta.snapshotPartitions": str(cores),
        "spark.local.dir": str(state.resolve() / "scratch"),
    }


def _cluster_target() -> dict[str, str]:
    project = Path(__file__).parents[3]
    return server_side_parameters(project, project / "profiles", "cluster")


def partitions(cores: int) -> int:
    """How many parts a shuffle has at the most."""
    return 4 * cores


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
