"""A run's claim on its schema: who has it, who is refused, and what becomes of a dead run's."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from replication_conflicts.environment.claim import (
    MOST_MISSED_BEATS,
    Claim,
    HadoopFile,
    is_needed,
)
from replication_conflicts.environment.session import (
    METASTORE_SERVICE,
    METASTORE_URL,
    SessionError,
)

from .conftest import ScratchProject

BEAT = 0.2


class SharedFile:
    """A file that all claims of a test see."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_reachable = True
        self.closed = 0
        self._lock = threading.Lock()

    def read(self) -> str | None:
        """See Storage."""
        with self._lock:
            if not self.is_reachable:
                raise OSError("no answer")
            return self.path.read_text() if self.path.exists() else None

    def create(self, text: str) -> bool:
        """See Storage."""
        with self._lock:
            if self.path.exists():
                return False
            self.path.write_text(text)
            return True

    def replace(self, text: str) -> None:
        """See Storage."""
        with self._lock:
            self.path.write_text(text)

    def remove(self) -> None:
        """See Storage."""
        self.path.unlink()

    def close(self) -> None:
        """See Storage."""
        self.closed += 1


@pytest.fixture
def file(tmp_path: Path) -> SharedFile:
    return SharedFile(tmp_path / "claim.json")


def dead_claim(file: SharedFile) -> None:
    """What a run that was killed leaves."""
    file.create(json.dumps({"run": "killed", "began": "yesterday", "beat": 3}))


def test_a_second_run_is_refused_while_the_first_one_lives(file: SharedFile) -> None:
    first = Claim(file, "first", BEAT)
    first.take()
    try:
        with pytest.raises(SessionError, match=r"another run .*: first, begun at \d{4}-.* UTC"):
            Claim(file, "second", BEAT).take()
        first.check()
    finally:
        first.release()
    assert file.read() is None


def test_storage_is_given_back_by_who_is_refused(file: SharedFile) -> None:
    first = Claim(file, "first", BEAT)
    first.take()
    theirs = SharedFile(file.path)
    with pytest.raises(SessionError):
        Claim(theirs, "second", BEAT).take()
    theirs.is_reachable = False
    with pytest.raises(OSError, match="no answer"):
        Claim(theirs, "third", BEAT).take()
    assert (file.closed, theirs.closed) == (0, 2)
    first.release()
    assert file.closed == 1


def test_the_next_run_follows_one_that_has_ended(file: SharedFile) -> None:
    for name in ("first", "second"):
        claim = Claim(file, name, BEAT)
        claim.take()
        claim.release()
    assert file.read() is None


def test_a_dead_run_is_followed_after_its_beats_are_missed(file: SharedFile) -> None:
    dead_claim(file)
    started = time.monotonic()
    claim = Claim(file, "next", BEAT)
    claim.take()
    assert time.monotonic() - started >= BEAT * MOST_MISSED_BEATS
    assert json.loads(file.read() or "")["run"] == "next"
    claim.release()


