"""The publications that the demo plays, all of them in the same builds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from replication_conflicts.publication.configuration import (
    ConfigurationProblem,
    project_publications,
)
from replication_conflicts.publication.publication import POLICIES
from replication_conflicts.workload import Story
from replication_conflicts.workload.field_sales import STORY as FIELD_SALES
from replication_conflicts.workload.inventory import STORY as INVENTORY

STORIES: tuple[Story, ...] = (INVENTORY, FIELD_SALES)


def publication_options(project: Path, policy: str | None = None) -> dict[str, Any]:
    """The configuration of all publications; those of queued updating with the wanted policy.

    Errors: ConfigurationProblem where one of the demo's is missing.
    """
    publications = dict(project_publications(project))
    for story in STORIES:
        if not isinstance(publications.get(story.publication), dict):
            raise ConfigurationProblem(
                f"the demo needs the publication '{story.publication}' in dbt_project.yml"
            )
    if policy is None:
        return publications
    return {
        name: {**options, "policy": policy} if is_queued(options) else options
        for name, options in publications.items()
    }


def default_policy(project: Path) -> str:
    """The policy that the project itself has for the demo's publications of queued updating."""
    publications = publication_options(project)
    found = (
        publications[story.publication].get("policy", POLICIES[0])
        for story in STORIES
        if is_queued(publications[story.publication])
    )
    return str(next(found, POLICIES[0]))


def is_queued(options: dict[str, Any]) -> bool:
    """Whether a publication is one of queued updating, which has a policy."""
    return str(options.get("replication", "queued")) == "queued"
