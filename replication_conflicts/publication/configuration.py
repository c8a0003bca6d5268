"""The publications that a dbt project configures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from replication_conflicts.yaml_files import YamlProblem, read_project_file


class ConfigurationProblem(Exception):
    """A publication that a node cannot have; the message says why in one line."""


def project_publications(project: Path) -> Mapping[str, Any]:
    """What a project's dbt_project.yml has under vars: publications:.

    Errors: ConfigurationProblem.
    """
    try:
        found = read_project_file(project)
    except YamlProblem as problem:
        raise ConfigurationProblem(str(problem)) from problem
    for name in ("vars", "publications"):
        found = (found.get(name) if isinstance(found, Mapping) else None) or {}
    if not isinstance(found, Mapping):
        raise ConfigurationProblem(
            f"{project / 'dbt_project.yml'}: vars: publications: must be names with options"
        )
    return found


def publication_settings(publications: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """What is configured of one publication, its articles among it.

    Errors: ConfigurationProblem.
    """
    if name not in publications:
        known = ", ".join(map(str, publications)) or "none"
        raise ConfigurationProblem(f"there is no publication '{name}', only: {known}")
    found = publications[name]
    if not isinstance(found, Mapping):
        raise ConfigurationProblem(f"publication '{name}' has no options")
    articles = found.get("articles")
    if not articles:
        raise ConfigurationProblem(f"publication '{name}' has no articles")
    if not isinstance(articles, Mapping):
        raise ConfigurationProblem(f"publication '{name}': articles must be names with values")
    return found
