"""A Spark standalone cluster on this machine: it starts, runs the project as local, and is gone."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from replication_conflicts.cluster import standalone
from replication_conflicts.cluster.compare import compared, play_on_both
from replication_conflicts.cluster.play import models_of_one_run
from replication_conflicts.cluster.standalone import ClusterProblem, standalone_cluster
from replication_conflicts.environment import check

from .repository import REPOSITORY

HOLDING = """
import sys, time
from pathlib import Path
from replication_conflicts.cluster.standalone import Size, standalone_cluster
with standalone_cluster(Path(sys.argv[1]), Size(workers=1, memory="512m")) as master:
    print(master, flush=True)
    time.sleep(600)
"""


STARTED = "echo Starting Spark master at spark://127.0.0.1:7077"


def in_place_of_spark(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """A cluster whose daemons run a script; the folder of their logs."""
    program = folder / "spark-class"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(standalone, "_spark_class", lambda: program)
    monkeypatch.setattr(check, "java_problem", lambda: None)
    return folder / "logs"


def answers(master: str) -> bool:
    """Whether something listens at a master's address."""
    host, _, port = master.removeprefix("spark://").rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except OSError:
        return False
    return True


def is_gone_soon(master: str) -> bool:
    """Whether nothing listens there after some seconds at most."""
    for _ in range(100):
        if not answers(master):
            return True
        time.sleep(0.2)
    return False


@pytest.mark.spark
def test_a_cluster_is_stopped_also_after_an_error(tmp_path: Path) -> None:
    seen: list[str] = []

    def fail_in_the_middle() -> None:
        with standalone_cluster(tmp_path) as master:
            seen.append(master)
            assert master.startswith("spark://127.0.0.1:")
            assert answers(master)
            log = (tmp_path / "master.log").read_text()
            assert log.count("Registering worker 127.0.0.1:") == 2
            raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        fail_in_the_middle()
    assert not answers(seen[0])


@pytest.mark.parametrize("name", ["master", "worker"])
def test_a_daemon_that_ends_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    lives = f'case "$*" in *{name.title()}*) exit 3;; esac; {STARTED}; sleep 60'
    logs = in_place_of_spark(tmp_path, monkeypatch, lives)
    started = time.monotonic()
    with (
        pytest.raises(ClusterProblem, match=rf"'s {name}\S* has ended with status 3: see .*{name}"),
        standalone_cluster(logs),
    ):
        pass
    assert time.monotonic() - started < 30


def test_a_daemon_that_does_not_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stays = f"trap '' TERM; {STARTED}; while :; do echo Registering worker; sleep 0.1; done"
    logs = in_place_of_spark(tmp_path, monkeypatch, stays)
    monkeypatch.setattr(standalone, "_STOP_SECONDS", 0.5)
    with pytest.raises(ValueError, match="in the middle"), standalone_cluster(logs):
        raise ValueError("in the middle")
    sizes = []
    for _ in range(2):
        sizes.append([(logs / f"{name}.log").stat().st_size for name in ("master", "worker-1")])
        time.sleep(0.5)
    assert sizes[0] == sizes[1]


@pytest.mark.spark
def test_a_cluster_does_not_outlive_a_killed_process(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(tmp_path)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        master = holder.stdout.readline().strip()
        assert answers(master)
        holder.send_signal(signal.SIGKILL)
    assert is_gone_soon(master)


@pytest.mark.spark
@pytest.mark.soak
def test_a_cluster_gives_the_same_result_as_local(tmp_path: Path) -> None:
    """The demo, played on both: every relation has the same rows."""
    relations = play_on_both(tmp_path, 600, print)
    different = [one for one in relations if not one.is_equal]
    assert different == []
    rows = {one.name: one.rows for one in relations}
    assert rows["change_outcomes"] > 600
    assert rows["conflicts_info"] > 0
    assert rows["distribution_commands"] > 600


def test_what_is_of_one_run_alone_is_not_compared() -> None:
    kinds = {
        "queue": ("scratch", []),
        "decisions": ("rounds", ["queue"]),
        "last_decisions": ("kept_view", ["decisions"]),
        "log": ("ledger", ["last_decisions"]),
        "conflicts": ("kept_view", ["log"]),
    }
    nodes = {
        name: {
            "name": name,
            "resource_type": "model",
            "config": {"materialized": kind},
            "depends_on": {"nodes": parents},
        }
        for name, (kind, parents) in kinds.items()
    }
    nodes["test"] = {"resource_type": "test"}
    assert models_of_one_run({"nodes": nodes}) == {"queue", "decisions", "last_decisions"}


def test_results_that_differ_are_told(tmp_path: Path) -> None:
    """A row that one side has twice, and a relation that only one side has."""
    files = {"local/a": ["1", "2"], "cluster/a": ["1", "1", "2"], "local/b": [], "cluster/c": ["3"]}
    for name, lines in files.items():
        file = tmp_path / f"{name}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines))
    a, b, c = compared(tmp_path / "local", tmp_path / "cluster")
    assert (a.rows, a.only_local, a.only_cluster) == (2, (), ("1",))
    assert not b.is_equal
    assert not c.is_equal
