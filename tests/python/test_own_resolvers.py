"""What a project's own resolver says is done, whatever the resolvers of the package never say.

Beside it a row that was written column by column, and is compared as a whole from then on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.python.differential.builds import Builds
from tests.python.merge_example import CONFIGURATION, change
from tests.python.sequential_reader import FeedRow
from tests.python.strategies.cases import Case, Delivery

pytestmark = [pytest.mark.spark, pytest.mark.slow]

MACROS = {
    "macros/resolver_change_with_more.sql": """
{% macro resolver_change_with_more(given) -%}
{%- set more = 'greatest(' ~ given.change_value ~ ', ' ~ given.held_value ~ ')' -%}
{{ replication_conflicts.resolution(
    given,
    winner="'change'",
    value=replication_conflicts.canonical_text(more, given.data_type),
    is_computed='true'
) }}
{%- endmacro %}
""",
    "macros/resolver_ask_somebody.sql": """
{% macro resolver_ask_somebody(given) -%}
{{ replication_conflicts.resolution(given, is_waiting='true') }}
{%- endmacro %}
""",
}


def case(
    label: str, *deliveries: tuple[FeedRow, ...], resolver: dict[str, str] | None = None
) -> Case:
    """Items of which north has more to say than south."""
    return Case(
        label=label,
        configuration=CONFIGURATION,
        subscribers=("north", "south"),
        initial={
            "item": [
                {"item_id": item, "name": "bolt", "quantity": 5, "row_version": f"HQ:{item}"}
                for item in (1, 2)
            ]
        },
        deliveries=tuple(Delivery(rows) for rows in deliveries),
        steps=(),
        is_cut_free=True,
        subscriptions={"north": {"priority": 75}, "south": {"priority": 50}},
        own_resolvers={"item": resolver} if resolver else {},
        files=MACROS if resolver else {},
    )


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, scratch_state: Path) -> Iterator[Builds]:
    both = ["name", "quantity"]
    cases = [
        case(
            "winner and value",
            (
                change(1, "north", "update", 1, both, name="north", quantity=9),
                change(2, "south", "update", 1, both, name="south", quantity=4),
                change(3, "south", "update", 2, ["quantity"], quantity=7),
                change(4, "north", "delete", 2, None, name=None, quantity=None),
            ),
            resolver={"name": "change_with_more", "column": "quantity"},
        ),
        case(
            "nobody wins",
            (
                change(1, "south", "update", 1, ["name"], name="south"),
                change(2, "north", "update", 1, ["name"], name="north"),
            ),
            resolver={"name": "ask_somebody"},
        ),
        case(
            "by row from now on",
            (change(1, "north", "update", 1, ["name"], name="north"),),
            (change(2, "south", "update", 1, ["quantity"], quantity=4),),
        ),
    ]
    folder = tmp_path_factory.mktemp("own_resolvers")
    found = Builds("own_resolvers", cases, folder, scratch_state)
    found.start()
    found.take(0)
    item = {**CONFIGURATION["articles"]["item"], "tracking": "row"}
    by_row = {**CONFIGURATION, "articles": {"item": item}}
    found.configure({found.of("by row from now on").name: by_row})
    found.take(1)
    yield found
    found.drop()


def outcomes(running: Builds, label: str) -> dict[str, str]:
    found = running.records("change_outcomes", running.of(label))
    return {one["change_id"]: one["outcome"] for one in found}


def published(running: Builds, label: str) -> dict[int, tuple[Any, Any]]:
    one = running.of(label)
    found = running.article_records(one, f"{one.name}__item", "item", [])
    return {
        record["row"]["item_id"]: (record["row"]["name"], record["row"]["quantity"])
        for record in found
    }


def lost(running: Builds, label: str) -> list[tuple[Any, Any]]:
    one = running.of(label)
    found = running.article_records(one, f"conflict_{one.name}_item", "item", [])
    return [(record["row"]["name"], record["row"]["quantity"]) for record in found]


def test_a_value_comes_into_the_row_of_the_winner_that_is_named(running: Builds) -> None:
    label = "winner and value"
    assert outcomes(running, label)["south-1"] == "won"
    assert published(running, label)[1] == ("south", 9)
    assert ("north", 9) in lost(running, label)


def test_no_value_is_computed_of_a_row_that_is_deleted(running: Builds) -> None:
    label = "winner and value"
    assert outcomes(running, label)["north-2"] == "won"
    assert 2 not in published(running, label)


def test_what_waits_loses_to_nobody(running: Builds) -> None:
    label = "nobody wins"
    assert outcomes(running, label) == {"south-1": "applied", "north-1": "waiting"}
    assert published(running, label)[1] == ("south", 5)
    assert lost(running, label) == [("north", 5)]
    (conflict,) = running.records("conflicts_info", running.of(label))
    assert (conflict["loser_node"], conflict["winner_node"]) == ("north", "south")


def test_a_row_that_was_written_by_columns_is_compared_as_a_whole(running: Builds) -> None:
    label = "by row from now on"
    assert outcomes(running, label) == {"north-1": "applied", "south-1": "lost"}
    assert published(running, label)[1] == ("north", 5)
    assert lost(running, label) == [("bolt", 4)]
