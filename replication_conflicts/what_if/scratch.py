"""The schema of a what-if: what dbt reads there of the project as it is, and what it writes.

Staging and the inputs are views of the project's own; the logs that a rebuild reads are clones, so
that it can replace them. Nothing outside the schema is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from replication_conflicts.environment.spark_text import spark_text
from replication_conflicts.what_if.question import Question, check_subscribers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGE = "replication_conflicts"
LOG = "change_outcomes"
MARK = "made by replication-conflicts what-if"
SETTINGS = "recorded_settings"
# the published rows are those of other decisions
_VERSIONS = "__versions"


class ScratchProblem(Exception):
    """The schema cannot be made; the message says why in one line."""


@dataclass(frozen=True)
class Inputs:
    """What a rebuild of the decisions reads: names of relations.

    `staging`: the changes; `others`: subscriptions, events and the like; `logs`: what runs left.
    """

    staging: tuple[str, ...]
    others: tuple[str, ...]
    logs: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The dbt nodes that a rebuild does not make itself."""
        return (*self.staging, *self.others)


def inputs_of(manifest: Mapping[str, Any], publications: Mapping[str, Any]) -> Inputs:
    """Where the package's decision meets the project's own nodes, by the manifest of a parse."""
    nodes = manifest["nodes"]
    [log] = [key for key, node in nodes.items() if node["name"] == LOG]
    staging: set[str] = set()
    others: set[str] = set()
    articles = {
        f"stg_{publication}__{article}"
        for publication, settings in publications.items()
        for article in settings["articles"]
    }
    unseen, seen = [log], {log}
    while unseen:
        for key in manifest["parent_map"][unseen.pop()]:
            node = nodes.get(key)
            if node is None or key in seen:
                continue
            seen.add(key)
            if node["name"] in articles:
                staging.add(node["name"])
            elif node["package_name"] != PACKAGE or node["resource_type"] == "seed":
                others.add(node["name"])
            else:
                unseen.append(key)
    held = {
        source["identifier"]
        for source in manifest["sources"].values()
        if source["source_name"] == "held"
    }
    logs = {name for name in held if not name.endswith(_VERSIONS)}
    return Inputs(tuple(sorted(staging)), tuple(sorted(others)), tuple(sorted(logs)))


class Scratch:
    """The schema `name` beside the schema `decided`, where the project's builds write."""

    def __init__(self, spark: SparkSession, decided: str, name: str) -> None:
        self._spark = spark
        self._decided = decided
        self.name = name

    def make(self, inputs: Inputs, question: Question) -> None:
        """Make the schema anew. Errors: ScratchProblem, ConfigurationProblem."""
        if not self._has(LOG):
            raise ScratchProblem(
                f"nothing has been decided yet: {self._decided} has no {LOG}. Run a build first."
            )
        check_subscribers(question, self._subscriber_types(question))
        self._clear()
        for name in inputs.logs:
            if self._has(name):
                self._sql(f"create table {self.name}.{name} shallow clone {self._decided}.{name}")
        if self._has(SETTINGS):
            # the record forbids another policy
            self._sql(f"delete from {self.name}.{SETTINGS} where setting = 'policy'")
        for name in inputs.staging:
            self._view(name, self._staged(name, question))
        for name in inputs.others:
            self._view(name, self._input(name, question))
        stamped = self._restamped(question)
        if stamped:
            self._sql(
                f"update {self.name}.{LOG} set priority = null"
                f" where publication = '{question.publication}' and node in ({_texts(stamped)})"
            )

    def _clear(self) -> None:
        schemas = {str(row[0]) for row in self._spark.sql("show schemas").collect()}
        if self.name == self._decided:
            raise ScratchProblem(f"--schema {self.name} is the schema of the project itself")
        if self.name in schemas:
            facts = dict(self._rows(f"describe schema {self.name}"))
            if facts.get("Comment") != MARK:
                raise ScratchProblem(
                    f"--schema {self.name} exists, and no what-if has made it: name another one"
                )
            self._sql(f"drop schema {self.name} cascade")
        self._sql(f"create schema {self.name} comment '{MARK}'")

    def _staged(self, name: str, question: Question) -> str:
        """The changes of the publication that have been decided, as they came."""
        stamped = self._restamped(question)
        columns = ", ".join(
            f"if(staged.node in ({_texts(stamped)}), null, staged.priority) as priority"
            if stamped and column == "priority"
            else f"staged.`{column}`"
            for column in self._spark.table(f"{self._decided}.{name}").columns
        )
        return (
            f"select {columns} from {self._decided}.{name} as staged"
            f" left semi join {self._decided}.{LOG} as decided"
            " on staged.publication = decided.publication"
            " and staged.change_id = decided.change_id"
            " and staged.content_hash = decided.content_hash"
            f" where staged.publication = '{question.publication}'"
        )

    def _input(self, name: str, question: Question) -> str:
        """A relation as it is; of `subscriptions` with the priorities that are asked about."""
        relation = f"{self._decided}.{name}"
        if name != "subscriptions" or not question.priorities:
            return f"select * from {relation}"
        cases = " ".join(
            f"when publication = '{question.publication}' and subscriber = {_texts([subscriber])}"
            f" then {value}"
            for subscriber, value in question.priorities.items()
        )
        columns = ", ".join(
            f"cast(case {cases} else priority end as decimal(5,2)) as priority"
            if column == "priority"
            else f"`{column}`"
            for column in self._spark.table(relation).columns
        )
        return f"select {columns} from {relation}"

    def _restamped(self, question: Question) -> tuple[str, ...]:
        """The nodes whose changes contend with another priority: also those below a republisher."""
        if not question.priorities:
            return ()
        asked = _texts(question.priorities)
        rows = self._rows(
            f"select subscriber from {self._decided}.subscriptions"
            f" where publication = '{question.publication}'"
            f" and (subscriber in ({asked}) or below in ({asked}))"
        )
        return tuple(sorted(str(row[0]) for row in rows))

    def _subscriber_types(self, question: Question) -> dict[str, str]:
        rows = self._rows(
            f"select subscriber, type from {self._decided}.subscriptions"
            f" where publication = '{question.publication}'"
        )
        return {str(row[0]): str(row[1]) for row in rows}

    def _has(self, name: str) -> bool:
        return bool(self._spark.catalog.tableExists(f"{self._decided}.{name}"))

    def _view(self, name: str, query: str) -> None:
        self._sql(f"create view {self.name}.{name} as {query}")

    def _sql(self, statement: str) -> None:
        self._spark.sql(statement)

    def _rows(self, query: str) -> Iterator[Any]:
        yield from self._spark.sql(query).collect()


def _texts(names: Iterable[str]) -> str:
    return ", ".join(spark_text(name) for name in names)
