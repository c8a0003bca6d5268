"""Versions of Delta tables, as their folders have them: no query, no session."""

from __future__ import annotations

import re
from pathlib import Path

_COMMIT = re.compile(r"^(\d{20})\.json$")


def newest_versions(schema: Path) -> dict[str, int]:
    """The newest version of every table in a schema's folder, by the name of the table's folder."""
    versions = {}
    for log in sorted(schema.glob("*/_delta_log")):
        commits = [found for file in log.iterdir() if (found := _COMMIT.match(file.name))]
        if commits:
            versions[log.parent.name] = max(int(one.group(1)) for one in commits)
    return versions
