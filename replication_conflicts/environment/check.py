"""Are Python and Java here, and new enough? One line about each that is not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PYTHON_FLOOR = (3, 10)
JAVA_FLOOR = 17


def problems() -> tuple[str, ...]:
    """What is missing, one sentence each; empty when everything is there."""
    found = (python_problem(sys.version_info[:2]), java_problem())
    return tuple(problem for problem in found if problem is not None)


def python_problem(version: tuple[int, ...]) -> str | None:
    """None when `version` (major, minor) is new enough."""
    if version >= PYTHON_FLOOR:
        return None
    floor, have = (".".join(map(str, parts)) for parts in (PYTHON_FLOOR, version))
    return f"Python {floor} or newer is needed; this is Python {have}."


def java_problem() -> str | None:
    """None when the Java that Spark would start is new enough."""
    java = java_command()
    if java is None:
        return f"Java {JAVA_FLOOR} or newer is needed; no `java` on the PATH and no JAVA_HOME."
    version = java_version(java)
    if version is None:
        return f"Java {JAVA_FLOOR} or newer is needed; `{java} -version` does not tell a version."
    if version < JAVA_FLOOR:
        return f"Java {JAVA_FLOOR} or newer is needed; {java} is Java {version}."
    return None


def java_command() -> str | None:
    """The java that Spark's start script takes: JAVA_HOME first, then the PATH."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else shutil.which("java")


def java_version(java: str) -> int | None:
    """The major version of a `java`, or None when it cannot be run."""
    text = java_version_text(java)
    return None if text is None else parsed_java_version(text)


def java_version_text(java: str) -> str | None:
    """What a `java` says of its version, or None when it cannot be run."""
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stderr + answer.stdout


def parsed_java_version(text: str) -> int | None:
    """17 from 'openjdk version "17.0.15"', 8 from 'java version "1.8.0_392"'."""
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found.group(1)) if found else None
