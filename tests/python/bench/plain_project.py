"""A dbt project without this package: what somebody else would write."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from replication_conflicts.dbt_build import BuildResult, DbtBuild
from replication_conflicts.environment.profile import PROFILE_NAME, write_profile
from tests.python.bench.product import Home, checked


class PlainProject:
    """A project of SQL models in the same warehouse, in a schema of its own."""

    def __init__(self, home: Home, name: str, models: Mapping[str, str]) -> None:
        self.schema = name
        folder = home.folder / name
        write_profile(folder / "profiles", home.state, schema=name, changes=home.settings)
        project = {
            "name": name,
            "version": "1.0",
            "config-version": 2,
            "profile": PROFILE_NAME,
            "model-paths": ["models"],
            "flags": {"send_anonymous_usage_stats": False},
            "models": {name: {"+file_format": "delta", "+materialized": "incremental"}},
        }
        (folder / "models").mkdir(parents=True)
        (folder / "dbt_project.yml").write_text(yaml.safe_dump(project), encoding="utf-8")
        for model, sql in models.items():
            (folder / "models" / f"{model}.sql").write_text(sql, encoding="utf-8")
        self._dbt = DbtBuild(folder, folder / "profiles", threads=4)

    def build(self) -> BuildResult:
        """One `dbt build`. Errors: BuildFailed."""
        return checked(self._dbt.run("build"))
