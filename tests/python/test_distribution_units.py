"""Parts of the Distribution Agent that need no database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError

from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.engine import DatabaseProblem, open_database
from replication_conflicts.database.faults import Fault, error_code, fault_of
from replication_conflicts.database.statements import escaped
from replication_conflicts.distribution.agent import Summary
from replication_conflicts.distribution.ports import Refusal
from replication_conflicts.distribution.report import print_plan, print_summary
from replication_conflicts.distribution.snapshot import in_chunks
from replication_conflicts.distribution.transactions import in_batches, in_transactions
from replication_conflicts.publication.commands import (
    AgentCommand,
    Place,
    SnapshotTable,
    UnknownCommand,
    command_from_record,
)
from replication_conflicts.publication.configuration import ConfigurationProblem
from replication_conflicts.publication.rows import SnapshotRow

ITEM = {"columns": {"id": "int", "name": "string"}, "primary_key": ["id"]}
PUBLICATION = node_publication(
    "shop", {"shop": {"replication": "queued", "publisher": "HQ", "articles": {"item": ITEM}}}
)


def command(position: int, sequence: int = 1) -> AgentCommand:
    return AgentCommand(
        f"{position}/{sequence}", "replicated", position, sequence, "item", "delete", {"id": "1"}
    )


def reinitialize(position: int) -> AgentCommand:
    snapshot = (SnapshotTable("item", "t", 1),)
    return AgentCommand("r", "reinitialize", position, snapshot=snapshot, snapshot_position=9)


def test_commands_of_one_place_are_a_transaction_in_their_sequence() -> None:
    found = list(in_transactions([command(1, 2), command(1, 1), command(3)]))
    assert [one.place.position for one in found] == [1, 3]
    assert [one.sequence for one in found[0].commands] == [1, 2]


def test_nothing_is_read_ahead_of_a_batch() -> None:
    read: list[int] = []

    def endless() -> Iterator[AgentCommand]:
        for position in range(1, 1_000_000):
            read.append(position)
            yield command(position)

    batches = in_batches(in_transactions(endless()), most_transactions=3)
    assert [one.place.position for one in next(batches)] == [1, 2, 3]
    assert len(read) <= 5


def test_a_snapshot_stands_alone() -> None:
    commands = [command(1), command(2), reinitialize(3), command(4)]
    batches = list(in_batches(in_transactions(commands), most_transactions=10))
    assert [[one.place.position for one in batch] for batch in batches] == [[1, 2], [3], [4]]
    assert [batch[0].reinitialize is not None for batch in batches] == [False, True, False]


def test_a_batch_ends_when_it_holds_many_commands() -> None:
    commands = [command(position, n) for position in range(4) for n in range(3)]
    batches = in_batches(in_transactions(commands), most_transactions=100, most_commands=4)
    assert [len(batch) for batch in batches] == [2, 2]


def test_chunks_of_a_snapshot_hold_one_article_each() -> None:
    rows = [SnapshotRow(name, {}, str(n), {}) for name in ("a", "b") for n in range(1500)]
    chunks = list(in_chunks(rows))
    assert [one for chunk in chunks for one in chunk] == rows
    assert all(len({one.article for one in chunk}) == 1 for chunk in chunks)
    assert max(map(len, chunks)) == 1000


def test_a_record_keeps_its_texts() -> None:
    record = {
        "command_id": "c",
        "subscriber": "north",
        "kind": "compensating",
        "queue_position": 7,
        "sequence": 2,
        "article": "item",
        "operation": "update",
        "key": {"id": "1"},
        "row": {"id": "1", "name": None},
        "old_version": "a",
        "new_version": "b",
        "lineage": {"HQ": 3},
        "cause": "x",
        "snapshot": None,
        "snapshot_position": None,
    }
    found = command_from_record(record)
    assert (found.key, found.row) == ({"id": "1"}, {"id": "1", "name": None})
    assert (found.queue_position, found.sequence, found.lineage) == (7, 2, {"HQ": 3})


SNAPSHOT = {"kind": "reinitialize", "snapshot": (SnapshotTable("item", "x", 1),)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "paint"}, "unknown kind 'paint'"),
        ({"kind": "replicated"}, "names no row"),
        ({"kind": "reinitialize"}, "names no snapshot"),
        ({**SNAPSHOT, "snapshot_position": None}, "is at 1 of the queue, and its snapshot at None"),
        ({**SNAPSHOT, "snapshot_position": 0}, "is at 1 of the queue, and its snapshot at 0"),
        ({**SNAPSHOT, "snapshot_position": 1, "sequence": 1 << 32}, "and its snapshot at 1"),
    ],
)
def test_a_command_that_cannot_be_carried_out_is_named(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UnknownCommand, match=message):
        AgentCommand(command_id="c", queue_position=1, **options)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("no url", "no database URL"),
        ("oracle://somewhere/x", "oracle is not supported"),
        ("sqlite://", "in memory"),
        ("sqlite:////nowhere/at/all.db", "there is no database"),
    ],
)
def test_a_database_that_cannot_be_served_is_named(url: str, message: str) -> None:
    with pytest.raises(DatabaseProblem, match=message):
        open_database(url)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:s3cret@host:54x/db", "postgresql://***@host:54x/db"),
        ("postgresql://me:s3@cret@host:54x/db", "postgresql://***@host:54x/db"),
        ("postgresql:/me:s3cret@host/db", "***@host/db"),
        ("postgresql://host:54x/db?user=me&Password=s3cret&x=y", "db?user=me&Password=***&x=y"),
    ],
)
def test_no_password_is_said(url: str, shown: str) -> None:
    with pytest.raises(DatabaseProblem) as raised:
        open_database(url)
    assert shown in str(raised.value)
    assert "cr" not in str(raised.value)


class ServerError(Exception):
    """As psycopg has it."""

    def __init__(self, state: str | None) -> None:
        super().__init__("server says\n  no")
        self.sqlstate = state


@pytest.mark.parametrize(
    ("state", "fault", "code"),
    [
        ("23505", Fault.REFUSED, 2601),
        ("23503", Fault.REFUSED, 547),
        ("23502", Fault.REFUSED, 515),
        ("22003", Fault.REFUSED, 8115),
        ("42P01", Fault.REFUSED, 208),
        ("P0001", Fault.REFUSED, 50000),
        ("40P01", Fault.BUSY, 50000),
        ("40001", Fault.BUSY, 50000),
        ("57P01", Fault.LOST, 50000),
        ("08006", Fault.LOST, 50000),
    ],
)
def test_what_postgresql_means(state: str, fault: Fault, code: int) -> None:
    error = IntegrityError("statement", {}, ServerError(state))
    assert (fault_of(error), error_code(error)) == (fault, code)


def test_a_driver_without_an_answer_has_lost_its_connection() -> None:
    class OperationalErrorOfADriver(ServerError):
        pass

    OperationalErrorOfADriver.__name__ = "OperationalError"
    error = OperationalError("statement", {}, OperationalErrorOfADriver(None))
    assert fault_of(error) is Fault.LOST


@given(st.text(alphabet="a :'\"x", max_size=12))
def test_what_is_quoted_holds_no_parameter(name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    literal = "'" + name.replace("'", "''") + "'"
    clause = text(escaped(f"select {quoted}, {literal} where x = :p"))
    assert set(clause._bindparams) == {"p"}
    assert str(clause).count(name.replace('"', '""')) >= 1


def test_a_publication_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigurationProblem, match="no publication 'x', only: shop"):
        node_publication("x", {"shop": {}})
    with pytest.raises(ConfigurationProblem, match="no article 'y', only: item"):
        PUBLICATION.article("y")


ONE: dict[str, Any] = {"columns": {"id": "int", "up": "int"}, "primary_key": ["id"]}


def _record(**parents: str) -> dict[str, Any]:
    members = {name: {"parent": parent, "columns": ["up"]} for name, parent in parents.items()}
    return {"logical_records": [{"top": "a", "detection": True, "members": members}]}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (_record(b="c", c="b"), "'a': the parents of 'b' go round in a circle"),
        (_record(b="b"), "the parents of 'b' go round"),
        (_record(b="x"), "'b' has the parent 'x', which is not of the record"),
        (_record(x="a"), "no article 'x'"),
        ({"logical_records": [{"top": "x", "members": {}}]}, "no article 'x'"),
        ({"articles": {}}, "publication 'shop' has no articles"),
        ({"articles": None}, "publication 'shop' has no articles"),
        ({"articles": ["a"]}, "articles must be names with values"),
        ({"articles": {"a": None}}, r"^publication 'shop', article 'a': columns must be"),
        ({"articles": {"a": {"columns": {"id": "point"}}}}, r"^publication 'shop': .*'point'"),
    ],
)
def test_a_broken_publication_is_said(options: dict[str, Any], said: str) -> None:
    whole = {"replication": "merge", "articles": {"a": ONE, "b": ONE, "c": ONE}, **options}
    with pytest.raises(ConfigurationProblem, match=said):
        node_publication("shop", {"shop": whole})


def test_the_summary_says_what_was_done_and_what_was_refused() -> None:
    console = Console(record=True, width=200, markup=False)
    refusal = Refusal("north", "c", "item", {"id": "1"}, "insert", 547, "no [such] thing", None)
    summary = Summary(
        place=Place(9), transactions=2, seconds=0.5, refused=[refusal], is_stopped=True
    )
    summary.commands.update({"replicated": 3, "compensating": 1})
    print_summary(console, "north", summary)
    said = console.export_text()
    assert "4 commands in 2 transactions (0.5 s, 8 a second); position 9" in said
    assert "1 compensating, 3 replicated" in said
    assert "refused: insert of item (id 1): no [such] thing [547]" in said
    assert "--on-error skip" in said


def test_a_summary_is_a_line_each_however_narrow_the_console_is() -> None:
    console = Console(record=True, width=20)
    summary = Summary(place=Place(5166), transactions=1, seconds=7.1, initial_rows=1)
    summary.commands.update({"replicated": 1})
    with console.capture() as printed:
        print_summary(console, "north", summary)
    assert printed.get().splitlines() == [
        "north: 1 command in 1 transaction (7.1 s); position 5,166",
        "  1 replicated; 0 rows changed",
        "  1 initial row",
    ]


def test_a_plan_counts_and_changes_nothing() -> None:
    console = Console(record=True, width=200)
    print_plan(console, [command(3), command(3, 2), command(5)], Place(2))
    said = console.export_text()
    assert "After position 2: 2 transactions" in said
    assert "Nothing was changed." in said
