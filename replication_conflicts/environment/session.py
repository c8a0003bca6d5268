"""The Spark session that dbt uses: started once, with the profile's settings, and quietly.

Failures that a person can do something about (a locked metastore, a cluster that does not answer,
a missing Java) are one line.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import shlex
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication_conflicts.environment import check, folders, jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

METASTORE_URL = "spark.hadoop.javax.jdo.option.ConnectionURL"
METASTORE_SERVICE = "spark.hadoop.hive.metastore.uris"
CLASS_PATH = "spark.driver.extraClassPath"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
WAREHOUSE = "spark.sql.warehouse.dir"
HIVE_RESOURCES = "spark.hadoop.hive.downloaded.resources.dir"
JARS = "spark.jars"
ANSI = "spark.sql.ansi.enabled"

_PATH_OPTIONS = (
    "-Dlog4j2.configurationFile=",
    "-Dderby.stream.error.file=",
    "-XX:SharedArchiveFile=",
)
_LOGS_OPTION = "-Dreplication_conflicts.logs="
_DATABASE_NAME = re.compile(r"databaseName=([^;]+)")
# how Java starts other processes: only on Linux may one choose
_LAUNCH_OPTION = "-Djdk.lang.Process.launchMechanism="
_CONNECT_SECONDS = 5.0
# a Java that was killed, or whose program has just ended, holds its metastore some seconds longer
_LOCK_SECONDS = 30.0
_SILENT_SECONDS = 2.0
_POLL_SECONDS = 0.1


class SessionError(Exception):
    """The session cannot be started; the message says why in one line."""


def start(parameters: Mapping[str, Any], project_dir: Path) -> SparkSession:
    """The running session, or a new one with `parameters` (a profile's server_side_parameters).

    Relative paths in `parameters` are relative to `project_dir`. Raises SessionError.
    """
    from pyspark.sql import SparkSession

    settings = resolved(parameters, project_dir)
    builder = SparkSession.builder.enableHiveSupport()
    if _is_running():
        running = builder.getOrCreate()
        _refuse_another_warehouse(running, settings)
        return running
    _refuse_bad_start(settings)
    for key, value in settings.items():
        builder = builder.config(key, value)
    _silence_query_errors()
    try:
        if not _is_remote(settings):
            _start_context(settings, _logs_folder(settings))
        spark = builder.getOrCreate()
        # opens the metastore now, so that a lock shows here and not in the middle of a model
        spark.catalog.databaseExists("default")
    except Exception as error:
        _stop_quietly()
        raise SessionError(explain(str(error), settings)) from error
    return spark


def resolved(parameters: Mapping[str, Any], project_dir: Path) -> dict[str, str]:
    """`parameters` as text, every relative path in them made absolute.

    With the setting that dbt-spark has for every session, whatever its profile says: a row filter
    gives NULL for a value that cannot be cast, where ANSI SQL has an error.
    """
    settings = {str(key): str(value) for key, value in parameters.items()}
    settings[ANSI] = "false"
    if CLASS_PATH in settings:
        paths = settings[CLASS_PATH].split(":")
        settings[CLASS_PATH] = ":".join(_absolute(path, project_dir) for path in paths)
    if JARS in settings:
        paths = settings[JARS].split(",")
        settings[JARS] = ",".join(_absolute(path, project_dir) for path in paths)
    for folder in {WAREHOUSE, HIVE_RESOURCES} & settings.keys():
        settings[folder] = _absolute(settings[folder], project_dir)
    metastore = metastore_folder(settings, project_dir)
    if metastore is not None:
        settings[METASTORE_URL] = _DATABASE_NAME.sub(
            lambda _: f"databaseName={metastore}", settings[METASTORE_URL]
        )
    if JAVA_OPTIONS in settings:
        settings[JAVA_OPTIONS] = " ".join(
            _java_option(word, project_dir)
            for word in shlex.split(settings[JAVA_OPTIONS])
            if sys.platform == "linux" or not word.startswith(_LAUNCH_OPTION)
        )
    return settings


def metastore_folder(settings: Mapping[str, str], project_dir: Path) -> Path | None:
    """The folder of the embedded metastore, or None where another kind is configured."""
    if settings.get(METASTORE_SERVICE):
        return None
    found = _DATABASE_NAME.search(settings.get(METASTORE_URL, ""))
    return Path(_absolute(found.group(1), project_dir)) if found else None


def has_shared_metastore(settings: Mapping[str, str]) -> bool:
    """Whether several processes may have the metastore open: it is a service, or on a server."""
    url = settings.get(METASTORE_URL) or ""
    is_embedded = url.startswith("jdbc:derby:") and not url.startswith("jdbc:derby://")
    return bool(settings.get(METASTORE_SERVICE)) or bool(url and not is_embedded)


def is_locked(metastore: Path) -> bool:
    """Whether another process has the embedded metastore open.

    Derby holds an operating system lock on this file while a database is open.
    """
    try:
        with (metastore / "dbex.lck").open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except PermissionError as error:
        raise SessionError(f"the metastore cannot be opened: {error}") from error
    except OSError:
        return True
    return False


def _wait_until_free(metastore: Path) -> None:
    """Wait until no other process has the metastore open; says so where it takes a while."""
    began = time.monotonic()
    is_announced = False
    while is_locked(metastore):
        waited = time.monotonic() - began
        if waited > _LOCK_SECONDS:
            raise SessionError(_locked_message(metastore))
        if waited > _SILENT_SECONDS and not is_announced:
            is_announced = True
            print(f"another run uses {metastore}: waiting for its end ...", file=sys.stderr)
        time.sleep(_POLL_SECONDS)


def explain(message: str, settings: Mapping[str, str]) -> str:
    """One line for what Spark says when it does not start."""
    if "XSDB6" in message or "Another instance of Derby" in message:
        return _locked_message(metastore_folder(settings, Path.cwd()))
    master = settings.get("spark.master", "")
    if "stopped SparkContext" in message or "All masters are unresponsive" in message:
        return _unreachable_message(master)
    if "ClassNotFoundException" in message and "delta" in message:
        return "the Delta jars are not on Spark's class path: run `replication-conflicts jars`"
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return f"Spark does not start: {lines[0] if lines else 'no reason given'}"


def _refuse_bad_start(settings: Mapping[str, str]) -> None:
    java = check.java_problem()
    if java is not None:
        raise SessionError(java)
    metastore = metastore_folder(settings, Path.cwd())
    if metastore is not None:
        _wait_until_free(metastore)
        metastore.parent.mkdir(parents=True, exist_ok=True)
    master = settings.get("spark.master", "")
    if master.startswith("spark://") and not _answers(master):
        raise SessionError(_unreachable_message(master))
    _fetch_own_jars(settings)


def _fetch_own_jars(settings: Mapping[str, str]) -> None:
    """Fetch the jars when the settings name this package's own folder and it is not full."""
    wanted = (settings.get(CLASS_PATH, "") + "," + settings.get(JARS, "")).replace(":", ",")
    named = {Path(path).parent for path in wanted.split(",") if path}
    if folders.jars_folder() not in named:
        return
    try:
        jars.ensure()
    except jars.JarError as error:
        raise SessionError(str(error)) from error


def _refuse_another_warehouse(running: SparkSession, settings: Mapping[str, str]) -> None:
    wanted = settings.get(WAREHOUSE)
    if wanted is None or "://" in wanted:
        return
    in_use = re.sub("^file:/*", "/", running.conf.get(WAREHOUSE) or wanted)
    if Path(in_use).resolve() != Path(wanted).resolve():
        raise SessionError(
            f"this process already has a Spark session on {in_use}; it cannot also use {wanted}"
        )


def _is_running() -> bool:
    from pyspark import SparkContext

    # not getActiveSession: that is the thread's, and dbt has many threads
    return getattr(SparkContext, "_active_spark_context", None) is not None


def _is_remote(settings: Mapping[str, str]) -> bool:
    return "spark.remote" in settings or "SPARK_REMOTE" in os.environ


def _start_context(settings: Mapping[str, str], logs: Path | None) -> None:
    """Start Java with its standard error in a file, and a context in it."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    conf = SparkConf(loadDefaults=False)
    for key, value in {"spark.app.name": "replication_conflicts", **settings}.items():
        conf.set(key, value)
    # enableHiveSupport comes too late for a context that is already there
    conf.set("spark.sql.catalogImplementation", "hive")
    if logs is None:
        SparkContext(conf=conf)
        return
    logs.mkdir(parents=True, exist_ok=True)
    with (logs / "java.log").open("a", encoding="utf-8") as errors:
        gateway = launch_gateway(conf, {"stderr": errors})  # type: ignore[no-untyped-call]
    # read again with the defaults of the user's Spark, which Java has loaded by now
    SparkContext(conf=SparkConf(_jvm=gateway.jvm), gateway=gateway)


def _logs_folder(settings: Mapping[str, str]) -> Path | None:
    for word in shlex.split(settings.get(JAVA_OPTIONS, "")):
        if word.startswith(_LOGS_OPTION):
            return Path(word.removeprefix(_LOGS_OPTION))
    return None


def _silence_query_errors() -> None:
    """Failing queries are reported by whoever ran them, not also by a logger of PySpark's."""
    from pyspark.logger import PySparkLogger

    PySparkLogger.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)


