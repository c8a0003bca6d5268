"""Spark standalone on loopback: a master and workers from PySpark's own installation.

Nothing is installed, and only what is started here is stopped here. Every port is one that the
system gives, and only this machine can reach it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from replication_conflicts.environment import check
from replication_conflicts.environment.profile import QUICK_START

Found = TypeVar("Found")

_PACKAGE = "org.apache.spark.deploy"
_ADDRESS = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED = "Registering worker"
_START_SECONDS = 90.0
_STOP_SECONDS = 20.0
# ends its program when its standard input ends, also when this process is killed; and ends with it
_KEEPER = """
exec 3<&0
"$@" 3<&- &
program=$!
{ cat <&3 >/dev/null; kill $program 2>/dev/null; } &
keeper=$!
wait $program
status=$?
kill $keeper 2>/dev/null
exit $status
"""
# they keep lists and pass them on
_DAEMON = {
    "SPARK_DAEMON_MEMORY": "256m",
    "SPARK_DAEMON_JAVA_OPTS": f"-XX:+UseSerialGC {QUICK_START}",
    "SPARK_LOCAL_IP": "127.0.0.1",
    # it takes jobs from everybody, on a port of its own
    "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
}


class ClusterProblem(Exception):
    """The cluster does not start; the message says why, or where its log is."""


@dataclass(frozen=True)
class Size:
    """How many workers, and what each has to give to its one executor."""

    workers: int = 2
    cores: int = 1
    memory: str = "1g"


DEFAULT_SIZE = Size()


@dataclass(frozen=True)
class _Daemon:
    """A program of Spark's in a process of its own."""

    name: str
    log: Path
    process: subprocess.Popen[bytes]

    def check(self) -> None:
        """Raises ClusterProblem when it has ended."""
        status = self.process.poll()
        if status is not None:
            raise ClusterProblem(
                f"the cluster's {self.name} has ended with status {status}: see {self.log}"
            )

    def stop(self) -> None:
        """Let it end, or make it end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            # a session of its own is a group of its own: nothing else is in it
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@contextmanager
def standalone_cluster(folder: Path, size: Size = DEFAULT_SIZE) -> Iterator[str]:
    """The address of a running cluster whose workers have all registered; stopped at the end.

    `folder` gets the logs and the executors' files. Raises ClusterProblem.
    """
    java = check.java_problem()
    if java is not None:
        raise ClusterProblem(java)
    folder = folder.resolve()
    (folder / "conf").mkdir(parents=True, exist_ok=True)
    with ExitStack() as started:
        first = started.enter_context(_daemon(folder, "master", "master.Master"))
        master = _wait([first], first.log, _address)
        daemons = [first]
        for number in range(1, size.workers + 1):
            name = f"worker-{number}"
            work = ("--work-dir", str(folder / name))
            given = ("--cores", str(size.cores), "--memory", size.memory)
            words = (*given, *work, master)
            daemons.append(started.enter_context(_daemon(folder, name, "worker.Worker", *words)))
        _wait(daemons, first.log, lambda text: text.count(_REGISTERED) >= size.workers or None)
        yield master


@contextmanager
def _daemon(folder: Path, name: str, program: str, *arguments: str) -> Iterator[_Daemon]:
    """A running program of Spark's, stopped at the end."""
    log = folder / f"{name}.log"
    places = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
    command = [str(_spark_class()), f"{_PACKAGE}.{program}", *places, *arguments]
    environment = {**os.environ, **_DAEMON, "SPARK_CONF_DIR": str(folder / "conf")}
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["sh", "-c", _KEEPER, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            cwd=folder,
            env=environment,
            # a Ctrl-C is for the one who waits here, and ends this from there
            start_new_session=True,
        )
    daemon = _Daemon(name, log, process)
    try:
        yield daemon
    finally:
        daemon.stop()


def _spark_class() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent / "bin" / "spark-class"


def _address(log: str) -> str | None:
    found = _ADDRESS.search(log)
    return found.group(1) if found else None


def _wait(daemons: Sequence[_Daemon], log: Path, find: Callable[[str], Found | None]) -> Found:
    """What `find` sees in the log as soon as it is there."""
    ends_at = time.monotonic() + _START_SECONDS
    while time.monotonic() < ends_at:
        for daemon in daemons:
            daemon.check()
        found = find(log.read_text(encoding="utf-8", errors="replace"))
        if found is not None:
            return found
        time.sleep(0.1)
    raise ClusterProblem(f"the cluster does not start within {_START_SECONDS:.0f} s: see {log}")
