"""What the benchmark ran on: the machine, without its name, and the versions of what matters."""

from __future__ import annotations

import platform
from collections.abc import Mapping
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


def _kibibytes(file: Path, name: str) -> int:
    lines = file.read_text(encoding="ascii").splitlines()
    found = next(line for line in lines if line.startswith(f"{name}:"))
    return int(found.split()[1])