def _stop_quietly() -> None:
    from pyspark import SparkContext

    context = getattr(SparkContext, "_active_spark_context", None)
    if context is not None:
        try:
            context.stop()
        except Exception:  # the first failure is the one to report
            return


def _answers(master: str) -> bool:
    """Whether one of the addresses in spark://host:port[,host:port] takes a connection."""
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
        except (OSError, ValueError):
            continue
        return True
    return False


def _locked_message(metastore: Path | None) -> str:
    return (
        f"another run uses {metastore}: the embedded metastore lets one process in. "
        "Wait until it ends, or stop it; a cluster target has no such limit."
    )


def _unreachable_message(master: str) -> str:
    return f"the Spark cluster at {master} does not answer: is it running, is the port right?"


def _java_option(word: str, project_dir: Path) -> str:
    for option in _PATH_OPTIONS:
        if word.startswith(option):
            value = word.removeprefix(option).removeprefix("file:")
            word = option + _absolute(value, project_dir)
    if word.startswith(_LOGS_OPTION):
        word = _LOGS_OPTION + _absolute(word.removeprefix(_LOGS_OPTION), project_dir)
    return f'"{word}"' if " " in word else word


def _absolute(path: str, project_dir: Path) -> str:
    # an address like s3a://bucket is no local path
    if "://" in path or path.startswith(("file:", "hdfs:")):
        return path
    return str(project_dir.resolve() / path)
