"""The story of merge replication: conflicts of every kind come of it by themselves, records stay
whole, counters add up, and all replicas end equal to the publisher.

The sequential reader stands in for the pipeline, so that no Spark is needed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache

from replication_conflicts.publication.feed import FeedRow, feed_columns
from replication_conflicts.publication.values import Row
from replication_conflicts.workload import Settings
from replication_conflicts.workload.field_sales import SUBSCRIPTIONS
from tests.python.demo_loop import Loop, sales_loop
from tests.python.repository import REPOSITORY

THE_DEMO = Settings()
LONGER = Settings(transactions=6_000, deliveries=4, seed=8)
KINDS = {"update_update", "update_delete", "delete_update", "insert_insert", "condemned"}


@cache
def finished(settings: Settings) -> Loop:
    return sales_loop(settings).run()


def changes(loop: Loop) -> list[FeedRow]:
    """Every change once, without the images of records."""
    found = {
        row.values["change_id"]: row
        for delivery in loop.deliveries
        for row in delivery.rows
        if row.values["operation"] != "image"
    }
    return list(found.values())


def published(loop: Loop, article: str) -> list[Row]:
    return [row.row for row in loop.published_by_article()[article] if not row.is_deleted]


def whole(value: object) -> int:
    """A whole number; nothing is zero."""
    return 0 if value is None else int(str(value))


def test_the_same_seed_gives_the_same_feed() -> None:
    small = Settings(transactions=600, size=40)
    first, again = sales_loop(small).run(), sales_loop(small).run()
    assert again.deliveries == first.deliveries
    assert sales_loop(replace(small, seed=8)).run().deliveries != first.deliveries


def test_the_subscriptions_are_those_of_the_project() -> None:
    lines = (REPOSITORY / "seeds" / "subscriptions.csv").read_text(encoding="utf-8").splitlines()
    entries = [line.split(",") for line in lines if line.startswith("field_sales,")]
    named = {
        name: {"type": kind} | ({"priority": int(priority)} if priority else {})
        for _, name, kind, priority, *_ in entries
    }
    assert named == SUBSCRIPTIONS


def test_rows_keep_the_contract_of_the_feed() -> None:
    loop = finished(THE_DEMO)
    names = set(feed_columns(loop.publication))
    assert loop.reader.rejected == []
    for row in changes(loop):
        article = loop.publication.articles[row.article]
        assert set(row.values) <= names | set(article.columns)
        assert row.values["lineage"], "every change says what its node knew"
        priority = SUBSCRIPTIONS.get(str(row.values["node"]), {}).get("priority")
        assert row.values["priority"] == (priority and Decimal(str(priority)))


def test_the_demo_has_conflicts_of_every_kind_and_merged_columns() -> None:
    loop = finished(THE_DEMO)
    assert {conflict.kind for conflict in loop.reader.conflicts} >= KINDS
    outcomes = Counter(one.outcome for one in loop.reader.outcomes)
    assert outcomes["merged"]
    assert outcomes["won"]
    assert outcomes["lost"] < outcomes["applied"], "most of the work is no conflict"
    # a delete beats an update, an update a delete, outside of records and inside
    assert {3, 4, 12, 13, 14} <= {conflict.type for conflict in loop.reader.conflicts}


def test_every_priority_wins_and_loses() -> None:
    pairs = {(one.winner_node, one.loser_node) for one in finished(LONGER).reader.conflicts}
    assert {("HQ", "berlin"), ("berlin", "lyon"), ("lyon", "tablet"), ("tablet", "berlin")} <= pairs


def test_members_of_one_record_are_changed_at_two_places_and_fall_together() -> None:
    loop = finished(THE_DEMO)
    articles: dict[object, set[str]] = {}
    for conflict in loop.reader.conflicts:
        if conflict.article != "campaign":
            articles.setdefault(conflict.transaction_id, set()).add(conflict.article)
    assert {"customer", "sales_order", "order_line"} in articles.values()


def test_all_replicas_end_equal_to_the_publisher() -> None:
    for settings in (THE_DEMO, LONGER):
        loop = finished(settings)
        for name, article in loop.publication.articles.items():
            held = {
                article.key_of(row.row): (row.row, row.version)
                for row in loop.published_by_article()[name]
                if not row.is_deleted
            }
            for node in loop.workload.subscribers.values():
                keys = [article.key_of(row) for row in node.rows(name)]
                rows = {key: node.held(name, key) for key in keys}
                assert {k: (v.row, v.version) for k, v in rows.items() if v} == held, node.name


def test_records_stay_whole() -> None:
    """No line without its order, no order without its customer, and totals fit the lines."""
    for settings in (THE_DEMO, LONGER):
        loop = finished(settings)
        orders = {row["order_id"]: row for row in published(loop, "sales_order")}
        customers = {row["customer_id"] for row in published(loop, "customer")}
        assert {row["customer_id"] for row in orders.values()} <= customers
        totals = dict.fromkeys(orders, Decimal(0))
        for line in published(loop, "order_line"):
            price = line["unit_price"]
            assert isinstance(price, Decimal)
            totals[line["order_id"]] += whole(line["quantity"]) * price
        assert totals == {key: row["total"] for key, row in orders.items()}


def test_vouchers_add_up() -> None:
    """What every place has given away is off the heap, also where places did so unseen."""
    loop = finished(THE_DEMO)
    rows = [row.values for row in changes(loop) if row.article == "campaign"]
    given: Counter[object] = Counter()
    places: dict[object, set[object]] = {}
    # headquarters prints new ones, and what it counts then stays; deleted rows have no vouchers
    left_out = {values["code"] for values in rows if values["operation"] != "update"}
    for values in rows:
        before = values["previous_values"]
        if not isinstance(before, dict) or "vouchers_left" not in before:
            continue
        if values["node"] == "HQ":
            left_out.add(values["code"])
        given[values["code"]] += whole(before["vouchers_left"]) - whole(values["vouchers_left"])
        places.setdefault(values["code"], set()).add(values["node"])
    shared = {code for code, nodes in places.items() if len(nodes) > 1} - left_out
    assert shared
    at_first = {row["code"]: row["vouchers_left"] for row in loop.initial["campaign"]}
    at_last = {row["code"]: row["vouchers_left"] for row in published(loop, "campaign")}
    assert {code: at_last[str(code)] for code in shared} == {
        code: whole(at_first[str(code)]) - given[code] for code in shared
    }


def test_values_are_awkward() -> None:
    values = [value for row in changes(finished(THE_DEMO)) for value in row.values.values()]
    texts = {str(value) for value in values}
    for wanted in ("'", '"', "\\", "|", ";", "\n", "é", "京"):
        assert any(wanted in text for text in texts), wanted
    assert any(isinstance(value, datetime) and value.microsecond for value in values)
    assert any(type(value) is date for value in values)
    rows = [row.values for row in changes(finished(THE_DEMO)) if row.article == "customer"]
    assert any(row.get("credit_limit", 0) is None for row in rows)
