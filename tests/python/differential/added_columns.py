"""Cases whose articles get columns between two runs, as the sequential reader has them: the columns
were there from the start, and no change before that run had a value in them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from tests.python.strategies.cases import Case, Delivery

# by article: the columns that come later
Added = Mapping[str, Collection[str]]


def added_columns(case: Case) -> dict[str, list[str]]:
    """The columns of each article that no option names: every one that can come later."""
    articles = case.configuration["articles"]
    named = [
        json.dumps({name: option for name, option in options.items() if name != "columns"})
        for options in articles.values()
    ]
    return {
        article: [
            column for column in options["columns"] if not any(column in text for text in named)
        ]
        for article, options in articles.items()
    }


def configuration_before(case: Case, added: Added) -> dict[str, Any]:
    """The publication without the columns that come later, the others in another order.

    Whole numbers are shorter in merge replication, whose workloads have only small ones.
    """
    is_merge = case.configuration["replication"] == "merge"
    articles = {}
    for article, options in case.configuration["articles"].items():
        columns = {
            name: "smallint" if is_merge and kind == "int" else kind
            for name, kind in _without(options["columns"], added[article]).items()
        }
        articles[article] = {**options, "columns": dict(reversed(columns.items()))}
    return {**case.configuration, "articles": articles}


def without_values_before(case: Case, run: int, added: Added) -> Case:
    """The case with no values in those columns in what arrives before that run."""
    early = {row[1]["change_id"] for delivery in case.deliveries[:run] for row in delivery.rows} - {
        None
    }

    def is_early(number: int, row: Mapping[str, Any]) -> bool:
        # a copy that is delivered later is the same change
        return number < run or row["change_id"] in early

    deliveries = [
        replace(
            delivery,
            rows=tuple(
                (article, _change_without(row, added[article]) if is_early(number, row) else row)
                for article, row in delivery.rows
            ),
        )
        for number, delivery in enumerate(case.deliveries)
    ]
    return replace(
        case,
        initial={
            article: [_emptied(row, added[article]) for row in rows]
            for article, rows in case.initial.items()
        },
        deliveries=tuple(
            _reports_before(delivery, added) if number < run else delivery
            for number, delivery in enumerate(deliveries)
        ),
    )


def _change_without(row: Mapping[str, Any], columns: Collection[str]) -> dict[str, Any]:
    found = _emptied(row, columns)
    if found.get("changed_columns"):
        found["changed_columns"] = [one for one in found["changed_columns"] if one not in columns]
    if found.get("previous_values"):
        found["previous_values"] = _without(found["previous_values"], columns)
    return found


def _reports_before(delivery: Delivery, added: Added) -> Delivery:
    return replace(
        delivery,
        errors=tuple(
            replace(one, row=None if one.row is None else _emptied(one.row, added[one.article]))
            for one in delivery.errors
        ),
        decisions=tuple(
            replace(
                one,
                edited=None if one.edited is None else _without(one.edited, added[one.article]),
            )
            for one in delivery.decisions
        ),
    )


def _emptied(row: Mapping[str, Any], columns: Collection[str]) -> dict[str, Any]:
    return {name: None if name in columns else value for name, value in row.items()}


def _without(values: Mapping[str, Any], columns: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in columns}
