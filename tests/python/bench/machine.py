"""What the benchmark ran on: the machine, without its name, and the versions of what matters."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from replication_conflicts.environment import jars
from tests.python.bench.settings import cores

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PACKAGES = ("pyspark", "dbt-core", "dbt-spark", "psycopg")
_MEMORY = Path("/proc/meminfo")
_MEBIBYTE = 1 << 20


def machine() -> str:
    """The machine in one line."""
    words = [f"{cores()} cores", platform.machine(), platform.system()]
    if _MEMORY.exists():
        words.insert(1, f"{_kibibytes(_MEMORY, 'MemTotal') / _MEBIBYTE:.0f} GiB")
    return ", ".join(words)


def versions() -> str:
    """The versions in one line."""
    found = {"Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    found["Delta"] = jars.PACKAGE.rpartition(":")[2]
    return in_words(found)


def in_words(found: Mapping[str, str]) -> str:
    """Names and values in one line."""
    return ", ".join(f"{name} {value}" for name, value in found.items())


def peak_memory(spark: SparkSession) -> str:
    """The most memory that Spark's process, driver and executor in one, has had so far."""
    java = spark._jvm.java.lang  # type: ignore[union-attr]
    limit = java.Runtime.getRuntime().maxMemory() / _MEBIBYTE / 1024
    status = Path(f"/proc/{java.ProcessHandle.current().pid()}/status")
    if not status.exists():
        return f"heap of at most {limit:.1f} GiB"
    peak = _kibibytes(status, "VmHWM") / _MEBIBYTE
    return f"{peak:.1f} GiB resident at the most, with a heap of at most {limit:.1f} GiB"


@dataclass(frozen=True)
class Traffic:
    """Bytes that Spark has moved: read from files, put into shuffles, and all that it wrote."""

    read: int
    shuffled: int
    written: int

    def since(self, before: Traffic) -> Traffic:
        """What was moved since an earlier look."""
        return Traffic(
            self.read - before.read,
            self.shuffled - before.shuffled,
            self.written - before.written,
        )

    def per(self, changes: int) -> str:
        """The bytes of each change, in words; what is written counts shuffles too."""
        return (
            f"{self.read / changes:,.0f} bytes read, {self.shuffled / changes:,.0f} shuffled,"
            f" {(self.written - self.shuffled) / changes:,.0f} written to files"
        )


def traffic(spark: SparkSession) -> Traffic:
    """What this session has moved so far; `written` needs Linux, and is what the process wrote."""
    executors = spark.sparkContext._jsc.sc().statusStore().executorList(True)
    found = [executors.apply(number) for number in range(executors.size())]
    java = spark._jvm.java.lang  # type: ignore[union-attr]
    counters = Path(f"/proc/{java.ProcessHandle.current().pid()}/io")
    lines = counters.read_text(encoding="ascii").splitlines() if counters.exists() else []
    written = next((int(line.split()[1]) for line in lines if line.startswith("wchar:")), 0)
    return Traffic(
        sum(one.totalInputBytes() for one in found),
        sum(one.totalShuffleWrite() for one in found),
        written,
    )


def _kibibytes(file: Path, name: str) -> int:
    lines = file.read_text(encoding="ascii").splitlines()
    found = next(line for line in lines if line.startswith(f"{name}:"))
    return int(found.split()[1])
