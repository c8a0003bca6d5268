"""dbt plugin: Python models of the spark adapter run in the Spark session that dbt already has.

dbt discovers every importable module whose name begins with ``dbt_`` and loads its ``plugins``.
This one gives the spark adapter what it lacks with ``method: session``:

- the submission method ``session`` for Python models (``submission_method: session``),
- a first start of the session whose failures are one line, not a page of Java,
- texts of seeds as they are: the adapter takes quotes and backslashes in them for SQL,
- scratch tables in the place of files that a killed run has left there,
- where several processes may write, a run's claim on its schema: a second one meanwhile ends with
  a clear error.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

from dbt.adapters.base.impl import PythonJobHelper
from dbt.adapters.contracts.connection import Connection
from dbt.adapters.spark import session as spark_session
from dbt.adapters.spark.connections import SparkConnectionManager
from dbt.adapters.spark.impl import SparkAdapter
from dbt.flags import get_flags
from dbt.plugins.manager import dbtPlugin
from dbt_common.exceptions import DbtRuntimeError
from dbt_common.invocation import get_invocation_id
from pyspark.errors import PySparkException

from replication_conflicts.environment import claim, session
from replication_conflicts.environment.spark_text import spark_text

# stands in every statement that makes a scratch table (macro scratch_format)
_SCRATCH = "/* scratch of replication_conflicts */"
# by this attribute the adapter is known to have been extended
_EXTENDED = "_is_extended_by_replication_conflicts"

_start_lock = threading.Lock()
_claim_lock = threading.Lock()
# the claim of the running invocation, or why it was refused one
_claim: claim.Claim | session.SessionError | None = None


class SessionPythonJob(PythonJobHelper):
    """Runs one compiled Python model in the running Spark session."""

    def __init__(self, parsed_model: dict[str, Any], credentials: Any) -> None:
        self._name = str(parsed_model["name"])
        self._parameters = dict(credentials.server_side_parameters or {})

    def submit(self, compiled_code: str) -> None:
        """Execute the model; it writes its own table, so nothing is returned.

        Raises DbtRuntimeError with the line of the compiled model that failed.
        """
        spark = _running_session(self._parameters)
        file = f"<python model {self._name}>"
        try:
            code: CodeType = compile(compiled_code, file, "exec")
            # dataclasses and typing look a class's module up by this name
            exec(code, {"__name__": "__main__", "spark": spark})
        except Exception as error:
            frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
            where = f", line {frames[-1].lineno} of the compiled model" if frames else ""
            raise DbtRuntimeError(
                f"Python model {self._name}{where}: {type(error).__name__}: {error}"
            ) from error


class ReplicationConflictsPlugin(dbtPlugin):
    """Adds the submission method and the clear start to the spark adapter, once a process."""

    def initialize(self) -> None:
        """Called by dbt once for every manager of plugins that it makes."""
        if hasattr(SparkAdapter, _EXTENDED):
            return
        _put(SparkAdapter, _EXTENDED, True)
        _add_submission_method()
        _add_clear_start()
        _add_quoted_texts()
        _add_cleared_places()
        _add_claim()


def _put(owner: type, name: str, value: object) -> None:
    """In the place of what a class of dbt's has: by its name, because types forbid it."""
    setattr(owner, name, value)


def _add_submission_method() -> None:
    helpers = vars(SparkAdapter)["python_submission_helpers"].fget

    def with_session(adapter: SparkAdapter) -> dict[str, type[PythonJobHelper]]:
        return {**helpers(adapter), "session": SessionPythonJob}

    _put(SparkAdapter, "python_submission_helpers", property(with_session))


def _add_clear_start() -> None:
    cursor = spark_session.Connection.cursor

    def with_started_session(connection: spark_session.Connection) -> spark_session.Cursor:
        _running_session(connection.server_side_parameters)
        if isinstance(_claim, claim.Claim):
            _as_dbt_error(_claim.check)
        return cursor(connection)

    _put(spark_session.Connection, "cursor", with_started_session)


