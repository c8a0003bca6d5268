"""The loop: people at work in databases, captures upload, `dbt build`, agents distribute."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

from replication_conflicts.database.articles import node_publication
from replication_conflicts.dbt_build import WITHOUT_STANDING, BuildResult, DbtBuild
from replication_conflicts.demo.conflict import BothSides, both_sides
from replication_conflicts.demo.databases import node_databases
from replication_conflicts.demo.faults import FaultyFeed
from replication_conflicts.demo.lakehouse import Lakehouse
from replication_conflicts.demo.publications import STORIES, default_policy, publication_options
from replication_conflicts.demo.side_by_side import side_by_side
from replication_conflicts.demo.site import Site
from replication_conflicts.demo.state import DemoError, Plan, State
from replication_conflicts.publication.commands import REINITIALIZE
from replication_conflicts.workload import Round

# a subscriber that is reinitialized reports it to the next run, and what was not applied comes
# again; this many builds are enough for all
MOST_CLOSING_BUILDS = 4
# what never changes is made by the first build; unit tests are for those who change a rule
FIRST = ("build", "--exclude-resource-type", "test", "unit_test")
NEXT = (*FIRST, "seed", *WITHOUT_STANDING)
_FIRST_WITH_TESTS = ("build", "--exclude-resource-type", "unit_test")
_WITH_TESTS = (*_FIRST_WITH_TESTS, "seed")


@dataclass(frozen=True)
class Visit:
    """What one publication had to do with a delivery: rows that it brought, and who was away."""

    publication: str
    round: Round
    rows: int
    offline: tuple[str, ...]
    reinitialized: tuple[str, ...]


@dataclass(frozen=True)
class Delivery:
    """One delivery of all publications, and the build over it."""

    number: int
    visits: tuple[Visit, ...]
    seconds: float

    @property
    def is_closing(self) -> bool:
        """Whether nobody has worked any more."""
        return all(visit.round.is_closing for visit in self.visits)


@dataclass(frozen=True)
class Ending:
    """How a demo ended: `unequal` are the databases whose rows are not the published ones."""

    databases: int
    unequal: tuple[str, ...]
    conflict: BothSides | None


@dataclass(frozen=True)
class Repetition:
    """The same feeds once more: how many rows, and the data tables that got a new version."""

    rows: int
    taken: int
    changed_tables: tuple[str, ...]
    seconds: float


Listener = Callable[[str], None]


class Demo:
    """A demo in the root project. `say` is told, in a few words, what is being done.

    `has_tests`: the builds at the end run the project's data tests, too. `profiles`: a folder with
    another target `embedded` than the project's.
    """

    def __init__(
        self,
        project: Path,
        state: State,
        plan: Plan,
        say: Listener,
        has_tests: bool = False,
        profiles: Path | None = None,
    ) -> None:
        options = publication_options(project, plan.policy)
        self.plan = plan
        self.sites = [
            Site(story, node_publication(story.publication, options), plan.settings)
            for story in STORIES
        ]
        self._state = state
        self._say = say
        self._has_tests = has_tests
        self._last = _WITH_TESTS if has_tests else NEXT
        self._dbt = DbtBuild(project, profiles or project / "profiles", threads=4, is_long=True)
        # the project's own configuration needs no option, and dbt need not parse anew for it
        is_own = plan.policy == default_policy(project)
        self._vars = () if is_own else ("--vars", json.dumps({"publications": options}))
        self._lakehouse: Lakehouse | None = None

    @property
    def lakehouse(self) -> Lakehouse:
        """The tables; the first use starts Spark."""
        if self._lakehouse is None:
            self._say("starting Spark")
            self._lakehouse = Lakehouse(self._dbt.spark)
        return self._lakehouse

    def play(self, tell: Callable[[Delivery], None], *, is_dropping: bool) -> Ending:
        """The whole demo from the start; `tell` is told of every delivery.

        Errors: DemoError where the schemas hold tables, unless `is_dropping`.
        """
        with (
            node_databases(self.plan.databases, self._state.databases) as make_url,
            ThreadPoolExecutor(1) as aside,
        ):
            # nothing of the last demo is touched before it is known that this one may run
            may_run = aside.submit(self._check, is_dropping)
            # dbt works while Spark starts: the first build finds the project read, and says what is
            # wrong with it
            self._dbt.run("parse", *self._vars)
            may_run.result()
            self._state.clear()
            # people go to work while the schemas are made anew
            is_ready = aside.submit(self._prepare_lakehouse)
            for site in self.sites:
                site.open(make_url)
            try:
                self._play(tell, is_ready)
                return self._ending()
            finally:
                for site in self.sites:
                    site.close()

    def repeat(self) -> Repetition:
        """Deliver everything again and build.

        Errors: DemoError where the last demo's tables are gone.
        """
        if not self.lakehouse.has_files():
            raise DemoError(
                "the tables of the last demo are gone from the warehouse.\n"
                "To start over: `replication-conflicts demo --fresh`."
            )
        before = self.lakehouse.versions()
        taken = self._taken()
        self._say("delivering everything again")
        rows = sum(
            self.lakehouse.deliver_again(publication, version)
            for publication, version in self._state.feed_versions.items()
        )
        self._say(f"dbt build over {rows:,} rows that are known")
        seconds = self._build(self._last).seconds
        after = self.lakehouse.versions()
        changed = tuple(name for name in after if after[name] != before.get(name))
        return Repetition(rows, self._taken() - taken, changed, seconds)

    # --- a round

    def _check(self, is_dropping: bool) -> None:
        # the session starts here, unless another run is in it
        lakehouse = self.lakehouse
        if not is_dropping and lakehouse.has_tables():
            raise DemoError(
                "the schemas feeds, initial and published hold tables that no demo has made.\n"
                "To drop them and start: `replication-conflicts demo --fresh`."
            )

    def _prepare_lakehouse(self) -> None:
        # from here on the schemas are the demo's, even if it is killed
        self._state.start(self.plan)
        self.lakehouse.clear()
        self.lakehouse.start(self.sites)

    def _play(self, tell: Callable[[Delivery], None], is_ready: Future[None]) -> None:
        self._say("people at work")
        rounds = [site.work() for site in self.sites]
        is_ready.result()
        faults = [
            FaultyFeed(
                self.lakehouse.spark,
                site.publication,
                site.story,
                self.plan.settings.random(site.publication.name, "faults"),
            )
            for site in self.sites
        ]
        number, closing = 1, 0
        while True:
            delivery = self._delivery(number, rounds, faults)
            tell(delivery)
            closing += delivery.is_closing
            is_worked = number >= self.plan.settings.deliveries
            if closing == MOST_CLOSING_BUILDS or (is_worked and self._is_settled(delivery)):
                return
            number += 1
            self._say("people at work")
            rounds = [site.work() for site in self.sites]

    def _is_settled(self, delivery: Delivery) -> bool:
        """Whether nothing is left to upload, nor a snapshot to report, now that nobody works."""
        is_waiting = any(visit.reinitialized for visit in delivery.visits)
        return not is_waiting and not any(site.has_pending for site in self.sites)

    def _delivery(
        self, number: int, rounds: Sequence[Round], faults: Sequence[FaultyFeed]
    ) -> Delivery:
        self._say("captures upload")
        rows = side_by_side(partial(self._upload, number), self.sites, rounds, faults)
        self._say(f"dbt build over {sum(rows):,} feed rows")
        seconds = self._build(self._command(number)).seconds
        self._say("agents distribute")
        visits = side_by_side(self._visit, self.sites, rounds, rows)
        return Delivery(number, tuple(visits), seconds)

    def _upload(self, number: int, site: Site, played: Round, faulty: FaultyFeed) -> int:
        uploaded = site.upload(self.lakehouse.feed(site.publication))
        is_faulty = not played.is_closing
        beside = faulty.disturb(number, datetime.now(timezone.utc)) if is_faulty else 0
        return uploaded + beside

    def _command(self, number: int) -> tuple[str, ...]:
        is_last = number >= self.plan.settings.deliveries
        if number == 1:
            return _FIRST_WITH_TESTS if is_last and self._has_tests else FIRST
        return self._last if is_last else NEXT

    def _visit(self, site: Site, played: Round, rows: int) -> Visit:
        links = self.lakehouse.links(site.publication, site.places(played.online))
        done = site.distribute(links)
        refused = [one for summary in done.values() for one in summary.refused]
        if refused:
            one = refused[0]
            raise DemoError(f"the database of {one.subscriber} refused a command: {one.error_text}")
        return Visit(
            site.publication.name,
            played,
            rows,
            tuple(name for name in site.story.subscribers if name not in played.online),
            tuple(name for name, one in done.items() if one.commands[REINITIALIZE]),
        )

    def _ending(self) -> Ending:
        self._say("comparing all databases with the published rows")
        unequal = []
        conflict = None
        published = side_by_side(
            lambda site: self.lakehouse.published(site.publication), self.sites
        )
        for site, rows in zip(self.sites, published, strict=True):
            held = {node: site.held(node) for node in site.nodes}
            unequal += [f"{site.publication.name}/{node}" for node in held if held[node] != rows]
            conflict = conflict or both_sides(self.lakehouse, site, held, rows)
        versions = {
            site.publication.name: self.lakehouse.feed_version(site.publication.name)
            for site in self.sites
        }
        self._state.finish(self.plan, versions)
        databases = sum(len(site.nodes) for site in self.sites)
        return Ending(databases, tuple(unequal), conflict)

    def _build(self, command: tuple[str, ...]) -> BuildResult:
        result = self._dbt.run(*command, *self._vars)
        if not result.success:
            raise DemoError(
                "dbt build failed:\n  " + "\n  ".join(result.errors) + "\nTo see it alone: "
                "`replication-conflicts build`; to start over: `make demo` again."
            )
        return result

    def _taken(self) -> int:
        return self.lakehouse.count("select count(*) from published.change_outcomes")
