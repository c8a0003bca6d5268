"""Files of a person that cannot be read, or lack something: one line each, and no traceback."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from replication_conflicts.cli import app
from replication_conflicts.demo.publications import publication_options
from replication_conflicts.environment import check, folders, jars, profile
from replication_conflicts.publication.configuration import ConfigurationProblem

SHOP = "vars: {publications: {shop: {publisher: HQ, articles: {item: {%s}}}}}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no publications"),
        ("[]", "has no publications"),
        ("vars: {publications: shop}", "must be names with options"),
        ("vars: [", "is no YAML"),
        ("vars:\n  day: 2026-02-30", "is no YAML: line 2: '2026-02-30' is no day or time"),
        ("vars: {day: 2026-01-01 25:00:00}", "line 1: '2026-01-01 25:00:00' is no day or time"),
        ("vars: !!bool perhaps", "line 1: 'perhaps' is no boolean"),
        ("vars: !!int ''", "line 1: '' is no whole number"),
        ("vars: {publications: {shop: }}", "publication 'shop' has no options"),
        ("vars: {publications: {shop: {articles: [item]}}}", "articles must be names with values"),
        (SHOP % "primary_key: [id]", "article 'item': columns must be names with values"),
        (SHOP % "columns: {id: int}", "article 'item': primary_key must be a list"),
        (
            SHOP % "columns: {id: int}, primary_key: id",
            "article 'item': primary_key must be a list",
        ),
    ],
)
def test_a_project_is_read_or_one_line_says_why_not(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "dbt_project.yml").write_text(text, encoding="utf-8")
    words = ["capture", "install", "--node", "north", "--url", "sqlite:///none.db"]
    result = CliRunner().invoke(app, [*words, "--project-dir", str(tmp_path)])
    assert result.exit_code == 1
    assert message in result.output
    assert len(result.output.strip().splitlines()) == 1
    with pytest.raises(ConfigurationProblem):
        publication_options(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be names with values"),
        ("shop: [", "is no YAML"),
        ("shop: 2026-02-30", "is no YAML: line 1: '2026-02-30' is no day or time"),
        ("shop:", "profile 'shop': there must be"),
        ("shop: {target: dev}", "profile 'shop', outputs: there must be"),
        ("shop: {outputs: {dev: }}", "target 'dev': there must be"),
        ("shop: {outputs: {dev: {server_side_parameters: [a]}}}", "server_side_parameters: there"),
        ("shop: {outputs: {dev: {schema: x, server_side_parameters: {a: '{{ 1'}}}}", "expression"),
        ("shop: {outputs: {dev: {server_side_parameters: {a: '{{ x() }}'}}}}", "expression"),
    ],
)
def test_a_profile_is_read_or_one_line_says_why_not(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "dbt_project.yml").write_text("profile: shop", encoding="utf-8")
    (tmp_path / "profiles.yml").write_text(text, encoding="utf-8")
    with pytest.raises(profile.ProfileError, match=message) as found:
        profile.server_side_parameters(tmp_path, tmp_path, "dev")
    assert "\n" not in str(found.value)


def test_a_file_that_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "dbt_project.yml"
    file.write_text("profile: shop", encoding="utf-8")

    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(ConfigurationProblem, match=f"{file} cannot be read: Permission denied"):
        publication_options(tmp_path)


def test_a_profile_may_lack_settings_but_no_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dbt_project.yml").write_text("profile: shop", encoding="utf-8")
    file = tmp_path / "profiles.yml"
    file.write_text("shop: {outputs: {dev: {type: spark}}}", encoding="utf-8")
    assert profile.server_side_parameters(tmp_path, tmp_path, "dev") == {}
    with pytest.raises(profile.ProfileError, match="has no schema"):
        profile.target_schema(tmp_path, tmp_path, "dev")
    text = "shop: {outputs: {dev: {schema: \"{{ env_var('CORES') | as_number }}\"}}}"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setenv("CORES", "4")
    assert profile.target_schema(tmp_path, tmp_path, "dev") == "4"


def test_damaged_jars_are_named_and_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sums = tmp_path / "jars.sha256"
    sums.write_text(f"{hashlib.sha256(b'good').hexdigest()}  one.jar\n", encoding="utf-8")
    folder = tmp_path / "jars"
    folder.mkdir()
    jar = folder / "one.jar"
    jar.write_bytes(b"half")
    monkeypatch.setattr(folders, "jar_checksums_file", lambda: sums)
    monkeypatch.setattr(folders, "jars_folder", lambda: folder)
    monkeypatch.setattr(check, "problems", tuple)
    monkeypatch.setattr(check, "java_problem", lambda: None)
    monkeypatch.setattr("replication_conflicts.environment.class_archive.is_current", lambda: True)

    def resolve(temporary: Path) -> Path:
        (temporary / "one.jar").write_bytes(b"good")
        return temporary

    monkeypatch.setattr(jars, "resolve", resolve)
    said = CliRunner().invoke(app, ["doctor"])
    assert said.output == "1 Delta jars are damaged: run `replication-conflicts jars`.\n"
    assert said.exit_code == 1
    assert CliRunner().invoke(app, ["jars"]).exit_code == 0
    assert jar.read_bytes() == b"good"
    assert CliRunner().invoke(app, ["doctor"]).exit_code == 0
    assert CliRunner().invoke(app, ["jars"]).output == ""
