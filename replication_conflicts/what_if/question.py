"""What a what-if asks: a publication, and what is to be otherwise in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from replication_conflicts.publication.configuration import (
    ConfigurationProblem,
    publication_settings,
)
from replication_conflicts.publication.publication import POLICIES, parse_priority
from replication_conflicts.publication.values import ValueProblem


@dataclass(frozen=True)
class Question:
    """`resolvers`: article to its resolver as in the configuration; `priorities`: by subscriber."""

    publication: str
    policy: str | None = None
    resolvers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    priorities: Mapping[str, Decimal] = field(default_factory=dict)

    def __str__(self) -> str:
        """The question in a few words."""
        parts = [f"policy {self.policy}"] if self.policy else []
        parts += [
            f"resolver of {article} {':'.join(resolver.values())}"
            for article, resolver in self.resolvers.items()
        ]
        parts += [f"priority of {name} {value}" for name, value in self.priorities.items()]
        return f"{self.publication}: {', '.join(parts)}"

    def publications(self, configured: Mapping[str, Any]) -> dict[str, Any]:
        """The configuration of all publications as the question has it."""
        settings = dict(configured[self.publication])
        if self.policy:
            settings["policy"] = self.policy
        settings["articles"] = {
            article: {**options, "resolver": dict(self.resolvers[article])}
            if article in self.resolvers
            else options
            for article, options in settings["articles"].items()
        }
        return {**configured, self.publication: settings}


def read_question(
    configured: Mapping[str, Any],
    publication: str | None,
    policy: str | None,
    resolvers: Iterable[str],
    priorities: Iterable[str],
) -> Question:
    """A question from the options of the command. Errors: ConfigurationProblem."""
    if publication is None and len(configured) != 1:
        raise ConfigurationProblem(f"--publication must be one of: {_names(configured)}")
    name = publication or next(iter(configured))
    if name not in configured:
        raise ConfigurationProblem(
            f"--publication is '{name}', must be one of: {_names(configured)}"
        )
    settings = publication_settings(configured, name)
    is_merge = settings.get("replication") == "merge"
    found = Question(
        name,
        policy,
        dict(_resolver(text, settings["articles"]) for text in resolvers),
        dict(_priority(text) for text in priorities),
    )
    if not (found.policy or found.resolvers or found.priorities):
        allowed = "--resolver or --priority" if is_merge else "--policy"
        raise ConfigurationProblem(f"say what is to be otherwise in '{name}': {allowed}")
    if policy is not None and is_merge:
        raise ConfigurationProblem(
            f"--policy belongs to queued updating; '{name}' is merge replication: "
            "ask about --resolver or --priority"
        )
    if (found.resolvers or found.priorities) and not is_merge:
        raise ConfigurationProblem(
            f"--resolver and --priority belong to merge replication; '{name}' is queued updating: "
            "ask about --policy"
        )
    if policy is not None and policy not in POLICIES:
        raise ConfigurationProblem(f"--policy is '{policy}', must be one of: {_names(POLICIES)}")
    return found


def check_subscribers(question: Question, types: Mapping[str, str]) -> None:
    """Whether the priorities are of server subscriptions. Errors: ConfigurationProblem.

    `types`: every subscriber of the publication, and the type of its subscription.
    """
    servers = [name for name, kind in types.items() if kind == "server"]
    for name in question.priorities:
        if name not in servers:
            why = "is a client, whose priority is 0.00" if name in types else "has no subscription"
            raise ConfigurationProblem(
                f"--priority: '{name}' {why}; must be one of: {_names(servers)}"
            )


def _resolver(text: str, articles: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """`article=name[:column[:separator]]`; names and columns are checked with the rest."""
    article, found, rest = text.partition("=")
    if not found or not rest:
        raise ConfigurationProblem(
            f"--resolver is '{text}', must be ARTICLE=NAME, ARTICLE=NAME:COLUMN or "
            "ARTICLE=NAME:COLUMN:SEPARATOR"
        )
    if article not in articles:
        raise ConfigurationProblem(
            f"--resolver: there is no article '{article}', must be one of: {_names(articles)}"
        )
    return article, dict(zip(("name", "column", "separator"), rest.split(":", 2), strict=False))


def _priority(text: str) -> tuple[str, Decimal]:
    """`subscriber=number`."""
    subscriber, _, number = text.rpartition("=")
    if not subscriber:
        raise ConfigurationProblem(f"--priority is '{text}', must be SUBSCRIBER=NUMBER")
    try:
        value = parse_priority(number)
    except ValueProblem as problem:
        raise ConfigurationProblem(f"--priority is '{text}': {problem}") from problem
    return subscriber, value


def _names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
