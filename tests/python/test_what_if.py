"""What can be asked of a what-if: questions and their errors. No Spark."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console
from typer.testing import CliRunner

from replication_conflicts.cli import app
from replication_conflicts.environment.profile import write_profile
from replication_conflicts.publication.configuration import ConfigurationProblem
from replication_conflicts.what_if.answer import Answer
from replication_conflicts.what_if.question import Question, check_subscribers, read_question
from replication_conflicts.what_if.report import print_answer

CONFIGURED: dict[str, Any] = {
    "stock": {"replication": "queued", "publisher": "HQ", "articles": {"item": {"columns": {}}}},
    "crm": {
        "replication": "merge",
        "publisher": "HQ",
        "articles": {"customer": {"columns": {}}, "visit": {"columns": {}}},
    },
}
ERRORS = {
    "no_publication": ({"policy": "subscriber_wins"}, ("--publication", "crm, stock")),
    "unknown_publication": (
        {"publication": "shop", "policy": "subscriber_wins"},
        ("'shop'", "crm, stock"),
    ),
    "nothing_asked": ({"publication": "stock"}, ("--policy",)),
    "nothing_asked_of_merge": ({"publication": "crm"}, ("--resolver or --priority",)),
    "unknown_policy": (
        {"publication": "stock", "policy": "newest_wins"},
        ("'newest_wins'", "publisher_wins", "publisher_wins_reinitialize", "subscriber_wins"),
    ),
    "policy_of_merge": (
        {"publication": "crm", "policy": "subscriber_wins"},
        ("--policy belongs to queued updating",),
    ),
    "priority_of_queued": (
        {"publication": "stock", "priorities": ["north=5"]},
        ("belong to merge replication",),
    ),
    "unknown_article": (
        {"publication": "crm", "resolvers": ["order=priority"]},
        ("'order'", "customer, visit"),
    ),
    "no_resolver": ({"publication": "crm", "resolvers": ["visit"]}, ("ARTICLE=NAME",)),
    "priority_too_high": (
        {"publication": "crm", "priorities": ["north=100"]},
        ("north=100", "0.00 to 99.99"),
    ),
    "priority_no_number": ({"publication": "crm", "priorities": ["north=high"]}, ("north=high",)),
    "priority_with_three_digits": (
        {"publication": "crm", "priorities": ["north=7.125"]},
        ("north=7.125", "two digits"),
    ),
    "priority_nan": ({"publication": "crm", "priorities": ["north=NaN"]}, ("north=NaN",)),
    "priority_of_nobody": ({"publication": "crm", "priorities": ["5"]}, ("SUBSCRIBER=NUMBER",)),
    "priority_without_one": (
        {"publication": "crm", "priorities": ["north"]},
        ("'north'", "SUBSCRIBER=NUMBER"),
    ),
}


def read(
    publication: str | None = None,
    policy: str | None = None,
    resolvers: tuple[str, ...] = (),
    priorities: tuple[str, ...] = (),
) -> Question:
    return read_question(CONFIGURED, publication, policy, resolvers, priorities)


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_names_what_is_allowed(name: str) -> None:
    options, texts = ERRORS[name]
    with pytest.raises(ConfigurationProblem) as raised:
        read(**options)  # type: ignore[arg-type]
    assert all(text in str(raised.value) for text in texts)


def test_only_what_is_asked_about_is_otherwise() -> None:
    question = read(
        "crm", resolvers=("visit=merge_text:note:; ", "customer=priority"), priorities=("a=b=7.5",)
    )
    assert question.priorities == {"a=b": Decimal("7.5")}
    changed = question.publications(CONFIGURED)
    assert changed["stock"] is CONFIGURED["stock"]
    assert changed["crm"]["articles"]["visit"] == {
        "columns": {},
        "resolver": {"name": "merge_text", "column": "note", "separator": "; "},
    }
    assert changed["crm"]["articles"]["customer"]["resolver"] == {"name": "priority"}
    assert "resolver" not in CONFIGURED["crm"]["articles"]["visit"]


def test_the_only_publication_needs_no_name() -> None:
    only = {"stock": CONFIGURED["stock"]}
    question = read_question(only, None, "subscriber_wins", (), ())
    assert question.publications(only)["stock"]["policy"] == "subscriber_wins"


@pytest.mark.parametrize(
    ("options", "said"),
    [(None, "'stock' has no options"), ({"replication": "queued"}, "'stock' has no articles")],
)
def test_a_publication_without_articles_is_said(options: object, said: str) -> None:
    for resolvers in ((), ("item=priority",)):
        with pytest.raises(ConfigurationProblem, match=said):
            read_question({"stock": options}, None, "subscriber_wins", resolvers, ())


def test_a_priority_is_that_of_a_server_subscription() -> None:
    question = read("crm", priorities=("north=90",))
    check_subscribers(question, {"north": "server"})
    with pytest.raises(ConfigurationProblem, match=r"client.*one of: south"):
        check_subscribers(question, {"north": "client", "south": "server"})
    with pytest.raises(ConfigurationProblem, match=r"no subscription.*one of: none"):
        check_subscribers(question, {})


class Told(Answer):
    """An answer that knows its changes: both tables are made of them."""

    def rows(self, query: str) -> list[Mapping[str, Any]]:
        return CHANGES


def told_change(position: int, decided: str, what_if: str, differs_in: list[str]) -> dict[str, Any]:
    """Both sides as the outcome, the kind of conflict and its winner."""
    found: dict[str, Any] = {}
    for side, words in (("decided", decided), ("what_if", what_if)):
        outcome, kind, winner = [word or None for word in words.split("/")]
        found |= {f"{side}_outcome": outcome, f"{side}_conflict_kind": kind}
        found[f"{side}_winner_node"] = winner
    one = {"article": "customer", "row_key": "7", "node": "south", "operation": "update"}
    counts = dict.fromkeys(("change_count", "transaction_count", "touched_row_count"), 1)
    return {**one, **found, **counts, "queue_position": position, "differs_in": differs_in}


CHANGES: list[Mapping[str, Any]] = [
    told_change(
        3, "rejected/update_update/north", "won/update_update/south", ["outcome", "winner", "row"]
    ),
    told_change(13, "failed/failed_update/HQ", "failed/failed_update/HQ", ["version"]),
    told_change(14, "applied//", "applied/update_update/HQ", ["conflict", "winner", "version"]),
    told_change(15, "failed/failed_update/HQ", "failed/failed_update/HQ", ["version", "row"]),
]


def test_the_answer_says_in_what_decisions_differ() -> None:
    spark: Any = None
    console = Console(record=True, width=80, markup=False, highlight=False)
    with console.capture() as printed:
        print_answer(console, Told(spark, Question("crm"), "published_what_if", 9), 20)
    lines = printed.get().splitlines()
    assert lines[1] == (
        "4 of 9 changes would have been decided otherwise: 1 in the outcome,"
        " 1 in the conflict, 2 in the row or its version alone."
    )
    head = next(number for number, line in enumerate(lines) if "position" in line)
    assert lines[head].split() == ["position", "change", "decided", "what", "if", "differs", "in"]
    [failed] = [line for line in lines[head:] if line.split()[:1] == ["13"]]
    assert failed.split()[-3:] == ["failed", "failed", "version"]
    [failed] = [line for line in lines[head:] if line.split()[:1] == ["15"]]
    assert failed.split()[-2:] == ["version,", "row"]
    # where both sides of the counts look alike, they say what does not
    assert "differs in" in "\n".join(lines[:head])
    # words are never cut
    assert "…" not in printed.get()


def test_errors_of_the_command_come_before_spark(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / "dbt_project.yml").write_text(
        yaml.safe_dump({"name": "shop", "profile": "shop", "vars": {"publications": CONFIGURED}})
    )
    write_profile(project / "profiles", tmp_path / "state", name="shop")
    command = ["what-if", "--project-dir", str(project), "--publication", "stock"]
    result = CliRunner().invoke(app, [*command, "--policy", "newest"])
    assert result.exit_code == 1
    assert "must be one of: publisher_wins" in result.output
    result = CliRunner().invoke(app, [*command, "--policy", "subscriber_wins", "--target", "moon"])
    assert result.exit_code == 1
    assert "has no target 'moon', only: embedded" in result.output
    result = CliRunner().invoke(app, [*command, "--policy", "subscriber_wins", "--schema", "a b"])
    assert "--schema is 'a b'" in result.output
