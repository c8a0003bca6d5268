"""Peer 2: Spark's own change application, Declarative Pipelines' AUTO CDC, on the same feed.

It writes by the row-level operations of a connector; its table is in Iceberg's format. It keeps the
last change of each row; conflicts are not seen.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement

from replication_conflicts.environment import jars
from tests.python.bench import settings
from tests.python.bench.peers import auto_cdc_pipeline
from tests.python.bench.product import BuildFailed, Home, Product
from tests.python.bench.workload import COLUMNS

# the newest one that is released, for Spark 4.1: Spark 4.2 refuses its catalog (docs/benchmarks.md)
ICEBERG = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"
_CATALOG = "lake"
_REASON = re.compile(r"\s*details = |[\w.]+(Exception|Error): (?!<)")
_FEED_COLUMNS = {**COLUMNS, "queue_position": "bigint", "operation": "string"}


class AutoCdc:
    """A pipeline with a table of its own, in a process of its own that lives for all its runs."""

    def __init__(self, home: Home, product: Product) -> None:
        self._folder = (home.folder / f"{product.schema}_auto_cdc").resolve()
        self._tools = home.folder.resolve().parent / "auto_cdc"
        self._product = product
        self._memory = home.settings["spark.driver.memory"]
        self._arrivals: list[Path] = []

    def take_rows(self) -> None:
        """Begin with the rows that the pipeline under measurement has published by now."""
        columns = ", ".join(COLUMNS)
        self._add(
            f"select {columns}, 0L as queue_position, 'insert' as operation"
            f" from {self._product.versions} where not is_deleted"
        )

    def take_changes(self) -> None:
        """Take what has just arrived in the feed."""
        self._add(f"select {', '.join(_FEED_COLUMNS)} from ({self._product.new_changes()})")

    def run(self) -> list[float]:
        """One update of the pipeline for each of what was taken; their seconds."""
        spec = {
            "settings": self._settings(),
            "format": "iceberg",
            "catalog": _CATALOG,
            "arrivals": [str(one) for one in self._arrivals],
            "feed": str(self._folder / "feed"),
            "schema": ", ".join(f"{name} {kind}" for name, kind in _FEED_COLUMNS.items()),
            "left_out": ["operation"],
            "folder": str(self._folder / "pipeline"),
        }
        file = self._folder / "spec.json"
        file.write_text(json.dumps(spec), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, auto_cdc_pipeline.__file__, str(file)],
            env={**os.environ, "PYTHONPATH": str(self._packages())},
            capture_output=True,
            text=True,
            check=False,
        )
        (self._folder / "log").write_text(done.stdout + done.stderr, encoding="utf-8")
        if done.returncode:
            raise BuildFailed(f"AUTO CDC failed: {reason(done.stderr)}")
        return [one["seconds"] for one in _reports(done.stdout)]

    def _add(self, query: str) -> None:
        arrival = self._folder / f"arrival_{len(self._arrivals)}"
        self._product.spark.sql(query).write.parquet(arrival.as_uri())
        self._arrivals.append(arrival)

    def _settings(self) -> dict[str, str]:
        cores = settings.cores()
        return {
            "spark.master": f"local[{cores}]",
            "spark.driver.memory": self._memory,
            "spark.driver.extraClassPath": str(self._iceberg()),
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": str(settings.partitions(cores)),
            "spark.ui.enabled": "false",
            "spark.sql.warehouse.dir": str(self._folder / "warehouse"),
            f"spark.sql.catalog.{_CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
            f"spark.sql.catalog.{_CATALOG}.type": "hadoop",
            f"spark.sql.catalog.{_CATALOG}.warehouse": str(self._folder / "iceberg"),
            "spark.sql.extensions": (
                "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
            ),
        }

    def _iceberg(self) -> Path:
        """Iceberg's jar, fetched once by Spark's resolver."""
        folder = self._tools / "jars"
        if not any(folder.glob("*iceberg*.jar")):
            self._tools.mkdir(parents=True, exist_ok=True)
            jars.resolve(self._tools, ICEBERG)
        return folder / "*"

    def _packages(self) -> Path:
        """What the client of pipelines needs beside PySpark, installed once."""
        folder = self._tools / "packages"
        if not folder.exists():
            subprocess.run(
                [
                    sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder),
                    "--disable-pip-version-check", *_client_requirements(),
                ],
                check=True,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        return folder


def _client_requirements() -> list[str]:
    """What this PySpark says that its pipelines need."""
    wanted = [Requirement(text) for text in requires("pyspark") or []]
    return [
        f"{one.name}{one.specifier}"
        for one in wanted
        if one.marker is not None
        and one.marker.evaluate({"extra": "pipelines"})
        and not one.marker.evaluate({"extra": ""})
    ]


def reason(errors: str) -> str:
    """What a client of Spark Connect says in the end: the server's details, or its last error."""
    lines = errors.strip().splitlines() or ["it said nothing"]
    said = [line for line in lines if _REASON.match(line)]
    return (said or lines)[-1].strip()


def _reports(output: str) -> Iterator[dict[str, float]]:
    """The lines of the pipeline's process that are its figures."""
    for line in output.splitlines():
        if line.startswith("{"):
            yield json.loads(line)
