"""Suite files: reading them, and what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from replication_conflicts.publication.publication import Publication, publication_from_vars
from replication_conflicts.publication.values import Row
from replication_conflicts.scenarios.expectations import ExpectationReader, Expectations, whole_row
from replication_conflicts.scenarios.reading import Entry, Place, SuiteProblem, read_yaml
from replication_conflicts.scenarios.step_reader import StepReader, subscription_options
from replication_conflicts.scenarios.steps import ChangeStep, ErrorStep, RawStep, SetStep, Step

# Every article gets it as the first column of its keys, so that cases can run side by side.
CASE_COLUMN = "scenario_case"

_PUBLICATION_KEYS = (
    "name",
    "replication",
    "policy",
    "publisher",
    "subscriptions",
    "articles",
    "logical_records",
    "retention_days",
    "conflict_retention_days",
)
_ARTICLE_KEYS = (
    "columns",
    "primary_key",
    "tracking",
    "resolver",
    "not_null",
    "unique",
    "check",
    "foreign_keys",
    "compensate_for_errors",
    "conflict_logging",
    "row_filter",
    "ignore_equal_values",
)


@dataclass(frozen=True)
class Case:
    """One scenario: rows at the start, steps, and what must come out."""

    name: str
    title: str
    initial: Mapping[str, tuple[Row, ...]]
    steps: tuple[Step, ...]
    expect: Expectations
    converges: bool
    place: Place

    @property
    def expects_error(self) -> bool:
        """Whether the case ends with a run that must fail."""
        return any(isinstance(step, ErrorStep) for step in self.steps)

    @property
    def changes_configuration(self) -> bool:
        """Whether the configuration is another one at the end."""
        return any(isinstance(step, SetStep) for step in self.steps)

    @property
    def names_positions(self) -> bool:
        """Whether rows of the case bring their own places of the queue."""
        return any(isinstance(step, RawStep) and step.names_position for step in self.steps)

    @property
    def needs_own_queue(self) -> bool:
        """Whether no other case may share the publication's queue and its clock."""
        return any(step.sets_queue for step in self.steps)


@dataclass(frozen=True)
class Suite:
    """One file: a publication and cases of it.

    `options` is the publication as the file has it; `publication` what the nodes need of it.
    """

    name: str
    file: str
    publication: Publication
    options: Mapping[str, object]
    subscriptions: Mapping[str, Mapping[str, object]]
    cases: tuple[Case, ...]

    @property
    def needs_own_project(self) -> bool:
        """Whether the suite changes the configuration or stops the run."""
        return any(case.expects_error or case.changes_configuration for case in self.cases)

    @property
    def costliest_need(self) -> str:
        """What of the publication takes the most planning: logical records, unique and foreign
        keys, resolvers, or else its kind of replication.
        """
        if self.publication.logical_records:
            return "logical records"
        articles = self.options.get("articles")
        options = articles.values() if isinstance(articles, Mapping) else ()
        for need, keys in (("keys", ("unique", "foreign_keys")), ("resolvers", ("resolver",))):
            if any(isinstance(one, Mapping) and one.get(key) for one in options for key in keys):
                return need
        return self.publication.replication


def read_suite(path: Path) -> Suite:
    """A suite from its file. Errors: SuiteProblem, with file, case and key."""
    entry = read_yaml(path)
    keys = ("suite", "publication", "cases")
    parts = entry.mapping(keys, required=keys)
    publication, subscriptions = _publication(parts["publication"])
    cases = []
    for one in parts["cases"].entries():
        cases.append(_case(one, publication, subscriptions))
        if sum(case.name == cases[-1].name for case in cases) > 1:
            raise one.problem(f"case {cases[-1].name!r} stands twice")
    suite = Suite(
        name=parts["suite"].text(),
        file=str(path),
        publication=publication,
        options=parts["publication"].value,
        subscriptions=subscriptions,
        cases=tuple(cases),
    )
    if suite.needs_own_project and len(cases) > 1:
        raise parts["cases"].problem("a case with 'set' or 'error' needs a suite of its own")
    return suite


