"""What the documents say: the example of the README parses, and names are those of the code."""

from __future__ import annotations

import ast
import json
import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from replication_conflicts.capture.install import install
from replication_conflicts.database.articles import node_publication
from replication_conflicts.database.engine import open_database
from replication_conflicts.publication.configuration import project_publications

from .documents import example_files, example_project, section, text_of
from .repository import REPOSITORY

DOCUMENTS = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "DECISIONS.md",
    "docs/behavior.md",
    "docs/benchmarks.md",
    "docs/commands.md",
    "docs/configuration.md",
    "docs/conflicts.md",
    "docs/cost.md",
    "docs/feed_contract.md",
    "docs/nodes.md",
    "docs/resolvers.md",
    "docs/running.md",
    "docs/tables.md",
)
MACROS = REPOSITORY / "macros"
# what a `case` gives, and the name that is taken where another one is NULL
GIVEN = r"(?:then|else|,) '(\w+)'"


def words_of(macro: str, pattern: str) -> list[str]:
    """What a macro's file has in places of that pattern, in its order."""
    return re.findall(pattern, (MACROS / macro).read_text(encoding="utf-8"))


def table_rows(document: str, heading: str) -> list[list[str]]:
    """The cells of the tables below a heading, of lines that begin with a word in backticks."""
    lines = section(document, heading).splitlines()
    return [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]


def first_column(document: str, heading: str) -> list[str]:
    """The words in backticks of a table's first column, below a heading."""
    cells = [row[0] for row in table_rows(document, heading)]
    return [word for cell in cells for word in re.findall(r"`(\w+)`", cell)]


def option_rules() -> dict[str, dict[str, dict[str, Any]]]:
    """What the macro of that name returns."""
    text = (MACROS / "checks" / "option_rules.sql").read_text(encoding="utf-8")
    (literal,) = re.findall(r"return\((\{.*\})\)", text, re.DOTALL)
    rules: dict[str, dict[str, dict[str, Any]]] = ast.literal_eval(literal.replace("true", "True"))
    return rules


def described(file: str) -> list[dict[str, Any]]:
    """The models or seeds that a yml file describes."""
    found = yaml.safe_load((REPOSITORY / file).read_text(encoding="utf-8"))
    described: list[dict[str, Any]] = found.get("models") or found["seeds"]
    return described


def words_allowed(file: str, column: str) -> list[str]:
    """The words that a model's test allows in a column."""
    (model,) = described(file)
    (test,) = (one["well_formed"] for one in model["data_tests"])
    words: list[str] = test["arguments"]["words"][column]
    return words


def parse(folder: Path, files: Mapping[str, str]) -> None:
    """Parse a project of such files, which installs this one."""
    build = example_project(folder, files)
    for command in ("deps", "parse"):
        result = build.run(command)
        assert result.success, result.errors


def test_the_example_parses(tmp_path: Path) -> None:
    files = example_files()
    assert len(files) == 12
    parse(tmp_path, files)


def test_the_example_of_a_feed_is_where_the_source_is(tmp_path: Path) -> None:
    files = example_files("docs/feed_contract.md")
    assert len(files) == 4
    parse(tmp_path, {**example_files(), **files})
    manifest = json.loads((tmp_path / "target" / "manifest.json").read_text(encoding="utf-8"))
    feed = manifest["nodes"]["model.shop.feed_crm__customer"]
    assert (
        feed["relation_name"]
        == manifest["sources"]["source.shop.feeds.crm__customer"]["relation_name"]
    )
    staging = manifest["nodes"]["model.shop.stg_crm__customer"]
    assert feed["unique_id"] in staging["depends_on"]["nodes"]
    assert staging["schema"] == manifest["nodes"]["model.shop.crm__customer"]["schema"]
    assert staging["schema"] != feed["schema"]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_named_files_exist(document: str) -> None:
    folders = "macros|models|tests|docs|seeds|scripts|profiles|replication_conflicts"
    named = re.findall(rf"[`\"(]((?:{folders})/[\w./]*\w/?)[`\"#)]", text_of(document))
    examples = ("README.md", "docs/feed_contract.md", "docs/resolvers.md")
    example = {*(name for one in examples for name in example_files(one)), "models/crm"}
    assert [
        name for name in named if name not in example and not (REPOSITORY / name).exists()
    ] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    here = (REPOSITORY / document).parent
    for target, anchor in re.findall(r"\]\(([\w./]*)(?:#([\w-]+))?\)", text_of(document)):
        file = here / target if target else REPOSITORY / document
        assert file.is_file(), target
        headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}
        assert not anchor or anchor in slugs, anchor


def test_the_reasons_are_those_of_the_macro_in_its_order() -> None:
    reasons = [*words_of("decision/contract_violation.sql", r"then '(\w+)'"), "transaction"]
    assert first_column("docs/feed_contract.md", "Violations") == reasons


def test_the_rules_and_outcomes_of_queued_updating_are_those_of_the_macros() -> None:
    rules = words_of("decision/queued_rule.sql", GIVEN)
    outcomes = words_of("decision/queued_outcome.sql", GIVEN)
    assert set(first_column("docs/behavior.md", "One transaction")) == {*rules, *outcomes}


def test_the_rules_and_outcomes_of_merge_replication_are_those_of_the_macros() -> None:
    macros = ("merge_rule", "record_rule", "merge_outcome", "record_outcome")
    words = {word for macro in macros for word in words_of(f"decision/{macro}.sql", GIVEN)}
    assert set(first_column("docs/behavior.md", "Merge replication")) == words