def _add_quoted_texts() -> None:
    wrapper = spark_session.SessionConnectionWrapper
    fix_binding = wrapper._fix_binding

    def with_quotes(value: Any) -> str | float:
        return spark_text(value) if isinstance(value, str) else fix_binding(value)

    _put(wrapper, "_fix_binding", staticmethod(with_quotes))


def _add_cleared_places() -> None:
    """A table of a query is known only when it is written: a run that is killed leaves files alone.

    Spark then makes no table of that name any more, until somebody removes them.
    """
    execute = spark_session.Cursor.execute

    def with_cleared_place(cursor: spark_session.Cursor, sql: str, *parameters: Any) -> None:
        try:
            execute(cursor, sql, *parameters)
        except PySparkException as error:
            place = _left_behind(error) if _SCRATCH in sql else None
            if place is None:
                raise
            _remove_files(_running_session(cursor.server_side_parameters), place)
            execute(cursor, sql, *parameters)

    _put(spark_session.Cursor, "execute", with_cleared_place)


def _left_behind(error: PySparkException) -> str | None:
    """The place of a table that is not there, where Spark says that there are files."""
    if error.getCondition() != "LOCATION_ALREADY_EXISTS":
        return None
    found = error.getMessageParameters() or {}
    place = found.get("location", "").strip("'")
    table = found.get("identifier", "").rpartition(".")[2].strip("`")
    return place if table and place.endswith(f"/{table}") else None


def _remove_files(spark: Any, place: str) -> None:
    path = spark._jvm.org.apache.hadoop.fs.Path(place)
    path.getFileSystem(spark._jsc.hadoopConfiguration()).delete(path, True)


def _add_claim() -> None:
    open_connection = SparkConnectionManager.open
    cleanup_all = SparkConnectionManager.cleanup_all

    def with_claim(_: type[SparkConnectionManager], connection: Connection) -> Connection:
        opened: Connection = open_connection(connection)
        credentials: Any = connection.credentials
        if credentials.method == "session":
            _take_claim(credentials.schema, dict(credentials.server_side_parameters))
        return opened

    def with_release(manager: SparkConnectionManager) -> None:
        _release_claim()
        cleanup_all(manager)

    _put(SparkConnectionManager, "open", classmethod(with_claim))
    _put(SparkConnectionManager, "cleanup_all", with_release)


def _take_claim(schema: str, parameters: dict[str, Any]) -> None:
    global _claim
    flags = get_flags()  # type: ignore[no-untyped-call]
    if not claim.is_needed(parameters, getattr(flags, "WHICH", "")):
        return
    spark = _running_session(parameters)
    with _claim_lock:
        if _claim is None:
            taken = claim.Claim(claim.HadoopFile(spark, schema), get_invocation_id())
            try:
                taken.take()
                _claim = taken
            except session.SessionError as error:
                # every thread of this invocation is told, without waiting again
                _claim = error
        if isinstance(_claim, session.SessionError):
            raise DbtRuntimeError(str(_claim))


def _release_claim() -> None:
    global _claim
    with _claim_lock:
        if isinstance(_claim, claim.Claim):
            _claim.release()
        _claim = None


def _as_dbt_error(check: Callable[[], None]) -> None:
    try:
        check()
    except session.SessionError as error:
        raise DbtRuntimeError(str(error)) from None


def _project_dir() -> Path:
    # relative paths of a profile are relative to the project, wherever dbt was called
    flags = get_flags()  # type: ignore[no-untyped-call]
    return Path(getattr(flags, "PROJECT_DIR", None) or Path.cwd())


def _running_session(parameters: dict[str, Any]) -> Any:
    # dbt opens its first connections from several threads at once
    with _start_lock:
        try:
            return session.start(parameters, _project_dir())
        except session.SessionError as error:
            raise DbtRuntimeError(str(error)) from None


plugins = [ReplicationConflictsPlugin]
