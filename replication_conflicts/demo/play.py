"""The loop: a delivery, a `dbt build`, commands to the branches that are online, and so on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import yaml

from replication_conflicts.dbt_build import BuildResult, DbtBuild
from replication_conflicts.demo.lakehouse import Lakehouse
from replication_conflicts.demo.state import Plan, State
from replication_conflicts.nodes import Node, Publication, StoredRow, publication_from_vars
from replication_conflicts.workload import Delivery, Workload
from replication_conflicts.workload.inventory import STORY

PUBLICATION = "inventory"
POLICIES = ("publisher_wins", "publisher_wins_reinitialize", "subscriber_wins")
# a branch that is reinitialized reports it to the next run; this many builds are enough for all
MOST_CLOSING_BUILDS = 4
# what never changes is made by the first build; unit tests are for those who change a rule
_FIRST = ("build", "--exclude-resource-type", "test", "unit_test")
_NEXT = (*_FIRST, "seed", "--exclude", "config.materialized:view", "command_statements")
_WITH_TESTS = ("build", "--exclude-resource-type", "unit_test", "seed")


class DemoError(Exception):
    """The demo cannot go on; the message says why, and what to do."""


@dataclass(frozen=True)
class Round:
    """One delivery and the run over it."""

    delivery: Delivery
    seconds: float
    reinitialized: tuple[str, ...]


@dataclass(frozen=True)
class Ending:
    """How a demo ended: `unequal` are the branches whose rows are not the publisher's."""

    rounds: tuple[Round, ...]
    unequal: tuple[str, ...]
    branches: int


@dataclass(frozen=True)
class Repetition:
    """The same feed once more: how many rows, and the data tables that got a new version."""

    rows: int
    taken: int
    changed_tables: tuple[str, ...]
    seconds: float


Listener = Callable[[str], None]


def publication_options(project: Path, policy: str) -> dict[str, Any]:
    """The configuration of all publications, `inventory` with the wanted policy."""
    settings = yaml.safe_load((project / "dbt_project.yml").read_text(encoding="utf-8"))
    publications: dict[str, Any] = settings["vars"]["publications"]
    return {**publications, PUBLICATION: {**publications[PUBLICATION], "policy": policy}}


def default_policy(project: Path) -> str:
    """The policy that the project itself has."""
    settings = yaml.safe_load((project / "dbt_project.yml").read_text(encoding="utf-8"))
    return str(settings["vars"]["publications"][PUBLICATION].get("policy", POLICIES[0]))


class Demo:
    """A demo in the root project. `say` is told, in a few words, what is being done.

    `has_tests`: the builds at the end run the project's data tests, too.
    """

    def __init__(
        self, project: Path, state: State, plan: Plan, say: Listener, has_tests: bool = False
    ) -> None:
        options = publication_options(project, plan.policy)
        self.publication: Publication = publication_from_vars(PUBLICATION, options[PUBLICATION])
        self.plan = plan
        self._state = state
        self._say = say
        self._last = _WITH_TESTS if has_tests else _NEXT
        self._dbt = DbtBuild(project, project / "profiles", threads=4)
        # the project's own configuration needs no option, and dbt need not parse anew for it
        is_own = plan.policy == default_policy(project)
        self._vars = () if is_own else ("--vars", json.dumps({"publications": options}))
        self._lakehouse: Lakehouse | None = None

    @property
    def lakehouse(self) -> Lakehouse:
        """The tables; the first use starts Spark."""
        if self._lakehouse is None:
            self._say("starting Spark")
            self._lakehouse = Lakehouse(self._dbt.spark, self.publication)
        return self._lakehouse

    def play(self, tell: Callable[[Round], None]) -> Ending:
        """The whole demo from the start; `tell` is told of every round."""
        workload = Workload(STORY, self.publication, self.plan.settings)
        self._state.start(self.plan, self.publication, workload.initial)
        self.lakehouse.clear()
        self._say("loading the rows that every node starts with")
        self.lakehouse.start(workload.initial)
        rounds: list[Round] = []
        for number in range(1, self.plan.settings.deliveries + 1):
            rounds.append(self._round(workload, _NEXT if number > 1 else _FIRST))
            tell(rounds[-1])
        for _ in range(MOST_CLOSING_BUILDS):
            rounds.append(self._round(workload, self._last))
            tell(rounds[-1])
            if not workload.has_pending and not rounds[-1].reinitialized:
                break
        self._say("comparing the branches with the publisher")
        published = by_key(self.publication, self.lakehouse.published())
        unequal = tuple(
            name for name, node in workload.subscribers.items() if rows_of(node) != published
        )
        self._state.finish(self.plan)
        return Ending(tuple(rounds), unequal, len(workload.subscribers))

    def repeat(self) -> Repetition:
        """Deliver everything again and build."""
        before = self.lakehouse.versions()
        taken = self._taken()
        deliveries = self._state.deliveries(self.publication)
        rows = [row for delivery in deliveries for row in delivery]
        self._say(f"delivering {len(rows):,} rows again")
        self.lakehouse.deliver(rows)
        self._say("dbt build")
        seconds = self._build(self._last).seconds
        after = self.lakehouse.versions()
        changed = tuple(name for name in after if after[name] != before.get(name))
        return Repetition(len(rows), self._taken() - taken, changed, seconds)

    # --- a round

    def _round(self, workload: Workload, command: tuple[str, ...]) -> Round:
        self._say("people at work in five places")
        delivery = workload.delivery()
        self._state.keep(delivery.number, self.publication, delivery.rows)
        self.lakehouse.deliver(delivery.rows)
        self._say(f"dbt build over {len(delivery.rows):,} feed rows")
        seconds = self._build(command).seconds
        self._say("the branches apply their commands")
        published = self.lakehouse.published()
        workload.answer(published, self.lakehouse.commands(delivery.online))
        waiting = [
            name
            for name in delivery.online
            if workload.subscribers[name].reinitialize_command is not None
        ]
        for name in waiting:
            self._reinitialize(workload.subscribers[name])
        return Round(delivery, seconds, tuple(waiting))

    def _build(self, command: tuple[str, ...]) -> BuildResult:
        result = self._dbt.run(*command, *self._vars)
        if not result.success:
            raise DemoError(
                "dbt build failed:\n  " + "\n  ".join(result.errors) + "\nTo see it alone: "
                "`replication-conflicts build`; to start over: `make demo` again."
            )
        return result

    def _reinitialize(self, node: Node) -> None:
        command = node.reinitialize_command
        assert command is not None
        position = command.snapshot_position or 0
        node.reinitialize(self.lakehouse.snapshot(command), position)
        moment = datetime(2025, 3, 4, tzinfo=timezone.utc)
        self.lakehouse.report_reinitialized(node.name, position, moment)

    def _taken(self) -> int:
        return self.lakehouse.count("select count(*) from published.change_outcomes")


Rows = dict[tuple[str, tuple[object, ...]], tuple[dict[str, object], str]]


def rows_of(node: Node) -> Rows:
    """A node's rows by article and key, with their versions."""
    found: Rows = {}
    for name, article in node.publication.articles.items():
        for row in node.rows(name):
            key = article.key_of(row)
            held = node.held(name, key)
            assert held is not None
            found[name, key] = (dict(row), held.version)
    return found


def by_key(publication: Publication, rows: list[StoredRow]) -> Rows:
    """Rows of tables in the same form."""
    return {
        (stored.article, publication.articles[stored.article].key_of(stored.row)): (
            dict(stored.row),
            stored.version,
        )
        for stored in rows
    }
