"""A PostgreSQL server of one's own: in a folder, on a loopback port, never as root.

For tests and demos. Nothing is installed; what is started here is stopped here.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

from sqlalchemy import NullPool, create_engine
from sqlalchemy.exc import OperationalError

_START_SECONDS = 60.0
_SETTINGS = ("listen_addresses=127.0.0.1", "timezone=UTC", "log_min_messages=warning")


class PostgresProblem(Exception):
    """The server cannot be started; the message says why in one line."""


def programs() -> Path | None:
    """The folder of initdb and postgres, or None where no server is installed."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((one for one in folders if (one / "postgres").exists()), None)


class LocalPostgres:
    """One server; a context manager that starts and stops it.

    Not `is_durable`: it does not wait for the disk, which only a failing machine would punish.
    """

    def __init__(self, *, is_durable: bool = True) -> None:
        self._settings = (*_SETTINGS, f"fsync={'on' if is_durable else 'off'}")
        self._programs = programs()
        self._folder = Path()
        self._port = 0
        self._password = secrets.token_hex(16)
        self._process: subprocess.Popen[bytes] | None = None
        self._user = _unprivileged_user()

    def __enter__(self) -> LocalPostgres:
        self._folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        self._port = _free_port()
        try:
            self._make()
            self.start()
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.kill()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def pid(self) -> int | None:
        """The server's process."""
        return self._process.pid if self._process else None

    def url(self, database: str = "postgres") -> str:
        """The SQLAlchemy URL of a database of this server."""
        return f"postgresql+psycopg://node:{self._password}@127.0.0.1:{self._port}/{database}"

    def start(self) -> None:
        """Start the server and wait until it answers; also after a kill."""
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                self._launch()
            if self._answers():
                return
            time.sleep(0.1)
        raise PostgresProblem(f"the server does not answer: {self._last_words()}")

    def _last_words(self) -> str:
        """The end of its log, which goes with the folder."""
        log = (self._folder / "log").read_text(encoding="utf-8", errors="replace")
        return " ".join(log.splitlines()[-1:]) or "its log is empty"

    def stop(self) -> None:
        """Stop the server in order."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End the server as a power failure would."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait(timeout=_START_SECONDS)
        self._process = None

    def _make(self) -> None:
        if self._programs is None:
            raise PostgresProblem(
                "PostgreSQL is not installed (Debian: apt-get install postgresql)"
            )
        words = self._folder / "password"
        words.write_text(self._password, encoding="ascii")
        if self._user is not None:
            shutil.chown(self._folder, self._user)
            shutil.chown(words, self._user)
        self._run(
            "initdb", "--pgdata", str(self._folder / "data"), "--username", "node",
            "--auth", "scram-sha-256", "--pwfile", str(words), "--encoding", "UTF8",
            "--locale", "C", "--no-sync",
        )  # fmt: skip

    def _launch(self) -> None:
        assert self._programs is not None
        options = [word for setting in self._settings for word in ("-c", setting)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    str(self._programs / "postgres"), "-D", str(self._folder / "data"),
                    "-p", str(self._port), "-k", str(self._folder), *options,
                ],
                user=self._user, stdout=log, stderr=log, cwd=self._folder,
            )  # fmt: skip

    def _run(self, program: str, *arguments: str) -> None:
        assert self._programs is not None
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            user=self._user,
            capture_output=True,
            text=True,
            cwd=self._folder,
            check=False,
        )
        if done.returncode:
            raise PostgresProblem(f"{program} failed: {done.stderr.strip()}")

    def _answers(self) -> bool:
        engine = create_engine(self.url(), poolclass=NullPool)
        try:
            engine.connect().close()
        except OperationalError:
            return False
        return True


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _unprivileged_user() -> str | None:
    """Who runs the server when root starts it: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"
