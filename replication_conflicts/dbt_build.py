"""dbt in this process, many times on one Spark session."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication_conflicts.environment import profile, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FAILED = frozenset({"error", "fail", "runtime error", "partial success"})
WARNED = "warn"
# what dbt calls the event of exceptions.warn() in a macro
_WARNING_OF_MACRO = "JinjaLogWarning"
# and of a node's error. An ephemeral model that does not compile is in no result, only in this
_ERROR_OF_NODE = "RunResultError"
# keep dbt's own talk out of the console: results and messages are returned instead
_QUIET = ("--log-level", "none", "--no-print", "--no-send-anonymous-usage-stats")

# options of a build behind the first one: without what the first one makes and no later one changes
WITHOUT_STANDING = ("--exclude", "config.materialized:kept_view", "command_statements")


@dataclass(frozen=True)
class NodeResult:
    """One node of a build: its name, dbt's status (success, error, skipped, pass, ...), seconds."""

    name: str
    status: str
    seconds: float


@dataclass(frozen=True)
class BuildResult:
    """What a dbt command did.

    `errors` holds one message for each node that failed, beginning with the node's name, or the
    message of what stopped the command as a whole; of an ephemeral model dbt's own, which names it.
    `warnings` holds those of the project's checks and of tests that only warn. `seconds` is wall
    time.
    """

    success: bool
    errors: tuple[str, ...]
    seconds: float
    nodes: tuple[NodeResult, ...]
    warnings: tuple[str, ...] = ()
    is_call_wrong: bool = False
    """Whether dbt does not know an option, or cannot read one."""


class DbtBuild:
    """Runs dbt commands of one project; the first one starts the Spark session.

    `target`: one of the profile; none: the one that the profile names.
    `is_long`: the session has minutes of work, so that both compiler tiers pay, where the profile
    asks for a quick start with one.
    """

    def __init__(
        self,
        project_dir: Path,
        profiles_dir: Path,
        target: str | None = "embedded",
        threads: int | None = None,
        is_long: bool = False,
    ) -> None:
        self._project_dir = project_dir.resolve()
        self._profiles_dir = profiles_dir.resolve()
        self._target = target
        self._threads = threads
        self._is_long = is_long

    @property
    def spark(self) -> SparkSession:
        """The session that dbt uses; started with the profile's settings when there is none.

        Raises session.SessionError or profile.ProfileError, each with a one-line message.
        """
        parameters = profile.server_side_parameters(
            self._project_dir, self._profiles_dir, self._target
        )
        if self._is_long:
            parameters = profile.for_minutes(parameters)
        return session.start(parameters, self._project_dir)

    def run(self, *arguments: str) -> BuildResult:
        """Run a dbt command, for example ``run("build", "--select", "staging")``.

        Failing nodes raise nothing: they are in the result.
        """
        from dbt.cli.exceptions import DbtUsageException
        from dbt.cli.main import dbtRunner

        started = time.monotonic()
        warnings: list[str] = []
        told: list[str] = []

        def hear(event: Any) -> None:
            if event.info.name == _ERROR_OF_NODE:
                told.append(short_message(event.data.msg))
            if event.info.name == _WARNING_OF_MACRO:
                warnings.append(event.info.msg)

        try:
            if arguments[0] not in _WITHOUT_SESSION:
                _ = self.spark
            runner = dbtRunner(callbacks=[hear])
            answer = runner.invoke([*_QUIET, *arguments, *self._options(arguments[0])])
        except (session.SessionError, profile.ProfileError) as error:
            return BuildResult(False, (str(error),), time.monotonic() - started, ())
        seconds = time.monotonic() - started
        nodes = tuple(_node_results(answer.result))
        errors = tuple(_errors(answer.result, answer.exception)) or tuple(dict.fromkeys(told))
        warnings.extend(_messages(answer.result, frozenset({WARNED})))
        return BuildResult(
            success=bool(answer.success),
            errors=errors,
            seconds=seconds,
            nodes=nodes,
            warnings=tuple(warnings),
            is_call_wrong=isinstance(answer.exception, DbtUsageException),
        )

    def _options(self, command: str) -> Iterator[str]:
        yield from ("--project-dir", str(self._project_dir))
        yield from ("--profiles-dir", str(self._profiles_dir))
        if self._target is not None:
            yield from ("--target", self._target)
        if self._threads is not None and command not in _WITHOUT_SESSION:
            yield from ("--threads", str(self._threads))


# what dbt calls its hooks at the begin and the end of an invocation
_HOOK = "operation"
_WITHOUT_SESSION = frozenset({"deps", "parse", "list", "ls", "clean"})


def _node_results(result: object) -> Iterator[NodeResult]:
    for node in _results(result):
        if node.node.resource_type == _HOOK:
            continue
        yield NodeResult(node.node.name, str(node.status), float(node.execution_time))


def _errors(result: object, exception: BaseException | None) -> Iterator[str]:
    if exception is not None:
        yield short_message(str(exception))
    yield from _messages(result, _FAILED)


def _messages(result: object, statuses: frozenset[str]) -> Iterator[str]:
    for node in _results(result):
        if str(node.status) in statuses:
            yield f"{node.node.name}: {short_message(str(node.message))}"


def _results(result: object) -> Iterable[Any]:
    # commands like parse and list return something without node results
    found = getattr(result, "results", ())
    return [node for node in found if getattr(node, "node", None) is not None]


def spark_message(error: Exception) -> str | None:
    """What Spark says of an error of its own, in short; None: it is none of Spark's."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    # what PySpark has no class for comes as Py4J has it: files that are gone, two writers at once
    is_of_spark = isinstance(error, (PySparkException, Py4JError))
    return short_message(str(error)) if is_of_spark else None


# the begin of what is for developers: Java's stack, a plan
_BEHIND = re.compile(r"\n+\s*(?:JVM stacktrace:|at (?:org|java|jdk|scala|io|com|py4j)\.|== SQL)")


def short_message(message: str) -> str:
    """A message without Java's stack and without the plan that Spark prints below it."""
    text = re.sub(r"^An error occurred while calling \S+\n: ", "", _BEHIND.split(message)[0])
    # Spark's own sentences end with their SQLSTATE; behind it come a position and a plan
    text = re.split(r"(?<=SQLSTATE: \w{5})", text)[0]
    return re.sub(r"\n\s*\n", "\n", text).strip()
