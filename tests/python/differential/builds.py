"""Generated cases as publications of one generated dbt project, delivered batch by batch."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication_conflicts.dbt_build import WITHOUT_STANDING, BuildResult, DbtBuild
from replication_conflicts.environment.profile import quick_start
from replication_conflicts.lakehouse import tables
from replication_conflicts.lakehouse.relations import canonical_columns
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.publication import Publication, publication_from_vars
from replication_conflicts.scenarios.inputs import Inputs
from replication_conflicts.scenarios.outputs import Outputs
from replication_conflicts.scenarios.project import INPUTS, Configuration, ConsumerProject
from tests.python.differential.reports import decision, refusal
from tests.python.sequential_reader import Command
from tests.python.strategies.cases import Case, Delivery
from tests.python.strategies.replicas import ReaderPipeline, Rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Record = dict[str, Any]
Report = Callable[[str], None]

# what keeps nothing from run to run
_REBUILT_EVERY_RUN = ("kept_view", "ephemeral", "table", "rounds", "scratch")
_ALWAYS_THERE = frozenset({"change_outcomes", "conflicts_info", "distribution_commands"})
# tests of the project's own are no part of a run
_BUILD = ("build", "--exclude-resource-type", "test", "--exclude-resource-type", "unit_test")
# what comes in is a matter of the source: the plainest tables are created and read fastest
_FEED_FORMAT = "parquet"
# a later build: dbt's record of the project is the one of the first build
_LATER = (*WITHOUT_STANDING, "--no-write-json")


class BuildFailed(Exception):
    """A dbt build failed where it should not."""


@dataclass
class Played:
    """A case in the project: its publication, and what its subscribers were told after each run."""

    case: Case
    publication: Publication
    options: dict[str, Any]
    pipeline: ReaderPipeline
    """A reader that is as far as the builds."""
    commands: list[dict[str, list[Record]]] = field(default_factory=list)
    snapshots: dict[tuple[int, str], Rows] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The publication's name."""
        return self.publication.name


