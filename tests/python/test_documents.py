"""What the documents say: the example of the README parses, and names are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from replication_conflicts.dbt_build import DbtBuild
from replication_conflicts.environment.profile import write_profile

from .conftest import REPOSITORY
from .documents import example_files, section, text_of

DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "DECISIONS.md",
    "docs/behavior.md",
    "docs/benchmarks.md",
    "docs/feed_contract.md",
)
MACROS = REPOSITORY / "macros"


def words_of(macro: str, pattern: str) -> set[str]:
    """What a macro's file has in places of that pattern."""
    return set(re.findall(pattern, (MACROS / macro).read_text(encoding="utf-8")))


def first_column(document: str, heading: str) -> set[str]:
    """The words in backticks of a table's first column, below a heading."""
    lines = section(document, heading).splitlines()
    cells = [line.split("|")[1] for line in lines if line.startswith("| `")]
    return {word for cell in cells for word in re.findall(r"`(\w+)`", cell)}


def test_the_example_parses(tmp_path: Path) -> None:
    files = example_files()
    assert len(files) == 12
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            text.replace("../replication_conflicts ", f"{REPOSITORY} "), encoding="utf-8"
        )
    write_profile(tmp_path / "profiles", tmp_path / ".local", name="shop")
    build = DbtBuild(tmp_path, tmp_path / "profiles")
    for command in ("deps", "parse"):
        result = build.run(command)
        assert result.success, result.errors


@pytest.mark.parametrize("document", DOCUMENTS)
def test_named_files_exist(document: str) -> None:
    folders = "macros|models|tests|docs|seeds|scripts|profiles|replication_conflicts"
    named = re.findall(rf"[`\"(]((?:{folders})/[\w./]*\w/?)[`\"#)]", text_of(document))
    example = {*example_files(), "models/crm"}
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


def test_the_reasons_are_those_of_the_macro() -> None:
    reasons = words_of("decision/contract_violation.sql", r"then '(\w+)'") | {"transaction"}
    # merge replication's own
    reasons -= {"unknown_column"}
    assert first_column("README.md", "The feed contract") >= reasons
    assert first_column("docs/feed_contract.md", "Violations") == reasons


def test_the_rules_are_those_of_the_macro() -> None:
    rules = words_of("decision/deciding_rule.sql", r"(?:then|else) '(\w+)'")
    outcomes = words_of("decision/change_outcome.sql", r"(?:then|else) '(\w+)'")
    assert first_column("docs/behavior.md", "One transaction") == rules | outcomes


def test_the_resolvers_and_what_they_are_given_are_those_of_the_macros() -> None:
    resolvers = words_of("checks/resolver_rules.sql", r"'(\w+)': \{")
    given = words_of("resolvers/resolver_arguments.sql", r"'(\w+)': ") | {"given"}
    returned = words_of("resolvers/resolution.sql", r"(\w+)='") | {"resolution"}
    assert first_column("docs/behavior.md", "Resolvers") == resolvers | given | returned


def test_taken_column_names_are_all_named() -> None:
    text = text_of("docs/feed_contract.md")
    reserved = words_of("checks/reserved_columns.sql", r"'(\w+)'")
    assert {name for name in reserved if f"`{name}`" not in text} == set()
