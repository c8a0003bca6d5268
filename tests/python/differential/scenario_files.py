"""A generated case as a scenario file, which `make scenarios` plays like any other.

Every row of the feed is a raw one. What the article starts with is inserted by the publisher, so
all places move up by that many. What must come out is what the sequential reader says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from replication_conflicts.publication.publication import publication_from_vars
from tests.python.documented_comparison import conflict_record
from tests.python.sequential_reader import SequentialReader
from tests.python.strategies.cases import Case, Delivery
from tests.python.strategies.replicas import ReaderPipeline

NAME = "counterexample"
_OPTIONS = ("replication", "policy", "publisher", "retention_days", "conflict_retention_days")
_PLACES = ("queue_position", "known_position")

Record = dict[str, Any]


class NoScenario(Exception):
    """The case reports something that only nodes of its own can say again."""


def write_scenario(case: Case, path: Path) -> None:
    """Write a suite of this one case. Raises NoScenario."""
    suite = {
        "suite": NAME,
        "publication": _publication(case),
        "cases": [_case(case)],
    }
    text = yaml.safe_dump(suite, sort_keys=False, width=110, allow_unicode=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _publication(case: Case) -> Record:
    options = case.configuration
    articles = {
        name: {key: value for key, value in article.items() if key != "initial_snapshot"}
        for name, article in options["articles"].items()
    }
    found: Record = {"name": NAME}
    found |= {name: options[name] for name in _OPTIONS if name in options}
    found["subscriptions"] = {name: case.subscriptions.get(name, {}) for name in case.subscribers}
    found["articles"] = articles
    if options.get("logical_records"):
        found["logical_records"] = options["logical_records"]
    plain: Record = _plain(found)
    return plain


def _case(case: Case) -> Record:
    if any(delivery.errors or delivery.events for delivery in case.deliveries):
        raise NoScenario("it has refused commands, or events of subscriptions")
    pipeline = ReaderPipeline(case)
    for delivery in case.deliveries:
        pipeline.run(delivery)
    found: Record = _plain(
        {
            "case": case.label,
            "steps": [*_initial(case), *_steps(case)],
            "expect": _expectations(case, pipeline.reader),
            # the rows were made by nodes that are not there to synchronize
            "converges": False,
        }
    )
    return found


def _initial(case: Case) -> Iterator[Record]:
    """The rows of the start, as changes of the publisher."""
    publication = publication_from_vars(NAME, case.configuration)
    moments = [row["changed_at"] for _, row in case.rows if row["changed_at"]]
    place = 0
    for name, rows in case.initial.items():
        for row in rows:
            place += 1
            version = str(row["row_version"])
            values: Record = {
                "change_id": f"initial-{place}",
                "queue_position": place,
                "node": publication.publisher,
                "transaction_id": f"initial-{place}",
                "transaction_change_count": 1,
                "operation": "insert",
                "changed_at": min(moments, default=None),
                **{column: row[column] for column in publication.articles[name].columns},
            }
            if publication.is_merge:
                node, number = version.rsplit(":", 1)
                values["lineage"] = {node: int(number)}
            else:
                values["new_version"] = version
            yield {"at": publication.publisher, "raw": {name: values}}


def _steps(case: Case) -> Iterator[Record]:
    publisher = case.configuration["publisher"]
    shift = sum(len(rows) for rows in case.initial.values())
    for delivery in case.deliveries:
        for article, row in delivery.rows:
            moved = {name: row[name] + shift for name in _PLACES if row.get(name) is not None}
            if row.get("priority") is not None:
                moved["priority"] = float(row["priority"])
            yield {"at": publisher, "raw": {article: {**row, **moved}}}
        yield from _decisions(case, delivery)
        yield {"run": True}


def _decisions(case: Case, delivery: Delivery) -> Iterator[Record]:
    publication = publication_from_vars(NAME, case.configuration)
    for one in delivery.decisions:
        found: Record = {
            "article": one.article,
            "key": publication.articles[one.article].key_row(one.key),
            "loser": one.loser,
            "decision": one.decision,
        }
        if one.edited:
            found["edited"] = dict(one.edited)
        yield {"decide": found}


def _expectations(case: Case, reader: SequentialReader) -> Record:
    publication = publication_from_vars(NAME, case.configuration)
    rows = {
        name: [
            {column: value for column, value in row.items() if column != "row_version"}
            for row in reader.published(name)
        ]
        for name in publication.articles
    }
    return {
        "rows": {publication.publisher: rows},
        "conflicts": [conflict_record(publication, one) for one in reader.conflict_rows()],
        "rejected": [one.reason for one in reader.rejected],
    }


def _plain(value: Any) -> Any:
    """What YAML can say: decimals, dates and times as text."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value
