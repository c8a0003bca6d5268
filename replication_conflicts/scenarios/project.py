"""The generated project: it installs this one as a package and holds nothing but configuration
and the thin per-article models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import yaml

import replication_conflicts
from replication_conflicts.environment.profile import PROFILE_NAME, write_profile
from replication_conflicts.lakehouse.relations import EVENT_COLUMNS
from replication_conflicts.publication.publication import Publication

# Relations that people or subscribers fill; the runner appends to tables, models select from them.
INPUTS = {
    "subscriptions": {
        "publication": "string",
        "subscriber": "string",
        "type": "string",
        # wide enough for what no subscription may have: the project says so itself
        "priority": "decimal(18,6)",
        "republisher": "boolean",
        "below": "string",
    },
    "subscription_events": EVENT_COLUMNS,
    "conflict_decisions": {
        "conflict_id": "string",
        "decision": "string",
        "edited": "map<string,string>",
        "author": "string",
        "reason": "string",
        "queue_position": "bigint",
    },
}

# What subscribers report about commands that they refused, one relation a publication.
APPLY_ERRORS = {
    "queue_position": "bigint",
    "subscriber": "string",
    "command_id": "string",
    "article": "string",
    "key": "map<string,string>",
    "operation": "string",
    "error_code": "int",
    "error_text": "string",
    "row": "map<string,string>",
}

_PER_ARTICLE = {
    "stg_{publication}__{article}": "staged_changes",
    "{publication}__{article}__versions": "row_versions",
    "{publication}__{article}": "published_rows",
    "conflict_{publication}_{article}": "conflict_table",
}


@dataclass(frozen=True)
class Configuration:
    """A publication with its configuration for `vars: publications:`."""

    publication: Publication
    options: Mapping[str, object]

    @property
    def name(self) -> str:
        """The publication's name."""
        return self.publication.name

    @property
    def has_apply_errors(self) -> bool:
        """Whether its subscribers report commands that they refuse."""
        return bool(self.options.get("apply_errors"))

    @property
    def initial_articles(self) -> list[str]:
        """Articles that start from rows of the initial snapshot."""
        articles = self.options["articles"]
        assert isinstance(articles, Mapping)
        return [name for name, article in articles.items() if article.get("initial_snapshot")]


@dataclass(frozen=True)
class ConsumerProject:
    """Where a generated project lies, and in which schemas of the warehouse its tables are."""

    name: str
    folder: Path
    state: Path

    @property
    def profiles(self) -> Path:
        """The folder of profiles.yml."""
        return self.folder / "profiles"

    @property
    def schema(self) -> str:
        """The target schema: what the pipeline writes."""
        return self.name

    @property
    def feeds(self) -> str:
        """The schema of the change feeds."""
        return f"{self.name}_feeds"

    @property
    def initial(self) -> str:
        """The schema of the initial rows."""
        return f"{self.name}_initial"

    @property
    def inputs(self) -> str:
        """The schema of subscriptions, events and decisions."""
        return f"{self.name}_inputs"

    def write(
        self, configurations: Sequence[Configuration], settings: Mapping[str, str] | None = None
    ) -> None:
        """Write all files of the project; those that are there are replaced.

        `settings`: what its Spark session has otherwise than the embedded target.
        """
        write_profile(self.profiles, self.state, schema=self.schema, changes=settings)
        _write_yaml(self.folder / "packages.yml", {"packages": [{"local": str(package_folder())}]})
        self.write_configuration(configurations)
        models = self.folder / "models"
        for configuration in configurations:
            self._write_publication(models / configuration.name, configuration)
        self._write_inputs(models / "inputs")

    def write_configuration(self, configurations: Sequence[Configuration]) -> None:
        """Write dbt_project.yml: the configuration of all publications."""
        _write_yaml(
            self.folder / "dbt_project.yml",
            {
                "name": self.name,
                "version": "1.0",
                "config-version": 2,
                "profile": PROFILE_NAME,
                "model-paths": ["models"],
                "flags": {
                    "require_ref_searches_node_package_before_root": True,
                    "send_anonymous_usage_stats": False,
                },
                "vars": {"publications": {one.name: one.options for one in configurations}},
            },
        )

    def _write_publication(self, folder: Path, configuration: Configuration) -> None:
        publication = configuration.publication
        names = list(publication.articles)
        for article in names:
            for pattern, macro in _PER_ARTICLE.items():
                model = pattern.format(publication=publication.name, article=article)
                call = f"replication_conflicts.{macro}('{publication.name}', '{article}')"
                _write(folder / f"{model}.sql", f"{{{{ {call} }}}}\n")
        prefix = f"{publication.name}__"
        reports = ["apply_errors"] if configuration.has_apply_errors else []
        sources = [
            _source("feeds", self.feeds, [prefix + name for name in [*names, *reports]]),
            # a build into another schema, as a what-if is, has its own
            _source("held", "{{ target.schema }}", [f"{prefix}{name}__versions" for name in names]),
        ]
        if configuration.initial_articles:
            tables = [prefix + name for name in configuration.initial_articles]
            sources.append(_source("initial", self.initial, tables))
        _write_yaml(
            folder / f"_{publication.name}__sources.yml", {"version": 2, "sources": sources}
        )

    def _write_inputs(self, folder: Path) -> None:
        source = _source("inputs", self.inputs, list(INPUTS))
        _write_yaml(folder / "_inputs__sources.yml", {"version": 2, "sources": [source]})
        for name in INPUTS:
            _write(folder / f"{name}.sql", f"select * from {{{{ source('inputs', '{name}') }}}}\n")


def package_folder() -> Path:
    """The folder of this dbt project, which the generated one installs."""
    return Path(replication_conflicts.__file__).resolve().parent.parent


def _source(name: str, schema: str, tables: Sequence[str]) -> dict[str, object]:
    return {"name": name, "schema": schema, "tables": [{"name": table} for table in tables]}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


class _Dumper(yaml.SafeDumper):
    """Decimals as plain numbers, no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        return True


_Dumper.add_representer(
    Decimal, lambda dumper, value: dumper.represent_scalar("tag:yaml.org,2002:float", str(value))
)


def _write_yaml(path: Path, content: Mapping[str, object]) -> None:
    _write(path, yaml.dump(content, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True))