def test_of_several_that_follow_a_dead_run_one_has_it(file: SharedFile) -> None:
    dead_claim(file)
    claims = [Claim(file, f"run {number}", BEAT) for number in range(4)]
    taken: list[Claim] = []

    def take(claim: Claim) -> None:
        try:
            claim.take()
        except SessionError:
            return
        taken.append(claim)

    threads = [threading.Thread(target=take, args=(claim,)) for claim in claims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 1
    taken[0].release()


class SharedFileOfAThird(SharedFile):
    """The run that has it ends, and another one is faster than who waits for that."""

    is_waited_for = False

    def read(self) -> str | None:
        """None once, in the moment between the two."""
        if self.is_waited_for:
            self.is_waited_for = False
            self.replace(json.dumps({"run": "third", "began": "now"}))
            return None
        self.is_waited_for = True
        return super().read()


def test_who_is_faster_is_named(tmp_path: Path) -> None:
    file = SharedFileOfAThird(tmp_path / "claim.json")
    file.replace(json.dumps({"run": "first", "began": "before"}))
    with pytest.raises(SessionError, match="another run is writing this schema: third"):
        Claim(file, "second", BEAT).take()


def test_a_run_that_was_taken_for_dead_stops(file: SharedFile) -> None:
    held_up = Claim(file, "held up", BEAT)
    held_up.take()
    held_up.check()
    file.replace(json.dumps({"run": "other", "began": "now", "beat": 0}))
    time.sleep(3 * BEAT)
    with pytest.raises(SessionError, match="another run has taken over"):
        held_up.check()
    held_up.release()
    assert json.loads(file.read() or "")["run"] == "other"


def test_storage_that_does_not_answer_once_loses_nothing(file: SharedFile) -> None:
    def beat() -> int:
        return int(json.loads(file.read() or "")["beat"])

    claim = Claim(file, "patient", BEAT)
    claim.take()
    file.is_reachable = False
    time.sleep(2 * BEAT)
    file.is_reachable = True
    missed = beat()
    time.sleep(3 * BEAT)
    claim.check()
    assert beat() > missed, "the next run would take it for dead"
    claim.release()
    assert file.read() is None


@pytest.mark.parametrize(
    ("master", "command", "needed"),
    [
        ("spark://127.0.0.1:7077", "build", True),
        ("yarn", "run", True),
        ("spark://127.0.0.1:7077", "test", False),
        ("local[2]", "build", False),
    ],
)
def test_a_claim_is_for_those_who_write_on_a_cluster(
    master: str, command: str, needed: bool
) -> None:
    assert is_needed({"spark.master": master}, command) is needed


@pytest.mark.parametrize(
    ("metastore", "needed"),
    [
        ({METASTORE_SERVICE: "thrift://127.0.0.1:9083"}, True),
        ({METASTORE_URL: "jdbc:postgresql://127.0.0.1/metastore"}, True),
        ({METASTORE_URL: "jdbc:derby://127.0.0.1:1527/metastore"}, True),
        ({METASTORE_URL: "jdbc:derby:;databaseName=.local/metastore_db;create=true"}, False),
        ({METASTORE_SERVICE: "", METASTORE_URL: ""}, False),
    ],
)
def test_a_claim_is_for_those_who_share_a_metastore(
    metastore: dict[str, str], needed: bool
) -> None:
    """Two processes may write there, be each of them a Spark of its own."""
    assert is_needed({"spark.master": "local[8]", **metastore}, "build") is needed


@pytest.mark.spark
def test_a_claim_lies_in_the_warehouse(
    scratch_project: Callable[[Mapping[str, str]], ScratchProject], scratch_state: Path
) -> None:
    project = scratch_project(
        {"dbt_project.yml": "name: toy\nversion: '1.0'\nprofile: replication_conflicts\n"}
    )
    storage = HadoopFile(project.build.spark, project.schema)
    file = scratch_state / "warehouse" / f"_run_in_{project.schema}.json"
    assert storage.read() is None
    assert storage.create("ä")
    assert file.read_text(encoding="utf-8") == "ä"
    assert not storage.create("b")
    storage.replace("c")
    assert storage.read() == "c"
    storage.remove()
    assert storage.read() is None
    assert [one.name for one in file.parent.glob("*run_in*")] == []


@pytest.mark.spark
def test_a_build_is_refused_while_another_run_lives(
    scratch_project: Callable[[Mapping[str, str]], ScratchProject],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = scratch_project(
        {
            "dbt_project.yml": "name: toy\nversion: '1.0'\nprofile: replication_conflicts\n",
            "models/one.sql": "select 1 as id",
        }
    )
    # as on a cluster
    monkeypatch.setattr("replication_conflicts.environment.claim.is_needed", lambda *_: True)
    storage = HadoopFile(project.build.spark, project.schema)
    other = Claim(storage, "another-run", BEAT)
    other.take()
    try:
        refused = project.build.run("build")
    finally:
        other.release()
    assert not refused.success
    assert "another run is writing this schema: another-run, begun at" in refused.errors[0]
    assert project.build.run("build").success
    assert storage.read() is None