def read_suites(paths: list[Path]) -> tuple[list[Suite], list[SuiteProblem]]:
    """All suites, and the problem of each file that is none."""
    suites: list[Suite] = []
    problems: list[SuiteProblem] = []
    for path in paths:
        try:
            suites.append(read_suite(path))
        except SuiteProblem as problem:
            problems.append(problem)
    return suites, problems


def _publication(entry: Entry) -> tuple[Publication, dict[str, Mapping[str, object]]]:
    required = ("name", "replication", "publisher", "articles")
    parts = entry.mapping(_PUBLICATION_KEYS, required=required)
    parts["name"].name()
    parts["replication"].text(("queued", "merge"))
    publisher = parts["publisher"].text()
    subscriptions: dict[str, Mapping[str, object]] = {}
    if "subscriptions" in parts:
        for name, options in parts["subscriptions"].mapping().items():
            if name == publisher:
                raise options.problem("the publisher has no subscription")
            subscriptions[name] = subscription_options(options)
    for name, article in parts["articles"].mapping().items():
        Entry(name, article.place).name()
        _check_article(article)
    if "logical_records" in parts:
        for record in parts["logical_records"].entries():
            _check_record(record)
    return entry.checked(lambda value: publication_from_vars(value["name"], value)), subscriptions


def _check_article(entry: Entry) -> None:
    parts = entry.mapping(_ARTICLE_KEYS, required=("columns", "primary_key"))
    columns = parts["columns"].mapping()
    for name, kind in columns.items():
        Entry(name, kind.place).column_name()
        kind.text()
        if name == CASE_COLUMN:
            raise kind.problem(f"the name {CASE_COLUMN!r} is taken by the runner")
    for one in parts["primary_key"].entries():
        one.text(columns)
    if "foreign_keys" in parts:
        names = ("columns", "references", "to")
        for one in parts["foreign_keys"].entries():
            one.mapping(names, required=names)
    if "unique" in parts:
        for one in parts["unique"].entries():
            one.entries()
    if "resolver" in parts:
        parts["resolver"].mapping(required=("name",))
    for name in ("check", "row_filter"):
        if name in parts:
            parts[name].mapping()


def _check_record(entry: Entry) -> None:
    allowed = ("top", "members", "detection", "resolution")
    parts = entry.mapping(allowed, required=("top", "members"))
    for member in parts["members"].mapping().values():
        member.mapping(("parent", "columns"), required=("parent", "columns"))


def _case(
    entry: Entry, publication: Publication, subscriptions: Mapping[str, Mapping[str, object]]
) -> Case:
    if isinstance(entry.value, Mapping) and isinstance(entry.value.get("case"), (str, int)):
        name = str(entry.value["case"])
        entry = Entry(entry.value, Place(entry.place.file, name))
    allowed = ("case", "title", "initial", "steps", "expect", "converges")
    parts = entry.mapping(allowed, required=("case", "steps"))
    expected = parts.get("expect") or Entry(None, entry.place.at("expect"))
    initial = _initial(parts["initial"], publication) if "initial" in parts else {}
    steps = StepReader(publication, set(subscriptions)).read(parts["steps"])
    ids = {step.id for step in steps if isinstance(step, (ChangeStep, RawStep)) and step.id}
    added = [name for step in steps if isinstance(step, SetStep) for name in step.added]
    reader = ExpectationReader(publication, (*subscriptions, *added), ids)
    return Case(
        name=parts["case"].label(),
        title=parts["title"].label() if "title" in parts else "",
        initial=initial,
        steps=steps,
        expect=reader.read(Entry({}, expected.place) if expected.value is None else expected),
        converges=parts["converges"].flag() if "converges" in parts else True,
        place=entry.place,
    )


def _initial(entry: Entry, publication: Publication) -> dict[str, tuple[Row, ...]]:
    """Rows at the start; nothing is as good as an empty mapping."""
    if entry.value is None:
        return {}
    initial = {}
    for name, rows in entry.mapping(publication.articles).items():
        article = publication.articles[name]
        for one in rows.entries():
            one.mapping(article.columns, required=article.primary_key)
        initial[name] = tuple(whole_row(article, one) for one in rows.entries())
    return initial
