"""Where files that are made, not committed, are kept."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_PROJECT = _PACKAGE.parents[1]


def project_folder() -> Path | None:
    """The dbt project that this package is part of, or None when it is installed without one."""
    return _PROJECT if (_PROJECT / "dbt_project.yml").is_file() else None


def local_folder() -> Path:
    """The folder for jars, logs and the embedded warehouse, which git ignores."""
    if (_PROJECT / "pyproject.toml").is_file():
        return _PROJECT / ".local"
    return Path.home() / ".cache" / "replication_conflicts"


def jars_folder() -> Path:
    """The folder of the Delta jars."""
    return local_folder() / "jars"


def class_archive() -> Path:
    """Java's archive of Spark's classes (environment/class_archive.py)."""
    return jars_folder() / "classes.jsa"


def log4j_file() -> Path:
    """Spark's logging: warnings to a file, nothing on the console."""
    return _PACKAGE / "log4j2.properties"


def jar_checksums_file() -> Path:
    """SHA-256 and name of every jar, in the format of sha256sum."""
    return _PACKAGE / "jars.sha256"
