"""One run at a time in a schema: a file beside the tables that its run writes again and again.

The embedded metastore lets one process in. Another one lets in many, whether they work on a cluster
or not, and two runs at once would replace each other's tables. A file that is not written any more
is of a run that died: the next run takes it over. The commit of the decision log guards itself
besides (macros/materializations).
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Protocol

from replication_conflicts.environment.session import WAREHOUSE, SessionError, has_shared_metastore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BEAT_SECONDS = 5.0
# so many beats without a sign of life are a run that died
MOST_MISSED_BEATS = 4


class Storage(Protocol):
    """A small file that every run on the schema sees."""

    def read(self) -> str | None:
        """The text, or None where there is no file."""

    def create(self, text: str) -> bool:
        """Write a file that is not there; False when it is."""

    def replace(self, text: str) -> None:
        """Write the file anew."""

    def remove(self) -> None:
        """Remove the file."""

    def close(self) -> None:
        """Give back what reading and writing has taken."""


class Claim:
    """A run's claim on a schema. `beat`: seconds between two signs of life."""

    def __init__(self, storage: Storage, run: str, beat: float = BEAT_SECONDS) -> None:
        self._storage = storage
        self._run = run
        self._beat = beat
        self._began = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
        self._beats = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._live, name="claim", daemon=True)
        self.is_lost = False

    def take(self) -> None:
        """Claim the schema; raises SessionError while another run that lives has it."""
        try:
            if not self._storage.create(self._text()):
                self._take_over()
        except BaseException:
            # what is not taken is not released either
            with suppress(Exception):
                self._storage.close()
            raise
        self._thread.start()

    def release(self) -> None:
        """Let the next run in."""
        self._ended.set()
        self._thread.join()
        # what stays behind is taken for a dead run's
        with suppress(Exception):
            if _entry(self._storage.read()).get("run") == self._run:
                self._storage.remove()
            self._storage.close()

    def check(self) -> None:
        """Raises SessionError when another run has taken this one for dead."""
        if self.is_lost:
            raise SessionError(
                "another run has taken over, because this one gave no sign of life for "
                f"{self._beat * MOST_MISSED_BEATS:.0f} s. Nothing is lost: run again."
            )

    def _take_over(self) -> None:
        found = self._storage.read()
        for _ in range(MOST_MISSED_BEATS):
            time.sleep(self._beat)
            now = self._storage.read()
            if now is None and self._storage.create(self._text()):
                return
            if now != found:
                # a run that has ended may have been followed by another one
                self._refuse(now or self._storage.read())
        self._storage.replace(self._text())
        # of several that take over at once, the one that wrote last has it
        time.sleep(self._beat)
        now = self._storage.read()
        if _entry(now).get("run") != self._run:
            self._refuse(now)

    def _refuse(self, text: str | None) -> None:
        entry = _entry(text)
        raise SessionError(
            f"another run is writing this schema: {entry.get('run', 'unknown')}, begun at "
            f"{entry.get('began', 'an unknown time')}. Wait until it ends. (A run that was killed "
            f"is not waited for: its claim ends after {self._beat * MOST_MISSED_BEATS:.0f} s.)"
        )

    def _live(self) -> None:
        while not self._ended.wait(self._beat):
            try:
                holder = _entry(self._storage.read()).get("run")
                if holder != self._run:
                    self.is_lost = True
                    return
                self._beats += 1
                self._storage.replace(self._text())
            except Exception:  # storage that does not answer is a beat missed, no more
                continue

    def _text(self) -> str:
        return json.dumps({"run": self._run, "began": self._began, "beat": self._beats})


class HadoopFile:
    """A file of the warehouse, on whatever file system that is."""

    def __init__(self, spark: SparkSession, schema: str) -> None:
        jvm: Any = spark._jvm
        warehouse = spark.conf.get(WAREHOUSE)
        self._path = jvm.org.apache.hadoop.fs.Path(f"{warehouse}/_run_in_{schema}.json")
        # an instance of its own: a checksum beside the file would be of another moment
        self._files = jvm.org.apache.hadoop.fs.FileSystem.newInstance(
            self._path.toUri(), spark._jsc.hadoopConfiguration()
        )
        self._files.setVerifyChecksum(False)
        self._files.setWriteChecksum(False)
        self._text_of = jvm.org.apache.commons.io.IOUtils.toString

    def read(self) -> str | None:
        """See Storage."""
        if not self._files.exists(self._path):
            return None
        stream = self._files.open(self._path)
        try:
            return str(self._text_of(stream, "UTF-8"))
        finally:
            stream.close()

    def create(self, text: str) -> bool:
        """See Storage."""
        try:
            self._write(text, False)
        except Exception:  # of Java, by whatever name the file system has for it
            if self._files.exists(self._path):
                return False
            raise
        return True

    def replace(self, text: str) -> None:
        """See Storage."""
        self._write(text, True)

    def remove(self) -> None:
        """See Storage."""
        self._files.delete(self._path, False)

    def close(self) -> None:
        """See Storage."""
        self._files.close()

    def _write(self, text: str, is_replaced: bool) -> None:
        stream = self._files.create(self._path, is_replaced)
        try:
            stream.write(bytearray(text, "utf-8"))
        finally:
            stream.close()


def is_needed(settings: Mapping[str, str], command: str) -> bool:
    """Whether this dbt command writes where other processes may write, too."""
    is_on_cluster = not settings.get("spark.master", "local").startswith("local")
    is_shared = is_on_cluster or has_shared_metastore(settings)
    return command in {"build", "run", "retry"} and is_shared


def _entry(text: str | None) -> dict[str, str]:
    """What a claim says; nothing while it is being written."""
    try:
        found: dict[str, str] = json.loads(text or "{}")
    except ValueError:
        return {}
    return found
