"""A server that cannot start leaves nothing behind. No PostgreSQL is needed."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest

from replication_conflicts.database import local_postgres
from replication_conflicts.database.local_postgres import LocalPostgres, PostgresProblem


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where servers make their folders; nobody else runs them, and nobody waits for long."""
    place = tmp_path / "folders"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr(local_postgres, "_unprivileged_user", lambda: None)
    monkeypatch.setattr(local_postgres, "_START_SECONDS", 0.5)
    return place


def _programs(folder: Path, monkeypatch: pytest.MonkeyPatch, **scripts: str) -> None:
    for name, script in scripts.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    monkeypatch.setattr(local_postgres, "programs", lambda: folder)


def test_a_server_that_is_not_entered_makes_nothing(folders: Path) -> None:
    LocalPostgres()
    assert list(folders.iterdir()) == []


def test_nothing_stays_where_there_are_no_programs(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_postgres, "programs", lambda: None)
    with pytest.raises(PostgresProblem, match="not installed"), LocalPostgres():
        pass
    assert list(folders.iterdir()) == []


def test_nothing_stays_of_a_server_that_ends(
    folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _programs(tmp_path, monkeypatch, initdb="exit 0", postgres="echo no such luck; exit 1")
    with pytest.raises(PostgresProblem, match="no such luck"), LocalPostgres():
        pass
    assert list(folders.iterdir()) == []


@pytest.mark.parametrize("trap", ["", "trap '' INT; "])
def test_a_server_that_does_not_answer_is_ended(
    folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: str
) -> None:
    _programs(tmp_path, monkeypatch, initdb="exit 0", postgres=f"{trap}exec sleep 60")
    started: list[subprocess.Popen[bytes]] = []
    launch = LocalPostgres._launch

    def noted(server: LocalPostgres) -> None:
        launch(server)
        assert server._process is not None
        started.append(server._process)

    monkeypatch.setattr(LocalPostgres, "_launch", noted)
    with pytest.raises(PostgresProblem, match="its log is empty"), LocalPostgres():
        pass
    assert [one.poll() is not None for one in started] == [True]
    assert list(folders.iterdir()) == []
