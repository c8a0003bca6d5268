"""Suites that share one generated project: played wave by wave, one dbt build a wave.

Wave n of the builds is the n-th run of every case. A case hands its changes to the pipeline only
when its own next run is due, so that the builds of the others are none of its business.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from replication_conflicts.dbt_build import WITHOUT_STANDING, BuildResult, DbtBuild
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.scenarios.compare import Comparison
from replication_conflicts.scenarios.differences import Difference
from replication_conflicts.scenarios.inputs import Inputs
from replication_conflicts.scenarios.outputs import Outputs
from replication_conflicts.scenarios.partitions import Partitions
from replication_conflicts.scenarios.play import CasePlay, SharedPublication
from replication_conflicts.scenarios.project import Configuration, ConsumerProject
from replication_conflicts.scenarios.side_by_side import (
    case_names,
    code_of,
    shared_options,
    shared_publication,
)
from replication_conflicts.scenarios.suite import Case, Suite
from replication_conflicts.scenarios.waves import Player, RunDone, RunDue, play_in_waves
from replication_conflicts.simulation import Positions, initial_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Report = Callable[[str], None]

# what a build leaves out: tests, and views, which stand since the first build
_WITHOUT_UNIT_TESTS = ("--exclude-resource-type", "unit_test")
_WITHOUT_TESTS = ("--exclude-resource-type", "test", *_WITHOUT_UNIT_TESTS)
_REBUILT_EVERY_RUN = ("kept_view", "ephemeral", "table", "rounds")


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
class GroupResult:
    """What became of suites that share a project; `problems`: what is wrong with all of it."""

    cases: list[CaseResult]
    problems: list[str] = field(default_factory=list)


@dataclass
class _Member:
    """A suite in the group: its configuration and its cases being played."""

    suite: Suite
    shared: SharedPublication
    options: dict[str, object]
    plays: list[CasePlay] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.shared.publication.name

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
        self._inputs: Inputs
        self._spark: SparkSession
        self._builds = 0

    @staticmethod
    def _member(suite: Suite) -> _Member:
        publication = shared_publication(suite)
        shared = SharedPublication(publication, Positions(), suite.subscriptions)
        return _Member(suite, shared, shared_options(suite))

    def run(self) -> GroupResult:
        """Plays all cases and compares. Errors: FirstBuildFailed."""
        self._project.write([member.configuration for member in self._members])
        installed = self._build.run("deps")
        if not installed.success:
            raise RuntimeError("dbt deps failed: " + "\n".join(installed.errors))
        self._spark = self._build.spark
        self._outputs = Outputs(self._spark, self._project)
        self._inputs = Inputs(self._spark, self._project)
        self._prepare()
        plays = [play for member in self._members for play in member.plays]
        finished = self._play({play: play.steps() for play in plays})
        self._compare(finished, is_rebuilt=False)
        if self._is_refreshed:
            self._full_refresh(finished)
        self._converge(finished)
        problems = self._test_data(finished)
        return GroupResult(list(self._results.values()), problems)

    # before the first step

    def _prepare(self) -> None:
        started = time.monotonic()
        self._inputs.create([member.configuration for member in self._members])
        for member in self._members:
            self._prepare_member(member)
        self._report(f"{self._project.name}: prepared, {time.monotonic() - started:.0f} s")

    def _prepare_member(self, member: _Member) -> None:
        publication = member.shared.publication
        partitions = Partitions(self._spark, member.suite, publication)
        stored = []
        for case, names in zip(member.suite.cases, case_names(member.suite), strict=True):
            rows: dict[str, list[Mapping[str, object]]] = {
                article: [names.hide(row) for row in rows] for article, rows in case.initial.items()
            }
            identity = names.publisher_identity(publication.name)
            held = initial_rows(publication, rows, identity)
            stored += held
            play = CasePlay(
                case, names, member.shared, identity, self._outputs, partitions.inside, held
            )
            member.plays.append(play)
        self._inputs.add_initial(publication, stored)
        self._inputs.set_subscriptions(publication, member.plays)

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
        again: dict[str, list[FeedRow]] = {}
        with_news = [one for one in members if self._deliver(one, due, again)]
        is_first = self._builds == 0
        is_configured = self._configure(members)
        must_fail = any(one.error_texts for one in due.values())
        # a run over nothing new changes nothing: the hard pass shows it
        active = members if is_first or is_configured or must_fail else with_news
        if not active:
            return RunDone(True)
        before = self._outputs.table_versions()
        result = self._one_build(active, len(due), everything=is_first or is_configured)
        after = self._outputs.table_versions()
        if not result.success and is_first and len(self._members) > 1:
            raise FirstBuildFailed("\n".join(result.errors))
        if result.success and self._is_hard:
            for member in active:
                self._inputs.add_feed(member.shared.publication, again.get(member.name, []))
            self._empty_run(active, due)
        changed = sorted(name for name in after if after[name] != before.get(name))
        return RunDone(result.success, result.errors, tuple(changed))

    def _one_build(self, members: Sequence[_Member], cases: int, everything: bool) -> BuildResult:
        arguments = ["build", *_WITHOUT_TESTS]
        if not everything:
            paths = [f"path:models/{member.configuration.name}" for member in members]
            arguments += ["--select", *paths, "package:replication_conflicts"]
            arguments += WITHOUT_STANDING
            # dbt's record of the project is the one of the first build, and takes long to write
            arguments += ["--no-write-json"]
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

    def _empty_run(self, members: Sequence[_Member], due: Mapping[CasePlay, RunDue]) -> None:
        data_tables = self._data_tables()
        before = self._outputs.table_versions()
        result = self._one_build(members, len(due), everything=False)
        after = self._outputs.table_versions()
        changed = sorted(name for name in data_tables if after.get(name) != before.get(name))
        for play in due:
            if changed:
                self._result(play).problems.append(f"the empty run changed {', '.join(changed)}")
            self._result(play).problems += [f"the empty run failed: {one}" for one in result.errors]

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

    def _deliver(
        self, member: _Member, due: Mapping[CasePlay, RunDue], again: dict[str, list[FeedRow]]
    ) -> bool:
        """What the cases have uploaded, reported and decided goes to the tables; whether anything.

        In the hard pass every row is delivered twice: every other copy at once, the rest with the
        run that follows (`again`).
        """
        deliveries = [play.delivery() for play in member.plays if play in due]
        feed = [row for one in deliveries for row in one.feed]
        if self._is_hard:
            again[member.name] = feed[1::2]
            feed = [*feed, *feed[::2]]
        self._inputs.add_feed(member.shared.publication, feed)
        self._inputs.add_reports(member.shared.publication, deliveries)
        return not all(one.is_empty for one in deliveries)

    def _configure(self, members: Sequence[_Member]) -> bool:
        """Writes what `set` steps have changed since the last run; whether there was any."""
        changed = [one for one in members if any(play.configuration_changes for play in one.plays)]
        for member in changed:
            for play in member.plays:
                play.configuration_changes = 0
                if play.policy is not None:
                    member.options["policy"] = play.policy
            self._inputs.set_subscriptions(member.shared.publication, member.plays)
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

    def _test_data(self, plays: Sequence[CasePlay]) -> list[str]:
        """The project's tests of what is recorded: they look at all cases together."""
        if not plays or any(play.case.expects_error for play in plays):
            return []
        result = self._build.run("test", *_WITHOUT_UNIT_TESTS)
        self._report(
            f"{self._project.name}: {len(result.nodes)} data tests, {result.seconds:.0f} s"
        )
        return [f"{self._project.name}: a data test failed: {one}" for one in result.errors]

    def _result(self, play: CasePlay) -> CaseResult:
        return self._results[id(play.case)]


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
