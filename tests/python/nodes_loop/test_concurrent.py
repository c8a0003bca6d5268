"""People at work in one database at the same time, while uploads go on."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from replication_conflicts.capture.install import install
from replication_conflicts.capture.upload import upload
from replication_conflicts.database.articles import NodePublication, node_publication
from replication_conflicts.database.engine import open_database
from replication_conflicts.database.faults import Fault, fault_of
from replication_conflicts.database.images import quoted
from replication_conflicts.publication.feed import IMAGE, FeedRow
from tests.python.nodes_loop.databases import Databases, all_rows, create_tables, publications
from tests.python.nodes_loop.people import ARTICLES, ODD, Person

PEOPLE = 3
TRANSACTIONS = 40
RECORD: dict[str, Any] = {
    "top": "item",
    "members": {ODD[0]: {"parent": "item", "columns": ["item"]}},
    "detection": True,
    "resolution": True,
}
LABEL = f"insert into {quoted(ODD[0])} (item, {quoted(ODD[1])}) values (9001, 'late')"
LAST_WORK = (
    ("insert into item (id, name) values (9001, 'late')", LABEL),
    ("update item set name = 'later' where id = 9001",),
)
Key = tuple[str, tuple[Any, ...]]


class Feed:
    """A sink that takes its time."""

    def __init__(self) -> None:
        self.rows: list[FeedRow] = []

    def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
        time.sleep(0.01)
        self.rows.extend(rows)


def at_work(
    databases: Databases, publication: NodePublication
) -> tuple[list[FeedRow], dict[str, Any]]:
    """What uploads brought while people were at work, and the rows at the end."""
    url = databases.make("busy")
    engine = open_database(url)
    create_tables(engine, publication, with_version=False)
    install(engine, publication, "north")
    feed = Feed()
    threads = [threading.Thread(target=_work, args=(url, number)) for number in range(PEOPLE)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        upload(engine, publication, feed, most=10)
    upload(engine, publication, feed)
    # the last session changes one row of a record of two, however slowly the others went
    for statements in LAST_WORK:
        with engine.begin() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
        upload(engine, publication, feed)
    rows = all_rows(engine, publication)
    engine.dispose()
    return feed.rows, rows


def _work(url: str, number: int) -> None:
    engine = open_database(url)
    person = Person(engine, number)
    for _ in range(TRANSACTIONS):
        try:
            person.work()
        except DBAPIError as error:
            # two who wait for each other, or have inserted the same key
            if fault_of(error) is Fault.LOST:
                raise
    engine.dispose()


def key_of(publication: NodePublication, row: FeedRow) -> Key:
    article = publication.article(row.article)
    return row.article, tuple(row.values[name] for name in article.shape.primary_key)


def texts_of(publication: NodePublication, row: FeedRow) -> dict[str, str | None]:
    kinds = publication.article(row.article).kinds
    return {name: kind.to_text(row.values[name]) for name, kind in kinds.items()}  # type: ignore[arg-type]


def test_changes_of_a_row_come_in_the_order_in_which_they_were_made(databases: Databases) -> None:
    publication = node_publication("shop", publications(ARTICLES))
    fed, rows = at_work(databases, publication)
    assert len(fed) > PEOPLE * TRANSACTIONS / 2
    held: dict[Key, Any] = {}
    for row in fed:
        key = key_of(publication, row)
        assert row.values["old_version"] == held.get(key)
        held[key] = row.values["new_version"]
    left = {version for version in held.values() if version is not None}
    assert left == {row["row_version"] for found in rows.values() for row in found.values()}
    places = [row.values["transaction_id"] for row in fed]
    assert len(set(places)) == 1 + sum(a != b for a, b in itertools.pairwise(places))


@pytest.mark.parametrize("records", [[], [RECORD]])
def test_net_changes_add_up_to_the_rows(databases: Databases, records: list[Any]) -> None:
    options = publications(ARTICLES, replication="merge", logical_records=records)
    publication = node_publication("shop", options)
    fed, rows = at_work(databases, publication)
    assert any(row.values["operation"] == IMAGE for row in fed) is bool(records)
    held: dict[Key, dict[str, Any]] = {}
    numbers: dict[Key, int] = {}
    for row in fed:
        key = key_of(publication, row)
        if row.values["operation"] == IMAGE:
            # as it was when the session was made, which holds all that had changed
            assert held[key] == texts_of(publication, row)
            continue
        number = row.values["lineage"]["north"]  # type: ignore[index]
        assert number > numbers.get(key, 0)
        numbers[key] = number
        assert (row.values["operation"] == "insert") == (key not in held)
        if row.values["operation"] == "delete":
            del held[key]
        else:
            held[key] = texts_of(publication, row)
    found = [row for article in rows.values() for row in article.values()]
    for one in found:
        del one["row_version"]
    ours, theirs = ([sorted(one.items()) for one in some] for some in (held.values(), found))
    assert sorted(ours, key=repr) == sorted(theirs, key=repr)
