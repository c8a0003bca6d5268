"""The environment: checks, jars, profiles, the session's clear errors, builds in one process."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import AnalysisException

from replication_conflicts.dbt_build import DbtBuild, short_message, spark_message
from replication_conflicts.environment import check, class_archive, folders, jars, profile, session
from replication_conflicts.environment.session import SessionError

from .conftest import ScratchProject
from .repository import REPOSITORY

EPHEMERAL = """
{{ config(materialized='ephemeral') }}
select {{ exceptions.raise_compiler_error('what is wrong with it') if execute else 1 }} as id
"""
PROJECT = """
name: toy
version: "1.0.0"
config-version: 2
profile: replication_conflicts
models: {toy: {+file_format: delta}}
"""
MERGED = """
{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }}
select id, cast(id as string) as text from range({{ var('n', 3) }})
"""
APPENDED = """
def model(dbt, session):
    dbt.config(
        materialized="incremental", incremental_strategy="append", submission_method="session"
    )
    rows = dbt.ref("merged")
    if dbt.is_incremental:
        rows = rows.join(session.table(str(dbt.this)), "id", "left_anti")
    return rows
"""
FAILING = (
    "def model(dbt, session):\n    dbt.config(submission_method='session')\n    return 1 / 0\n"
)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_392"', 8),
        ('openjdk version "21" 2023-09-19', 21),
        ("not java", None),
    ],
)
def test_java_versions_are_read(text: str, version: int | None) -> None:
    assert check.parsed_java_version(text) == version


def test_an_old_python_is_one_line() -> None:
    assert check.python_problem((3, 9)) == "Python 3.10 or newer is needed; this is Python 3.9."
    assert check.python_problem((3, 10)) is None


def test_a_missing_java_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    problem = check.java_problem()
    assert problem is not None
    assert problem.startswith("Java 17 or newer is needed")
    assert "\n" not in problem


def test_a_changed_jar_is_noticed(tmp_path: Path) -> None:
    for name in jars.checksums():
        (tmp_path / name).write_bytes(b"something else")
    with pytest.raises(jars.JarError, match="checksum"):
        jars.verify(tmp_path)


@pytest.mark.parametrize(
    ("mirror_of", "found"), [("central", True), ("*", True), ("*,!central", False), ("x", False)]
)
def test_mavens_mirror_is_taken(tmp_path: Path, mirror_of: str, found: bool) -> None:
    url = "file:///a/mirror"
    (tmp_path / "settings.xml").write_text(
        f"<settings><mirrors><mirror><id>m</id><mirrorOf>{mirror_of}</mirrorOf>"
        f"<url>{url}</url></mirror></mirrors></settings>"
    )
    assert jars.maven_mirror(tmp_path / "settings.xml") == (url if found else None)


def test_proxies_become_words_of_java() -> None:
    assert jars.proxy_options({"https_proxy": "http://proxy.example:3128"}) == (
        "-Dhttps.proxyHost=proxy.example",
        "-Dhttps.proxyPort=3128",
    )
    assert jars.proxy_options({}) == ()


def test_an_archive_is_of_one_java_and_these_jars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "jars" / "classes.jsa"
    archive.parent.mkdir()
    monkeypatch.setattr(folders, "class_archive", lambda: archive)
    write = "import os, pathlib; pathlib.Path(os.environ[{!r}]).write_text('classes')"
    monkeypatch.setattr(class_archive, "_MAKE", write.format(class_archive._ARCHIVE))
    assert not class_archive.is_current()
    assert class_archive.make() is None
    assert archive.read_text() == "classes"
    assert class_archive.is_current()
    with monkeypatch.context() as patched:
        patched.setattr(check, "java_version_text", lambda java: "another")
        assert not class_archive.is_current()
    jar = tmp_path / "moved" / "one.jar"
    jar.parent.mkdir()
    jar.touch()
    monkeypatch.setattr(folders, "jars_folder", lambda: jar.parent)
    assert not class_archive.is_current()
    assert class_archive.make() is None
    assert class_archive.is_current()
    os.utime(jar, (1, 1))
    assert not class_archive.is_current()


def test_a_java_without_archives_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "jars" / "classes.jsa"
    archive.parent.mkdir()
    monkeypatch.setattr(folders, "class_archive", lambda: archive)
    monkeypatch.setattr(class_archive, "_MAKE", "raise SystemExit(1)")
    problem = class_archive.make()
    assert problem is not None
    assert problem.startswith("This Java makes no archive")
    assert not archive.exists()
    assert class_archive.is_current()


def test_an_archive_that_takes_too_long_is_given_up_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "jars" / "classes.jsa"
    archive.parent.mkdir()
    monkeypatch.setattr(folders, "class_archive", lambda: archive)
    half = "import os, pathlib, time; pathlib.Path(os.environ['{}']).touch(); time.sleep(60)"
    monkeypatch.setattr(class_archive, "_MAKE", half.format(class_archive._ARCHIVE))
    monkeypatch.setattr(class_archive, "_MOST_SECONDS", 1.0)
    problem = class_archive.make()
    assert problem is not None
    assert "not made within 1 s" in problem
    assert not archive.exists()
    assert class_archive.is_current()
    note = archive.with_suffix(".txt")
    assert str(note) in problem
    note.unlink()
    assert not class_archive.is_current()


def test_the_session_starts_with_the_archive(tmp_path: Path) -> None:
    option = f"-XX:SharedArchiveFile={folders.class_archive()}"
    assert option in profile.embedded_parameters(tmp_path)[session.JAVA_OPTIONS]
    own = profile.server_side_parameters(REPOSITORY, REPOSITORY / "profiles", "embedded")
    assert option in session.resolved(own, REPOSITORY)[session.JAVA_OPTIONS]


def test_written_profiles_have_the_committed_settings(tmp_path: Path) -> None:
    """The committed profile, seen from a folder, and the generated one start Spark alike."""
    committed = profile.server_side_parameters(REPOSITORY, REPOSITORY / "profiles", "embedded")
    written = profile.embedded_parameters(tmp_path)
    assert committed.keys() == written.keys()
    paths = {
        session.CLASS_PATH,
        session.JAVA_OPTIONS,
        session.WAREHOUSE,
        session.HIVE_RESOURCES,
        session.METASTORE_URL,
    }
    for key in committed.keys() - paths:
        assert committed[key] == written[key]
    # sessions of many builds have both compiler tiers, as DbtBuild's that are long
    java = committed[session.JAVA_OPTIONS].replace(profile.QUICK_START, profile.FOR_MINUTES)
    words = without_paths(java)
    assert words == without_paths(written[session.JAVA_OPTIONS])
    assert profile.FOR_MINUTES.split()[0] in words


def without_paths(java: str) -> list[str]:
    """The words of Java options; of those that name a file or folder, the option alone."""
    return [re.sub(r"=[^=]*/.*$", "=", word) for word in shlex.split(java)]


def test_paths_with_spaces_survive(tmp_path: Path) -> None:
    state = tmp_path / "a b"
    settings = session.resolved(profile.embedded_parameters(state), tmp_path)
    assert f'"-Dreplication_conflicts.logs={state / "logs"}"' in settings[session.JAVA_OPTIONS]
    assert session.metastore_folder(settings, tmp_path) == state / "metastore_db"


def test_expressions_mean_what_they_mean_in_builds() -> None:
    """dbt-spark ends ANSI's errors for its sessions; so do those that read without dbt."""
    assert session.resolved({session.ANSI: "true"}, REPOSITORY)[session.ANSI] == "false"


