"""The demo's workload: the same seed gives the same feed, and conflicts of every kind come of it by
themselves.

The sequential reader stands in for the pipeline, so that no Spark is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache

import pytest

from replication_conflicts.publication.feed import FeedRow, feed_columns
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.publication.values import Key
from replication_conflicts.simulation import Node
from replication_conflicts.workload import Settings
from replication_conflicts.workload.inventory import BRANCHES
from tests.python.demo_loop import POLICIES, SMALL, Loop
from tests.python.simulated_workload import Delivery


@cache
def finished(policy: str = "publisher_wins") -> Loop:
    return Loop(SMALL, policy).run()


def stored_rows(node: Node, article: str) -> list[StoredRow]:
    rows = []
    for row in node.rows(article):
        held = node.held(article, node.publication.articles[article].key_of(row))
        assert held is not None
        rows.append(StoredRow(article, row, held.version))
    return rows


def by_key(loop: Loop, rows: Iterable[StoredRow]) -> Iterator[tuple[Key, StoredRow]]:
    for stored in rows:
        yield loop.publication.articles[stored.article].key_of(stored.row), stored


def rows_of(deliveries: Sequence[Delivery]) -> list[FeedRow]:
    return [row for delivery in deliveries for row in delivery.rows]


def sound_rows(deliveries: Sequence[Delivery]) -> list[FeedRow]:
    return [row for row in rows_of(deliveries) if not is_broken(row)]


def is_broken(row: FeedRow) -> bool:
    is_other_content = row.values.get("name") == "another content"
    return str(row.values["transaction_id"]).startswith("broken/") or is_other_content


def test_the_same_seed_gives_the_same_feed() -> None:
    settings = Settings(transactions=120, deliveries=3, size=20)
    first, second, other = (
        # values of other types may be equal
        repr(rows_of(Loop(one).run().deliveries))
        for one in (settings, settings, replace(settings, seed=8))
    )
    assert first == second
    assert first != other


def test_values_come_back_from_their_texts() -> None:
    loop = finished()
    rows = [(row.article, row.values) for row in rows_of(loop.deliveries)]
    rows += [(stored.article, stored.row) for stored in loop.workload.initial]
    for name, values in rows:
        article = loop.publication.articles[name]
        own = article.part(
            {column: values[column] for column in article.columns if column in values}
        )
        assert article.from_texts(article.to_texts(own)) == own


def test_rows_keep_the_contract_of_the_feed() -> None:
    loop = finished()
    names = set(feed_columns(loop.publication))
    positions: dict[int, str] = {}
    seen: dict[str, FeedRow] = {}
    counts: Counter[str] = Counter()
    announced: dict[str, int] = {}
    for row in sound_rows(loop.deliveries):
        values = row.values
        article = loop.publication.articles[row.article]
        assert set(values) <= names | set(article.columns)
        change_id = str(values["change_id"])
        if change_id in seen:
            assert seen[change_id] == row, "a copy is a copy"
            continue
        seen[change_id] = row
        position = values["queue_position"]
        assert isinstance(position, int)
        assert positions.setdefault(position, change_id) == change_id
        assert values["node"] in ("HQ", *BRANCHES)
        assert values["operation"] in ("insert", "update", "delete")
        assert (values["old_version"] is None) == (values["operation"] == "insert")
        assert (values["new_version"] is None) == (values["operation"] == "delete")
        assert all(values[column] is not None for column in article.primary_key)
        counts[str(values["transaction_id"])] += 1
        announced[str(values["transaction_id"])] = int(str(values["transaction_change_count"]))
    assert dict(counts) == announced, "every transaction is complete in the end"


def test_positions_arrive_in_order() -> None:
    last = 0
    seen: set[object] = set()
    for delivery in finished().deliveries:
        new = [row for row in sound_rows([delivery]) if row.values["change_id"] not in seen]
        positions = {int(str(row.values["queue_position"])) for row in new}
        assert min(positions, default=last + 1) > last
        last = max(positions, default=last)
        seen |= {row.values["change_id"] for row in new}


@pytest.mark.parametrize("policy", POLICIES)
def test_all_kinds_of_conflicts_arise_and_branches_end_equal_to_headquarters(policy: str) -> None:
    loop = finished(policy)
    kinds = Counter(conflict.kind for conflict in loop.reader.conflicts)
    assert kinds["update_update"]
    # what a branch does while it waits for its snapshot is rejected as a whole
    if policy != "publisher_wins_reinitialize":
        assert {"update_update", "insert_insert", "update_delete", "delete_update"} <= set(kinds)
        assert any(outcome.outcome == "already_deleted" for outcome in loop.reader.outcomes)
    expected = {
        name: dict(by_key(loop, rows)) for name, rows in loop.published_by_article().items()
    }
    for node in loop.workload.subscribers.values():
        for name in loop.publication.articles:
            assert dict(by_key(loop, stored_rows(node, name))) == expected[name]


def test_most_of_the_work_is_no_conflict() -> None:
    outcomes = finished().reader.outcomes
    rejected = {one.transaction_id for one in outcomes if one.outcome == "rejected"}
    transactions = {one.transaction_id for one in outcomes}
    assert 0.03 < len(rejected) / len(transactions) < 0.4


def test_broken_rows_are_rejected_for_the_reason_that_they_name() -> None:
    loop = finished()
    expected = Counter(one.reason for delivery in loop.deliveries for one in delivery.broken)
    assert len(expected) >= 10
    assert Counter(one.reason for one in loop.reader.rejected) == expected


def test_deliveries_hold_copies_and_a_transaction_that_comes_in_two() -> None:
    deliveries = finished().deliveries
    for delivery in deliveries[: SMALL.deliveries]:
        earlier = [row for one in deliveries[: delivery.number - 1] for row in one.rows]
        rows = [*earlier, *delivery.rows]
        assert len([row for row in delivery.rows if rows.count(row) > 1]) >= delivery.copies > 0
    first_seen: dict[object, dict[object, int]] = {}
    for delivery in deliveries:
        for row in sound_rows([delivery]):
            changes = first_seen.setdefault(row.values["transaction_id"], {})
            changes.setdefault(row.values["change_id"], delivery.number)
    split = [changes for changes in first_seen.values() if len(set(changes.values())) > 1]
    assert len(split) == 1
    assert sum(delivery.is_broken_off for delivery in deliveries) == 1


def test_the_work_has_transactions_of_several_articles_and_awkward_values() -> None:
    rows = sound_rows(finished().deliveries)
    articles: dict[object, set[str]] = {}
    for row in rows:
        articles.setdefault(row.values["transaction_id"], set()).add(row.article)
    assert max(len(names) for names in articles.values()) == 3
    texts = {str(value) for row in rows for value in row.values.values()}
    for wanted in ("'", '"', "\\", "|", ";", "\n", "ß", "胶"):
        assert any(wanted in text for text in texts), wanted
    assert any(row.values.get("unit_price", 0) is None for row in rows if row.article == "product")
    moments = [row.values["moved_at"] for row in rows if row.values.get("moved_at")]
    assert any(isinstance(moment, datetime) and moment.microsecond for moment in moments)
    assert any(
        int(str(row.values["movement_id"])) > 2**53
        for row in rows
        if row.article == "stock_movement"
    )