def test_the_words_of_the_log_are_described() -> None:
    outcomes = words_allowed("models/log/change_outcomes.yml", "outcome")
    (text,) = re.findall(r"docs outcome %\}(.*?)\{%", text_of("models/docs.md"), re.DOTALL)
    assert {word for word in outcomes if f"`{word}`" not in text} == set()
    (model,) = described("models/log/change_outcomes.yml")
    (rule,) = (one["description"] for one in model["columns"] if one["name"] == "rule")
    macros = ("queued_rule", "merge_rule", "record_rule")
    rules = {word for macro in macros for word in words_of(f"decision/{macro}.sql", GIVEN)}
    people = {"submit_winner", "submit_loser", "remove", "refused_command"}
    assert set(re.findall(r"`(\w+)`", rule)) == rules | people


@pytest.mark.parametrize(
    ("document", "file", "column"),
    [
        ("docs/conflicts.md", "models/conflicts/conflicts_info.yml", "conflict_kind"),
        ("docs/commands.md", "models/subscribers/distribution_commands.yml", "kind"),
    ],
)
def test_all_kinds_are_named(document: str, file: str, column: str) -> None:
    kinds = words_allowed(file, column)
    text = text_of(document)
    assert {kind for kind in kinds if f"`{kind}`" not in text} == set()


def test_the_tables_of_the_node_can_be_captured(tmp_path: Path) -> None:
    (tables,) = re.findall(r'^sqlite3 \S+ "\n(.*?)"$', text_of("docs/nodes.md"), re.DOTALL | re.M)
    database = sqlite3.connect(tmp_path / "center.db")
    database.executescript(tables)
    database.close()
    publication = node_publication("inventory", project_publications(REPOSITORY))
    engine = open_database(f"sqlite:///{tmp_path}/center.db")
    assert install(engine, publication, "center").articles == len(publication.articles)
    engine.dispose()


@pytest.mark.parametrize("level", ["publication", "article"])
def test_the_options_are_those_of_the_macro(level: str) -> None:
    rules = option_rules()[level]
    heading = {"publication": "A publication", "article": "An article"}[level]
    rows = {row[0].strip("`"): row[1:] for row in table_rows("docs/configuration.md", heading)}
    assert list(rows) == list(rules)
    for option, (values, default, replication) in rows.items():
        rule = rules[option]
        words = rule.get("values", ["true", "false"] if rule.get("form") == "flag" else [])
        assert {word for word in words if f"`{word}`" not in values} == set(), option
        assert (default == "must be given") == rule.get("required", False), option
        assert replication == rule.get("belongs_to", "both"), option
        if words and not rule.get("required"):
            assert default.strip("`") in words, option


def test_the_columns_of_subscriptions_are_those_of_the_seed() -> None:
    (seed,) = (one for one in described("seeds/_seeds.yml") if one["name"] == "subscriptions")
    columns = [column["name"] for column in seed["columns"]]
    assert list(seed["config"]["column_types"]) == columns
    assert first_column("docs/configuration.md", "A subscription") == columns


@pytest.mark.parametrize("top", ["models", "macros", "replication_conflicts"])
def test_the_layout_names_every_folder(top: str) -> None:
    text = section("CONTRIBUTING.md", "Layout")
    # a line that begins with a name is about another folder of the repository
    (about,) = re.findall(rf"^{top}/ .*(?:\n .*)*", text, re.MULTILINE)
    folders = [one.name for one in (REPOSITORY / top).iterdir() if one.is_dir()]
    shown = set(re.findall(r"(?<![\w/])(\w+)/", about))
    assert {name for name in folders if name != "__pycache__"} == shown - {top}


def test_the_resolvers_and_what_they_are_given_are_those_of_the_macros() -> None:
    resolvers = words_of("checks/resolver_rules.sql", r"'(\w+)': \{")
    given = words_of("resolvers/resolver_arguments.sql", r"'(\w+)': ")
    returned = words_of("resolvers/resolution.sql", r"(\w+)='")
    named = {*resolvers, *given, "given", *returned, "resolution"}
    headings = ("Resolvers of this package", "A resolver of your own")
    in_tables = [first_column("docs/resolvers.md", heading) for heading in headings]
    assert {word for words in in_tables for word in words} == named


def test_every_test_that_only_warns_is_described() -> None:
    files = (REPOSITORY / "tests" / "integrity").glob("*.sql")
    warning = {one.stem for one in files if "severity='warn'" in one.read_text(encoding="utf-8")}
    named = set(first_column("docs/running.md", "What a build warns about"))
    assert named == {*warning, "nothing_was_rejected_lately"}


def test_taken_column_names_are_all_named() -> None:
    text = text_of("docs/feed_contract.md")
    reserved = words_of("checks/reserved_columns.sql", r"'(\w+)'")
    assert {name for name in reserved if f"`{name}`" not in text} == set()


@pytest.mark.parametrize(
    ("macro", "query"),
    [("staged_changes", "typed"), ("row_versions", "versions"), ("conflict_table", "final")],
)
def test_names_that_stand_beside_the_columns_of_an_article_are_taken(
    macro: str, query: str
) -> None:
    reserved = {*words_of("checks/reserved_columns.sql", r"'(\w+)'")}
    (text,) = re.findall(
        rf"\n{query} as \(\n(.*?)\n\)", text_of(f"macros/articles/{macro}.sql"), re.DOTALL
    )
    names = re.findall(r"(?: as |version\.|^        )(\w+),?$", text, re.MULTILINE)
    assert len(names) >= 4
    assert {*names} - reserved == set()