def test_only_linux_is_told_how_to_start_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Java ends with an error elsewhere."""
    own = profile.server_side_parameters(REPOSITORY, REPOSITORY / "profiles", "embedded")
    for platform, is_told in (("linux", True), ("darwin", False)):
        monkeypatch.setattr(sys, "platform", platform)
        java = session.resolved(own, REPOSITORY)[session.JAVA_OPTIONS]
        assert ("launchMechanism" in java) == is_told
        assert "-XX:+UseSerialGC" in java


def test_a_metastore_service_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def folder() -> Path | None:
        settings = profile.server_side_parameters(REPOSITORY, REPOSITORY / "profiles", "cluster")
        return session.metastore_folder(settings, REPOSITORY)

    assert folder() == REPOSITORY / ".local" / "metastore_db"
    monkeypatch.setenv("SPARK_METASTORE_URIS", "thrift://metastore.example:9083")
    assert folder() is None


def test_an_unknown_target_names_the_known_ones() -> None:
    with pytest.raises(profile.ProfileError, match="only: embedded, cluster"):
        profile.server_side_parameters(REPOSITORY, REPOSITORY / "profiles", "nowhere")


def test_messages_lose_the_plan_and_the_stack() -> None:
    message = "[X] no column `a`. SQLSTATE: 42703; line 1 pos 7;\n'Project\n\n\tat java.lang.Thread"
    assert short_message(message) == "[X] no column `a`. SQLSTATE: 42703"
    message = (
        "An error occurred while calling o9.sql.\n: x.LockException: held\n\tat scala.x.A(A:1)"
    )
    assert short_message(message) == "x.LockException: held"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (AnalysisException("[X] no\n\nJVM stacktrace:\n\tat x"), "[X] no"),
        (Py4JError("An error occurred while calling o9.sql.\n: x.Gone: a file"), "x.Gone: a file"),
        (ValueError("[X] no"), None),
    ],
)
def test_what_spark_says_is_told_from_what_is_none_of_its_errors(
    error: Exception, message: str | None
) -> None:
    assert spark_message(error) == message


@contextmanager
def locked_metastore(folder: Path) -> Iterator[tuple[Path, Callable[[], object]]]:
    """A metastore that another process holds as Derby does, and what ends that process."""
    metastore = folder / "state" / "metastore_db"
    metastore.mkdir(parents=True)
    (metastore / "dbex.lck").write_bytes(b"")
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import fcntl, sys; f = open(sys.argv[1], 'r+b'); fcntl.lockf(f, fcntl.LOCK_EX); "
            "print('held', flush=True); sys.stdin.read()",
            str(metastore / "dbex.lck"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        yield metastore, holder.kill
    finally:
        holder.communicate()


class Started(Exception):
    """Nothing has kept a session from being started."""


@pytest.fixture
def start_alone(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], object]:
    """Starts a session on a folder up to where Java would be, as if there were none yet."""

    def started(settings: Mapping[str, str]) -> None:
        raise Started

    monkeypatch.setattr(session, "_is_running", lambda: False)
    monkeypatch.setattr(session, "_fetch_own_jars", started)
    return lambda folder: session.start(profile.embedded_parameters(folder / "state"), folder)


def test_a_locked_metastore_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    start_alone: Callable[[Path], object],
) -> None:
    """Another process holds Derby's lock and does not end: this one says so, and starts no Java."""
    monkeypatch.setattr(session, "_LOCK_SECONDS", 0.3)
    with locked_metastore(tmp_path) as (metastore, _), pytest.raises(SessionError) as refused:
        start_alone(tmp_path)
    lines = str(refused.value).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"another run uses {metastore}")