class Builds:
    """Cases side by side in one generated project, each as a publication of its own.

    `name` is the project's name and its schema; `state` the warehouse, which is the same for all
    projects of a process; `is_short`: its session has few builds, and starts quickly.
    """

    def __init__(
        self,
        name: str,
        cases: Sequence[Case],
        folder: Path,
        state: Path,
        report: Report = print,
        is_short: bool = False,
    ) -> None:
        self.project = ConsumerProject(name, folder / name, state)
        self.played = [
            Played(
                case,
                publication_from_vars(f"p{number:02d}", case.configuration),
                _options(case),
                ReaderPipeline(case),
            )
            for number, case in enumerate(cases, start=1)
        ]
        self._report = report
        self._settings = quick_start(state) if is_short else None
        self._is_built = False
        self._build = DbtBuild(self.project.folder, self.project.profiles, threads=4)
        self.spark: SparkSession
        self.outputs: Outputs
        self._inputs: Inputs

    # --- building --------------------------------------------------------------------------------

    def start(self) -> None:
        """Write the project, and the tables that it reads."""
        shutil.rmtree(self.project.folder, ignore_errors=True)
        configurations = [Configuration(one.publication, one.options) for one in self.played]
        self.project.write(configurations, self._settings)
        for played in self.played:
            for name, text in played.case.files.items():
                (self.project.folder / name).parent.mkdir(exist_ok=True)
                (self.project.folder / name).write_text(text, encoding="utf-8")
        installed = self._build.run("deps")
        if not installed.success:
            raise BuildFailed("\n".join(installed.errors))
        self.spark = self._build.spark
        self.outputs = Outputs(self.spark, self.project)
        self._inputs = Inputs(self.spark, self.project)
        self._inputs.create(configurations)
        self._is_built = False
        for played in self.played:
            self._fill_tables(played)
            played.pipeline = ReaderPipeline(played.case)
            played.commands.clear()

    def configure(self, configurations: Mapping[str, Mapping[str, Any]]) -> None:
        """Configure publications otherwise from the next run on; others stay as they are."""
        shutil.rmtree(self.project.folder / "models")
        options = {one.name: configurations.get(one.name, one.options) for one in self.played}
        self.project.write(
            [Configuration(publication_from_vars(name, one), one) for name, one in options.items()],
            self._settings,
        )
        self._is_built = False

    @property
    def _schemas(self) -> list[str]:
        project = self.project
        return [project.schema, project.feeds, project.initial, project.inputs]

    def drop(self) -> None:
        """Drop everything that the project has written or reads."""
        for schema in self._schemas:
            self.spark.sql(f"drop schema if exists {schema} cascade")

    def _fill_tables(self, played: Played) -> None:
        publication = played.publication
        for name in Configuration(publication, played.options).initial_articles:
            table = tables.table_name(self.project.initial, publication, name)
            columns = tables.initial_table_columns(publication.articles[name])
            rows = played.case.initial[name]
            tables.append_rows(self.spark, table, columns, rows, _FEED_FORMAT)
        subscriptions = [_subscription(played, name) for name in played.case.subscribers]
        self._append("subscriptions", subscriptions)

    def play(self) -> None:
        """Deliver and build until every delivery of every case is taken."""
        for number in range(self.runs):
            self.take(number)

    @property
    def runs(self) -> int:
        """How many runs take every delivery of every case."""
        return max(len(one.case.deliveries) for one in self.played)

    def take(self, number: int) -> None:
        """One delivery of each case that has so many, a build, and what subscribers are told."""
        for played in self.played:
            self.deliver(played, number)
        self.build()
        self.remember(number)

    def remember(self, number: int) -> None:
        """What subscribers are told after a delivery has been built."""
        for played in self.played:
            if number < len(played.case.deliveries):
                self._remember(played)

    def deliver(self, played: Played, number: int) -> None:
        """A delivery of a case, if it has that many; what was there before is built by then."""
        if number >= len(played.case.deliveries):
            return
        delivery = played.case.deliveries[number]
        rows = [FeedRow(article, row) for article, row in delivery.rows]
        tables.append_feed(self.spark, self.project.feeds, played.publication, rows, _FEED_FORMAT)
        events = [
            {
                "publication": played.name,
                "subscriber": event.subscriber,
                "event": "reinitialized",
                "snapshot_position": event.snapshot_position,
                "queue_position": event.position,
                "at": event.at,
            }
            for event in delivery.events
        ]
        self._append("subscription_events", events)
        try:
            self._report_to(played, delivery)
        except LookupError as missing:
            raise BuildFailed(f"{played.case.label}: {missing}") from missing
        played.pipeline.run(delivery)

    def _report_to(self, played: Played, delivery: Delivery) -> None:
        """What subscribers refused and people decided about what was there before the delivery."""
        reader = played.pipeline.reader
        if delivery.errors:
            told = played.commands[-1]
            refusals = [refusal(reader, told[one.subscriber], one) for one in delivery.errors]
            self._inputs.add_refusals(played.publication, refusals)
        if delivery.decisions:
            recorded = self.records("conflicts_info", played)
            found = (
                decision(reader, played.publication, recorded, one) for one in delivery.decisions
            )
            self._append("conflict_decisions", [one for one in found if one])

    def _append(self, name: str, rows: Sequence[Record]) -> None:
        tables.append_rows(self.spark, f"{self.project.inputs}.{name}", INPUTS[name], rows)

    def build(self, *options: str) -> BuildResult:
        """One run of the pipeline over all publications."""
        later = _LATER if self._is_built else ()
        result = self._build.run(*_BUILD, *options, *later)
        self.outputs.forget()
        self._report(f"{self.project.name}: build {' '.join(options)} {result.seconds:.0f} s")
        if not result.success:
            raise BuildFailed("\n".join(result.errors))
        # a run over some models alone has not made every view
        self._is_built = self._is_built or "--select" not in options
        return result

    def data_test_errors(self) -> tuple[str, ...]:
        """What the project's own tests say about what is recorded."""
        result = self._build.run("test", "--exclude-resource-type", "unit_test")
        # none at all would find nothing wrong
        assert result.nodes, result.errors
        return result.errors

    def data_test_warnings(self, name: str) -> tuple[str, ...]:
        """What one of these tests, which only warns, has to say."""
        return self._build.run("test", "--select", name).warnings

    def changed_by_empty_run(self) -> list[str]:
        """Tables that keep something and have a new Delta version after a run without news."""
        kept = self._data_tables()
        before = self.outputs.table_versions()
        # a table that is not there has the same version ever after: these are, whatever comes
        missing = _ALWAYS_THERE - (kept & before.keys())
        assert not missing, f"no Delta tables: {sorted(missing)}"
        self.build()
        after = self.outputs.table_versions()
        return sorted(name for name in kept if after.get(name) != before.get(name))

    def _data_tables(self) -> set[str]:
        manifest = json.loads((self.project.folder / "target" / "manifest.json").read_text())
        return {
            node["alias"]
            for node in manifest["nodes"].values()
            if node["resource_type"] == "model"
            and node["config"]["materialized"] not in _REBUILT_EVERY_RUN
        }

    # --- reading ---------------------------------------------------------------------------------

    def _remember(self, played: Played) -> None:
        """What every subscriber has been told by now, and the snapshots that it may take."""
        told = {
            subscriber: self.commands(played, subscriber) for subscriber in played.case.subscribers
        }
        played.commands.append(told)

    def records(self, relation: str, played: Played) -> list[Record]:
        """The rows of a relation that are about one publication."""
        found = self.outputs.records(relation)
        return [dict(record) for record in found if record["publication"] == played.name]

    def of(self, label: str) -> Played:
        """The case of that label."""
        (played,) = (one for one in self.played if one.case.label == label)
        return played

    def rounds_of_last_run(self, label: str) -> int:
        """How often the last run that decided anything looked at the changes of a case."""
        decisions = self.records("change_decisions", self.of(label))
        return max((int(one["round_number"]) for one in decisions), default=0)

    def commands(self, played: Played, subscriber: str) -> list[Record]:
        """A subscriber's commands in order."""
        found = [
            record
            for record in self.records("subscriber_commands", played)
            if record["subscriber"] == subscriber
        ]
        return sorted(found, key=lambda one: (one["queue_position"], one["sequence"]))

    def article_records(
        self, played: Played, relation: str, article: str, columns: Sequence[str], travel: str = ""
    ) -> list[Record]:
        """Rows of a relation that has an article's columns: those typed, as `row`, and others."""
        found = played.publication.articles[article]
        texts = canonical_columns({name: kind.ddl for name, kind in found.columns.items()})
        others = [f"`{name}` as `__{name}`" for name in columns]
        if "." not in relation:
            relation = f"{self.project.schema}.{relation}"
        rows = self.spark.sql(f"select {', '.join(texts + others)} from {relation}{travel}")
        return [
            {"row": found.from_texts(record), **{name: record[f"__{name}"] for name in columns}}
            for record in (row.asDict() for row in rows.collect())
        ]

    def snapshot(self, played: Played, command: Record) -> Rows:
        """The rows of the snapshot that a `reinitialize` command names."""
        rows: Rows = {}
        for table in command["snapshot"]:
            article = played.publication.articles[table["article"]]
            for record in self.article_records(
                played,
                table["relation"],
                article.name,
                ["row_version", "is_deleted"],
                f" version as of {table['table_version']}",
            ):
                if not record["is_deleted"]:
                    key = article.key_of(record["row"])
                    rows[(article.name, key)] = (record["row_version"], record["row"])
        return rows

    def typed_command(self, played: Played, record: Record) -> Command:
        """A row of subscriber_commands as the reader's records have it."""
        article = played.publication.articles.get(record["article"])
        key = row = None
        if article is not None:
            key = article.key_of(article.from_texts(record["key"]))
            row = None if record["row"] is None else article.from_texts(record["row"])
        return Command(
            position=record["queue_position"],
            sequence=record["sequence"],
            subscriber=record["subscriber"],
            kind=record["kind"],
            origin=record["origin"],
            transaction_id=record["transaction_id"],
            article=record["article"],
            operation=record["operation"],
            key=key,
            row=row,
            old_version=record["old_version"],
            new_version=record["new_version"],
            change_id=record["cause"],
            run=record["run_sequence"],
            snapshot_position=record["snapshot_position"],
        )


def _options(case: Case) -> dict[str, Any]:
    """The publication's options as the project has them."""
    articles = {
        name: {**options, "resolver": case.own_resolvers[name]}
        if name in case.own_resolvers
        else options
        for name, options in case.configuration["articles"].items()
    }
    return {**case.configuration, "articles": articles}


def _subscription(played: Played, name: str) -> Record:
    """A row of the subscriptions; under queued updating all are alike."""
    options = played.case.subscriptions.get(name, {})
    priority = options.get("priority")
    return {
        "publication": played.name,
        "subscriber": name,
        "type": options.get("type", "server"),
        "priority": None if priority is None else Decimal(str(priority)).quantize(Decimal("0.01")),
        "republisher": options.get("republisher", False),
        "below": options.get("below"),
    }


@contextmanager
def builds(
    name: str,
    cases: Sequence[Case],
    folder: Path,
    state: Path,
    report: Report = print,
    is_short: bool = False,
) -> Iterator[Builds]:
    """Cases in a project, played to their end; its tables are dropped afterwards."""
    running = Builds(name, cases, folder, state, report, is_short)
    running.start()
    try:
        running.play()
        yield running
    finally:
        running.drop()
