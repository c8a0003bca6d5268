"""Cases side by side: a hidden key column in every article, a prefix on every subscriber."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from replication_conflicts.publication.publication import Publication, publication_from_vars
from replication_conflicts.publication.values import Row
from replication_conflicts.scenarios.steps import RefuseStep
from replication_conflicts.scenarios.suite import CASE_COLUMN, Suite
from replication_conflicts.simulation import Identity


@dataclass(frozen=True)
class CaseNames:
    """The names of one case in the shared publication; `code` is its hidden key value."""

    code: str
    publisher: str

    def to_shared(self, node: str) -> str:
        """A node's name in the shared publication.

        The publisher is the same for all cases, and so is the node of a run's own versions.
        """
        is_shared = node in (self.publisher, f"{self.publisher}*")
        return node if is_shared else f"{self.code}_{node}"

    def publisher_identity(self, publication: str) -> Identity:
        """The publisher's counters in this case: its versions do not depend on other cases."""
        return Identity(f"{publication}/{self.code}", self.publisher)

    def to_own(self, node: str | None) -> str | None:
        """A node's name, or what begins with it, as the case has it."""
        return None if node is None else node.removeprefix(f"{self.code}_")

    def to_shared_id(self, text: str) -> str:
        """The id of a raw change or transaction in the shared publication."""
        return f"{self.code}/{text}"

    def to_own_id(self, text: str) -> str:
        """An id as the case has it, if it is one of the case's raw rows."""
        return text.removeprefix(f"{self.code}/")

    def in_own_words(self, message: str) -> str:
        """A message about the shared publication, with the names that the case has."""
        return re.sub(rf"\b{self.code}_", "", message)

    def hide(self, row: Mapping[str, object]) -> dict[str, object]:
        """A row (or a key) with the hidden column."""
        return {CASE_COLUMN: self.code, **row}

    def to_shared_row(self, values: Mapping[str, object]) -> dict[str, object]:
        """A raw row of the feed with the hidden column, its ids and nodes as the others have them.

        What is NULL stays NULL.
        """
        shared = self.hide(values)
        for name in ("change_id", "transaction_id"):
            if shared.get(name) is not None:
                shared[name] = self.to_shared_id(str(shared[name]))
        if shared.get("node") is not None:
            shared["node"] = self.to_shared(str(shared["node"]))
        lineage = shared.get("lineage")
        if isinstance(lineage, Mapping):
            shared["lineage"] = {self.to_shared(node): number for node, number in lineage.items()}
        return shared

    @staticmethod
    def strip(row: Row) -> Row:
        """A row (or a key) without the hidden column."""
        return {name: value for name, value in row.items() if name != CASE_COLUMN}


def in_own_queues(suite: Suite) -> list[Suite]:
    """A suite in parts that are publications of their own: one for every case that sets places of
    the queue or its clock, lest it decide about the others, and one for the rest.
    """
    if len(suite.cases) == 1:
        return [suite]
    alone = [case for case in suite.cases if case.needs_own_queue]
    together = tuple(case for case in suite.cases if not case.needs_own_queue)
    parts = [(suite.publication.name, together)] if together else []
    names = (f"{suite.publication.name}_alone_{number}" for number in range(1, len(alone) + 1))
    parts += [(name, (case,)) for name, case in zip(names, alone, strict=True)]
    return [
        replace(suite, publication=replace(suite.publication, name=name), cases=cases)
        for name, cases in parts
    ]


def case_names(suite: Suite) -> list[CaseNames]:
    """Names for all cases of a suite, in their order."""
    publisher = suite.publication.publisher
    return [CaseNames(f"c{number:02d}", publisher) for number in range(1, len(suite.cases) + 1)]


def code_of(record: Mapping[str, object]) -> str | None:
    """The case that a row of an output belongs to; None when it does not say."""
    for column in ("change_row", "key"):
        row = record.get(column)
        if isinstance(row, Mapping) and row.get(CASE_COLUMN):
            return str(row[CASE_COLUMN])
    if record.get(CASE_COLUMN):
        return str(record[CASE_COLUMN])
    if record.get("row_key"):
        return str(record["row_key"]).split("|", 1)[0]
    for column in ("subscriber", "node"):
        if record.get(column) and "_" in str(record[column]):
            return str(record[column]).split("_", 1)[0]
    return None


def shared_options(suite: Suite) -> dict[str, object]:
    """The publication's configuration for `vars: publications:`, for all cases together."""
    options = {
        name: value
        for name, value in suite.options.items()
        if name not in ("name", "subscriptions")
    }
    raw_articles = options["articles"]
    assert isinstance(raw_articles, Mapping)
    names = case_names(suite)
    articles = {name: _shared_article(article, names) for name, article in raw_articles.items()}
    for name, article in articles.items():
        if any(case.initial.get(name) for case in suite.cases):
            article["initial_snapshot"] = True
    options["articles"] = articles
    if any(isinstance(step, RefuseStep) for case in suite.cases for step in case.steps):
        options["apply_errors"] = True
    if options.get("logical_records"):
        options["logical_records"] = [
            _shared_record(one) for one in _list(options["logical_records"])
        ]
    return options


def shared_publication(suite: Suite) -> Publication:
    """The publication as the simulated nodes of all cases see it."""
    return publication_from_vars(suite.publication.name, shared_options(suite))


def _shared_article(article: Mapping[str, object], names: list[CaseNames]) -> dict[str, object]:
    shared = dict(article)
    columns = article["columns"]
    assert isinstance(columns, Mapping)
    shared["columns"] = {
        CASE_COLUMN: "string",
        **{name: str(kind).lower() for name, kind in columns.items()},
    }
    shared["primary_key"] = [CASE_COLUMN, *_list(article["primary_key"])]
    if article.get("unique"):
        shared["unique"] = [[CASE_COLUMN, *_list(one)] for one in _list(article["unique"])]
    if article.get("foreign_keys"):
        shared["foreign_keys"] = [
            {
                **one,
                "columns": [CASE_COLUMN, *_list(one["columns"])],
                "to": [CASE_COLUMN, *_list(one["to"])],
            }
            for one in _list(article["foreign_keys"])
        ]
    filters = article.get("row_filter")
    if isinstance(filters, Mapping):
        shared["row_filter"] = {
            case.to_shared(node): text for case in names for node, text in filters.items()
        }
    return shared


def _shared_record(record: Mapping[str, object]) -> dict[str, object]:
    members = record["members"]
    assert isinstance(members, Mapping)
    return {
        **record,
        "members": {
            name: {**member, "columns": [CASE_COLUMN, *_list(member["columns"])]}
            for name, member in members.items()
        },
    }


def _list(value: object) -> list:  # type: ignore[type-arg]
    return list(value) if isinstance(value, (list, tuple)) else []