def test_a_metastore_that_is_about_to_be_free_is_waited_for(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    start_alone: Callable[[Path], object],
) -> None:
    """The Java of a run that has just ended, or was killed, still holds its lock."""
    with locked_metastore(tmp_path) as (metastore, end_holder):
        ending = threading.Timer(2.5, end_holder)
        ending.start()
        with pytest.raises(Started):
            start_alone(tmp_path)
        ending.join()
    said = capsys.readouterr().err
    assert said == f"another run uses {metastore}: waiting for its end ...\n"


def test_an_absent_cluster_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{free.getsockname()[1]}"
    message = _start_elsewhere(tmp_path, {"spark.master": master})
    assert message.startswith(f"the Spark cluster at {master} does not answer")


def _start_elsewhere(folder: Path, changes: Mapping[str, str]) -> str:
    """The one error of a build in a process of its own, which has no session yet."""
    (folder / "dbt_project.yml").write_text(PROJECT)
    profile.write_profile(folder / "profiles", folder / "state", changes=changes)
    command = [sys.executable, "-m", "replication_conflicts", "build"]
    done = subprocess.run(
        [*command, "--project-dir", str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=REPOSITORY,
    )
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


@pytest.mark.spark
def test_builds_share_one_session(
    scratch_project: Callable[[Mapping[str, str]], ScratchProject],
) -> None:
    """A merged SQL model and an appended Python model, built twice, then once without news."""
    project = scratch_project(
        {
            "dbt_project.yml": PROJECT,
            "models/merged.sql": MERGED,
            "models/appended.py": APPENDED,
        }
    )
    assert project.build.run("build").success
    spark = project.build.spark
    for _ in range(2):
        result = project.build.run("build", "--vars", "{n: 5}")
        assert result.success, result.errors
        assert {node.status for node in result.nodes} == {"success"}
    assert project.build.spark is spark
    assert spark.table(f"{project.schema}.appended").count() == 5
    versions = spark.sql(f"describe history {project.schema}.appended").count()
    assert versions == 2


@pytest.mark.spark
def test_a_failing_python_model_names_its_line(
    scratch_project: Callable[[Mapping[str, str]], ScratchProject],
) -> None:
    project = scratch_project({"dbt_project.yml": PROJECT, "models/failing.py": FAILING})
    result = project.build.run("build")
    assert not result.success
    assert "failing" in result.errors[0]
    assert re.search(r"line \d+ of the compiled model: ZeroDivisionError", result.errors[0])
    assert not result.is_call_wrong
    result = project.build.run("build", "--full-refesh")
    assert result.is_call_wrong
    assert "--full-refesh" in result.errors[0]


@pytest.mark.spark
def test_an_ephemeral_model_that_does_not_compile_is_named(
    scratch_project: Callable[[Mapping[str, str]], ScratchProject],
) -> None:
    """To dbt the models that read it are skipped, and nothing is an error."""
    project = scratch_project(
        {
            "dbt_project.yml": PROJECT,
            "models/base.sql": EPHEMERAL,
            "models/above.sql": "select * from {{ ref('base') }}",
        }
    )
    result = project.build.run("build")
    assert not result.success
    error, *_ = result.errors
    assert "model base" in error
    assert "what is wrong with it" in error


@pytest.mark.spark
def test_a_second_warehouse_in_one_process_is_refused(
    scratch_project: Callable[[Mapping[str, str]], ScratchProject], tmp_path: Path
) -> None:
    project = scratch_project({"dbt_project.yml": PROJECT})
    assert project.build.spark is not None
    profile.write_profile(tmp_path / "profiles", tmp_path / "state")
    result = DbtBuild(project.folder, tmp_path / "profiles").run("build")
    assert not result.success
    assert "cannot also use" in result.errors[0]


def test_generated_profiles_are_yaml(tmp_path: Path) -> None:
    file = profile.write_profile(tmp_path, tmp_path / "state", schema="other", threads=1)
    output = yaml.safe_load(file.read_text())["replication_conflicts"]["outputs"]["embedded"]
    assert (output["schema"], output["threads"]) == ("other", 1)


def test_the_profile_of_a_project_somewhere_else(tmp_path: Path) -> None:
    """Both targets, with the settings of this project's own, and no path that leads nowhere."""
    shop = tmp_path / "my shop"
    shop.mkdir()
    (shop / "dbt_project.yml").write_text("{name: shop, profile: warehouse}\n")
    profiles = shop / "profiles"
    profile.write_project_profile(shop, profiles)
    with pytest.raises(profile.ProfileError, match=r"is there already: --replace"):
        profile.write_project_profile(shop, profiles)
    profile.write_project_profile(shop, profiles, replace=True)
    given = profile.server_side_parameters(shop, profiles, None)
    state = shop / ".local"
    assert given == {**profile.embedded_parameters(state), **profile.quick_start(state)}
    here = REPOSITORY / "profiles"
    usual = profile.server_side_parameters(REPOSITORY, here, "cluster")
    given = profile.server_side_parameters(shop, profiles, "cluster")
    paths = {name for name, value in usual.items() if given[name] != value}
    assert paths == {name for name, value in usual.items() if ".local/" in value}
    places = [f"{shop.resolve()}/.local/", f"{folders.jars_folder()}/", f"{folders.log4j_file()}"]
    for name in paths:
        for place in places:
            given[name] = given[name].replace(place, "")
        assert not re.search(r"\.local|/environment/", given[name])
    java = shlex.split(
        profile.server_side_parameters(shop, profiles, "cluster")[session.JAVA_OPTIONS]
    )
    assert f"-Dreplication_conflicts.logs={shop.resolve()}/.local/logs" in java


def test_a_profile_needs_a_project_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(profile.ProfileError, match=r"no .*dbt_project\.yml.*--project-dir"):
        profile.write_project_profile(tmp_path, tmp_path / "profiles")
    (tmp_path / "dbt_project.yml").write_text("name: shop\n")
    with pytest.raises(profile.ProfileError, match="names no profile"):
        profile.write_project_profile(tmp_path, tmp_path / "profiles")
    assert not (tmp_path / "profiles").exists()
