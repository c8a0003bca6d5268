"""The demo in one local process, its feeds on a cluster of this machine, and what differs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from replication_conflicts.cluster.standalone import DEFAULT_SIZE, standalone_cluster
from replication_conflicts.environment.folders import project_folder
from replication_conflicts.environment.profile import QUICK_START, quick_start, write_profile

Report = Callable[[str], None]
_MOST_LINES = 5


class PlayFailed(Exception):
    """The demo did not come to its end on one of the two; the message is what it said."""


@dataclass(frozen=True)
class Compared:
    """A relation in both results: how many rows, and lines that only one of them has."""

    name: str
    rows: int
    only_local: tuple[str, ...]
    only_cluster: tuple[str, ...]

    @property
    def is_equal(self) -> bool:
        """Whether both have the same rows."""
        return not self.only_local and not self.only_cluster


def play_on_both(folder: Path, transactions: int, report: Report) -> list[Compared]:
    """Play the demo locally and deliver its feeds on a standalone cluster; every relation of the
    two, compared.

    `folder` gets both warehouses and the cluster's files; what an earlier comparison left there is
    removed. Raises PlayFailed and ClusterProblem.
    """
    project = project_folder()
    if project is None:
        raise PlayFailed("this runs in a clone of the repository, where dbt_project.yml is")
    local, cluster = folder / "local", folder / "cluster"
    for old in (local, cluster):
        shutil.rmtree(old, ignore_errors=True)
    report("in one local process:")
    write_profile(local / "profiles", local, changes=quick_start(local))
    _play(local, local / "profiles", "embedded", ("demo", str(transactions)), {}, report)
    with standalone_cluster(cluster / "spark") as master:
        report(f"on {master}, {DEFAULT_SIZE.workers} workers:")
        settings = cluster_settings(master, cluster)
        _play(cluster, project / "profiles", "cluster", ("feeds", str(local)), settings, report)
    return compared(local / "results", cluster / "results")


def cluster_settings(master: str, state: Path) -> dict[str, str]:
    """What the target `cluster` of profiles/profiles.yml reads, for a cluster of this machine."""
    return {
        "SPARK_MASTER_URL": master,
        "SPARK_EXECUTOR_MEMORY": DEFAULT_SIZE.memory,
        "SPARK_EXECUTOR_CORES": str(DEFAULT_SIZE.cores),
        "SPARK_CORES_MAX": str(DEFAULT_SIZE.workers * DEFAULT_SIZE.cores),
        "SPARK_DRIVER_OPTIONS": f"{QUICK_START} -XX:+UseSerialGC -XX:MetaspaceSize=512m",
        "SPARK_EXECUTOR_OPTIONS": f"{QUICK_START} -XX:+UseSerialGC",
        "SPARK_SHUFFLE_PARTITIONS": str(DEFAULT_SIZE.workers * DEFAULT_SIZE.cores),
        "SPARK_WAREHOUSE": str(state / "warehouse"),
        "SPARK_METASTORE_URL": f"jdbc:derby:;databaseName={state / 'metastore_db'};create=true",
    }


def compared(local: Path, cluster: Path) -> list[Compared]:
    """The results in two folders, relation by relation."""
    names = sorted({file.stem for side in (local, cluster) for file in side.glob("*.jsonl")})
    return [_compared(name, _lines(local, name), _lines(cluster, name)) for name in names]


def _compared(name: str, local: Counter[str], cluster: Counter[str]) -> Compared:
    return Compared(
        name,
        local.total(),
        tuple((local - cluster).elements())[:_MOST_LINES],
        tuple((cluster - local).elements())[:_MOST_LINES],
    )


def _lines(folder: Path, name: str) -> Counter[str]:
    file = folder / f"{name}.jsonl"
    # a relation that is missing differs from an empty one
    return Counter(file.read_text(encoding="utf-8").splitlines() if file.is_file() else ["missing"])


def _play(
    folder: Path,
    profiles: Path,
    target: str,
    what: tuple[str, str],
    settings: Mapping[str, str],
    report: Report,
) -> None:
    arguments = (str(folder), str(profiles), target, *what)
    own = {"DBT_TARGET_PATH": str(folder / "target"), "DBT_LOG_PATH": str(folder / "logs")}
    errors = folder / "errors.log"
    folder.mkdir(parents=True, exist_ok=True)
    with (
        errors.open("wb") as output,
        subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.play", *arguments],
            env={**os.environ, **settings, **own},
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            report(f"  {line.rstrip()}")
    if process.returncode:
        said = errors.read_text(encoding="utf-8", errors="replace").strip()
        raise PlayFailed(f"target {target}: {said or 'no reason given'}")
