"""Suites that share one generated project: played wave by wave, one dbt build a wave.

Wave n of the builds is the n-th run of every case. A case hands its changes to the pipeline only
when its own next run is due, so that the builds of the others are none of its business.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from replication_conflicts.dbt_build import BuildResult, DbtBuild
from replication_conflicts.nodes import Identity, Positions, Publication, Row, initial_rows, tables
from replication_conflicts.scenarios.compare import Comparison, Difference
from replication_conflicts.scenarios.outputs import Outputs
from replication_conflicts.scenarios.play import (
    CasePlay,
    Delivery,
    Player,
    RunDone,
    RunDue,
    SharedPublication,
    play_in_waves,
)
from replication_conflicts.scenarios.project import INPUTS, Configuration, ConsumerProject
from replication_conflicts.scenarios.side_by_side import (
    case_names,
    code_of,
    shared_options,
    shared_publication,
)
from replication_conflicts.scenarios.suite import Case, Suite

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Report = Callable[[str], None]

# what comes in is a matter of the source: the plainest tables are created and read fastest
_FEED_FORMAT = "parquet"
# what a build leaves out: tests, and views, which stand since the first build
_WITHOUT_TESTS = ("--exclude-resource-type", "test", "--exclude-resource-type", "unit_test")
_REBUILT_EVERY_RUN = ("view", "ephemeral", "table", "rounds")


class FirstBuildFailed(Exception):
    """The first build of a project with several suites failed: one of them breaks it for all."""


@dataclass
class CaseResult:
    """What became of a case."""

    suite: Suite
    case: Case
    differences: list[Difference] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def has_passed(self) -> bool:
        """Whether everything came out as expected."""
        return not self.differences and not self.problems


@dataclass
class _Member:
    """A suite in the group: its configuration and its cases being played."""

    suite: Suite
    shared: SharedPublication
    options: dict[str, object]
    plays: list[CasePlay] = field(default_factory=list)

    @property
    def configuration(self) -> Configuration:
        return Configuration(self.shared.publication, self.options)


class Group:
    """Runs suites in one generated project."""

    def __init__(
        self,
        suites: Sequence[Suite],
        project: ConsumerProject,
        is_hard: bool,
        report: Report,
        threads: int = 4,
    ) -> None:
        self._project = project
        self._report = report
        # a run that must fail is not repeated, and is no more than itself
        self._is_hard = is_hard and not any(
            case.expects_error for one in suites for case in one.cases
        )
        self._is_refreshed = self._is_hard and not any(
            case.changes_configuration for one in suites for case in one.cases
        )
        self._members = [self._member(suite) for suite in suites]
        self._results = {
            id(case): CaseResult(suite, case) for suite in suites for case in suite.cases
        }
        self._build = DbtBuild(project.folder, project.profiles, threads=threads)
        self._outputs: Outputs
        self._spark: SparkSession
        self._builds = 0

    @staticmethod
    def _member(suite: Suite) -> _Member:
        publication = shared_publication(suite)
        identity = Identity(publication.name, publication.publisher)
        shared = SharedPublication(publication, Positions(), identity, suite.subscriptions)
        return _Member(suite, shared, shared_options(suite))

    def run(self) -> list[CaseResult]:
        """Plays all cases and compares. Errors: FirstBuildFailed."""
        self._project.write([member.configuration for member in self._members])
        installed = self._build.run("deps")
        if not installed.success:
            raise RuntimeError("dbt deps failed: " + "\n".join(installed.errors))
        self._spark = self._build.spark
        self._outputs = Outputs(self._spark, self._project)
        started = time.monotonic()
        self._create_tables()
        for member in self._members:
            self._prepare(member)
        self._report(f"{self._project.name}: prepared, {time.monotonic() - started:.0f} s")
        plays = [play for member in self._members for play in member.plays]
        finished = self._play({play: play.steps() for play in plays})
        self._compare(finished, is_rebuilt=False)
        if self._is_refreshed:
            self._full_refresh(finished)
        self._converge(finished)
        return list(self._results.values())

    # before the first step

    def _create_tables(self) -> None:
        project = self._project
        for schema in (project.schema, project.feeds, project.initial, project.inputs):
            self._spark.sql(f"drop schema if exists {schema} cascade")
            self._spark.sql(f"create schema {schema}")
        for name, columns in INPUTS.items():
            tables.create_table(self._spark, f"{project.inputs}.{name}", columns)
        for member in self._members:
            publication = member.shared.publication
            for article in publication.articles.values():
                table = tables.table_name(project.feeds, publication, article.name)
                columns = tables.feed_table_columns(publication, article)
                tables.create_table(self._spark, table, columns, _FEED_FORMAT)
            for name in member.configuration.initial_articles:
                table = tables.table_name(project.initial, publication, name)
                columns = tables.initial_table_columns(publication.articles[name])
                tables.create_table(self._spark, table, columns, _FEED_FORMAT)

    def _prepare(self, member: _Member) -> None:
        publication = member.shared.publication
        stored = []
        for case, names in zip(member.suite.cases, case_names(member.suite), strict=True):
            rows: dict[str, list[Mapping[str, object]]] = {
                article: [names.hide(row) for row in rows] for article, rows in case.initial.items()
            }
            held = initial_rows(publication, rows, member.shared.identity)
            stored += held
            partitions = Partitions(self._spark, member.suite, publication)
            play = CasePlay(case, names, member.shared, self._outputs, partitions.inside, held)
            member.plays.append(play)
        initial = self._project.initial
        tables.append_initial(self._spark, initial, publication, stored, _FEED_FORMAT)
        if member.suite.subscriptions:
            self._add_subscriptions(member)

    def _add_subscriptions(self, member: _Member) -> None:
        rows = []
        for play in member.plays:
            for name, options in play.subscriptions.items():
                kind = options.get("type", "server")
                is_server = member.shared.publication.is_merge and kind == "server"
                below = options.get("below")
                rows.append(
                    {
                        "publication": member.shared.publication.name,
                        "subscriber": play.names.to_shared(name),
                        "type": kind,
                        "priority": _priority(options.get("priority", 75 if is_server else None)),
                        "republisher": bool(options.get("republisher", False)),
                        "below": None if below is None else play.names.to_shared(str(below)),
                    }
                )
        table = f"{self._project.inputs}.subscriptions"
        tables.append_rows(self._spark, table, INPUTS["subscriptions"], rows)

    # waves

    def _play(self, players: Mapping[CasePlay, Player]) -> list[CasePlay]:
        """Plays to the end; gives the cases that got there."""
        finished, failures = play_in_waves(players, self._run)
        for play, message in failures.items():
            self._result(play).problems.append(message)
        return finished

    def _run(self, due: Mapping[CasePlay, RunDue]) -> RunDone:
        """One run for all cases that wait for one."""
        members = [one for one in self._members if any(play in due for play in one.plays)]
        delivered = [
            self._deliver(one, [play for play in one.plays if play in due]) for one in members
        ]
        active = [
            member
            for member, has_news in zip(members, delivered, strict=True)
            # a run over nothing new changes nothing; the hard pass shows that
            if has_news or self._is_hard or self._builds == 0
        ]
        must_fail = any(one.error_texts for one in due.values())
        if not active and not must_fail:
            return RunDone(True)
        configured = self._configure(active)
        before = self._outputs.table_versions()
        result = self._one_build(active, len(due), everything=configured or self._builds == 0)
        after = self._outputs.table_versions()
        changed = tuple(sorted(name for name in after if after[name] != before.get(name)))
        if not result.success:
            if self._builds == 1 and len(self._members) > 1:
                raise FirstBuildFailed("\n".join(result.errors))
            return RunDone(False, result.errors, changed)
        if self._is_hard:
            return self._empty_run(active, len(due))
        return RunDone(True)

    def _one_build(self, members: Sequence[_Member], cases: int, everything: bool) -> BuildResult:
        arguments = ["build", *_WITHOUT_TESTS]
        if not everything:
            paths = [f"path:models/{member.configuration.name}" for member in members]
            arguments += ["--select", *paths, "package:replication_conflicts"]
            arguments += ["--exclude", "config.materialized:view", "command_statements"]
        self._builds += 1
        started = time.monotonic()
        result = self._build.run(*arguments)
        self._outputs.forget()
        self._report(
            f"{self._project.name}: build {self._builds}, {len(members)} of {len(self._members)} "
            f"publications, {cases} cases, {time.monotonic() - started:.0f} s"
            + ("" if result.success else ", failed")
        )
        return result

    def _empty_run(self, members: Sequence[_Member], cases: int) -> RunDone:
        data_tables = self._data_tables()
        before = self._outputs.table_versions()
        result = self._one_build(members, cases, everything=False)
        after = self._outputs.table_versions()
        changed = sorted(name for name in data_tables if after.get(name) != before.get(name))
        if changed:
            return RunDone(False, (f"the empty run changed {', '.join(changed)}",))
        return RunDone(result.success, result.errors)

    def _data_tables(self) -> set[str]:
        """Tables that keep something: all but those that every run writes anew."""
        manifest = json.loads((self._project.folder / "target" / "manifest.json").read_text())
        nodes = manifest["nodes"].values()
        return {
            node["alias"]
            for node in nodes
            if node["resource_type"] == "model"
            and node["config"]["materialized"] not in _REBUILT_EVERY_RUN
        }

    def _deliver(self, member: _Member, plays: Sequence[CasePlay]) -> bool:
        """What the cases have uploaded, reported and decided goes to the tables."""
        deliveries = [play.delivery() for play in plays]
        feed = [row for one in deliveries for row in one.feed]
        if self._is_hard:
            feed = [row for row in feed for _ in range(2)]
        publication = member.shared.publication
        tables.append_feed(self._spark, self._project.feeds, publication, feed, _FEED_FORMAT)
        self._append_events(publication, deliveries)
        self._append_decisions(deliveries)
        return not all(one.is_empty for one in deliveries)

    def _append_events(self, publication: Publication, deliveries: Iterable[Delivery]) -> None:
        rows = [
            {
                "publication": publication.name,
                "subscriber": event.subscriber,
                "event": "reinitialized",
                "snapshot_position": event.snapshot_position,
                "queue_position": position,
                "at": event.at,
            }
            for delivery in deliveries
            for event, position in delivery.events
        ]
        table = f"{self._project.inputs}.subscription_events"
        tables.append_rows(self._spark, table, INPUTS["subscription_events"], rows)

    def _append_decisions(self, deliveries: Iterable[Delivery]) -> None:
        rows = [
            {
                "conflict_id": decision.conflict_id,
                "decision": decision.decision,
                "edited": decision.edited,
                "author": "scenario",
                "reason": "a step of the case",
                "queue_position": None,
            }
            for delivery in deliveries
            for decision in delivery.decisions
        ]
        table = f"{self._project.inputs}.conflict_decisions"
        tables.append_rows(self._spark, table, INPUTS["conflict_decisions"], rows)

    def _configure(self, members: Sequence[_Member]) -> bool:
        """Writes what `set` steps have changed since the last run; whether there was any."""
        changed = [one for one in members if any(play.configuration_changes for play in one.plays)]
        for member in changed:
            for play in member.plays:
                play.configuration_changes = 0
                if play.policy is not None:
                    member.options["policy"] = play.policy
            name = member.shared.publication.name
            table = f"{self._project.inputs}.subscriptions"
            self._spark.sql(f"delete from {table} where publication = '{name}'")
            self._add_subscriptions(member)
        if changed:
            self._project.write_configuration([one.configuration for one in self._members])
        return bool(changed)

    # after the last step

    def _compare(self, plays: Iterable[CasePlay], is_rebuilt: bool) -> None:
        for play in plays:
            differences = Comparison(play, self._outputs).differences(is_rebuilt)
            if is_rebuilt:
                differences = [
                    Difference(f"after the full refresh: {one.what}", one.expected, one.actual)
                    for one in differences
                ]
            self._result(play).differences += differences

    def _full_refresh(self, plays: Sequence[CasePlay]) -> None:
        publications = [member.shared.publication for member in self._members]
        before = self._outputs.canonical(publications)
        result = self._build.run("build", *_WITHOUT_TESTS, "--full-refresh")
        self._outputs.forget()
        self._report(f"{self._project.name}: full refresh, {result.seconds:.0f} s")
        if not result.success:
            for play in plays:
                message = "the full refresh failed: " + "\n".join(result.errors)
                self._result(play).problems.append(message)
            return
        self._compare(plays, is_rebuilt=True)
        after = self._outputs.canonical(publications)
        for (publication, relation), rows in before.items():
            concerned = [
                play for play in plays if publication in (None, play.shared.publication.name)
            ]
            self._compare_relation(relation, rows, after[(publication, relation)], concerned)

    def _compare_relation(
        self, relation: str, before: list[str], after: list[str], plays: Sequence[CasePlay]
    ) -> None:
        if before == after:
            return
        for play in plays:
            old = [one for one in before if _is_about(json.loads(one), play)]
            new = [one for one in after if _is_about(json.loads(one), play)]
            if old != new:
                gone = [one for one in old if one not in new]
                come = [one for one in new if one not in old]
                what = f"after the full refresh: {relation} is not as before"
                self._result(play).differences.append(Difference(what, gone, come))

    def _converge(self, plays: Sequence[CasePlay]) -> None:
        players = {
            play: play.last_synchronizations()
            for play in plays
            if play.case.converges and not play.case.expects_error
        }
        for play in self._play(players):
            self._result(play).differences += Comparison(play, self._outputs).convergence()

    def _result(self, play: CasePlay) -> CaseResult:
        return self._results[id(play.case)]


class Partitions:
    """Whether rows lie in a subscriber's partition, by the row filters of the suite."""

    def __init__(self, spark: SparkSession, suite: Suite, publication: Publication) -> None:
        self._spark = spark
        self._publication = publication
        self._filters = _row_filters(suite)

    def inside(self, subscriber: str, article: str, rows: list[Row]) -> list[bool]:
        """One flag per row. A filter that gives NULL leaves the row outside."""
        condition = self._filters.get((article, subscriber))
        if condition is None or not rows:
            return [True] * len(rows)
        columns = self._publication.articles[article].columns
        schema = ", ".join(f"`{name}` {kind.ddl}" for name, kind in columns.items())
        values = [(*(row[name] for name in columns), index) for index, row in enumerate(rows)]
        frame = self._spark.createDataFrame(values, f"{schema}, `__row` int")
        kept = {row[0] for row in frame.where(condition).select("__row").collect()}
        return [index in kept for index in range(len(rows))]


def _row_filters(suite: Suite) -> dict[tuple[str, str], str]:
    articles = suite.options["articles"]
    assert isinstance(articles, Mapping)
    return {
        (name, subscriber): str(condition)
        for name, article in articles.items()
        for subscriber, condition in (article.get("row_filter") or {}).items()
    }


def _priority(value: object) -> object:
    return None if value is None else Decimal(str(value)).quantize(Decimal("0.01"))


def _is_about(record: Mapping[str, object], play: CasePlay) -> bool:
    """Whether a row of an output belongs to a case, and must be the same however runs were cut."""
    name = play.shared.publication.name
    if record.get("publication", name) != name:
        return False
    subscriber = record.get("subscriber")
    if subscriber is not None:
        # a rebuild may leave other commands behind the snapshot of a reinitialized subscriber
        own = {
            play.names.to_shared(one) for one in play.subscribers if one not in play.reinitialized
        }
        if subscriber not in own:
            return False
    return code_of(record) == play.names.code
