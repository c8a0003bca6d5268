"""The Delta jars: fetched once by Spark's own resolver, checked, and kept in a folder.

Later starts take them from the folder by class path: no resolver, no network, one second less.
Where they come from is the user's own configuration: Spark's (``spark.jars.ivySettings``), the
mirror of Maven's settings file, a proxy of the environment, else Spark's default.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from replication_conflicts.environment import check, folders

PACKAGE = "io.delta:delta-spark_4.2_2.13:4.4.0"
# Spark brings these itself
EXCLUDED = (
    "org.apache.hadoop:hadoop-client-api",
    "org.apache.hadoop:hadoop-client-runtime",
    "org.apache.parquet:parquet-hadoop",
    "org.apache.parquet:parquet-column",
)

_SOURCES = (
    "They come from the repository that DEFAULT_ARTIFACT_REPOSITORY names, else from a mirror in "
    "~/.m2/settings.xml, else from Maven Central, through the proxy that https_proxy names"
)

# runs in a process of its own: the resolver works while Spark's Java starts, before any session
_RESOLVE = "from pyspark.java_gateway import launch_gateway; launch_gateway().shutdown()"


class JarError(Exception):
    """The jars are not there and cannot be had; the message says why in one line."""


def checksums() -> dict[str, str]:
    """SHA-256 of every jar, by file name."""
    lines = folders.jar_checksums_file().read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split() for line in lines if line.strip())}


def missing(folder: Path) -> tuple[str, ...]:
    """Names of the jars that `folder` lacks; quick, contents are not read."""
    return tuple(name for name in checksums() if not (folder / name).is_file())


def damaged(folder: Path) -> tuple[str, ...]:
    """Names of the jars in `folder` that are not those that were committed to."""
    there = {name: digest for name, digest in checksums().items() if (folder / name).is_file()}
    return tuple(
        name
        for name, digest in there.items()
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest
    )


def ensure(folder: Path | None = None) -> Path:
    """The folder with every jar in it, fetched first when one is missing.

    Raises JarError.
    """
    folder = folder or folders.jars_folder()
    if missing(folder):
        fetch(folder)
    return folder


def verify(folder: Path) -> None:
    """Raises JarError when a jar is missing or not the one that was committed to."""
    for name in missing(folder):
        raise JarError(f"jar {name} is missing in {folder}")
    for name in damaged(folder):
        raise JarError(f"jar {name} in {folder} has another checksum than the committed one")


def fetch(folder: Path) -> None:
    """Put every jar into the folder, in the place of those that are there. Raises JarError."""
    java = check.java_problem()
    if java is not None:
        raise JarError(java)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="ivy-") as temporary:
        resolved = resolve(Path(temporary))
        ready = Path(temporary) / "ready"
        ready.mkdir()
        for name in checksums():
            source = resolved / name
            if not source.is_file():
                raise JarError(f"the resolver of Spark did not bring {name}")
            shutil.copyfile(source, ready / name)
        verify(ready)
        # two first runs at once: each moves whole, checked files into place
        folder.mkdir(exist_ok=True)
        for file in ready.iterdir():
            file.replace(folder / file.name)


def resolve(folder: Path, package: str = PACKAGE) -> Path:
    """Let Spark's resolver fill `folder` with a package; the folder of the jars.

    Raises JarError.
    """
    settings = {
        "spark.jars.packages": package,
        "spark.jars.excludes": ",".join(EXCLUDED),
        "spark.jars.ivy": str(folder),
    }
    arguments = [word for item in settings.items() for word in ("--conf", "=".join(item))]
    options = proxy_options(os.environ)
    if options:
        arguments += ["--driver-java-options", f'"{" ".join(options)}"']
    environment = dict(os.environ)
    environment["PYSPARK_SUBMIT_ARGS"] = " ".join([*arguments, "pyspark-shell"])
    mirror = maven_mirror(Path.home() / ".m2" / "settings.xml")
    if mirror is not None:
        environment.setdefault("DEFAULT_ARTIFACT_REPOSITORY", mirror)
    log = folder / "resolver.log"
    with log.open("w", encoding="utf-8") as output:
        done = subprocess.run(
            [sys.executable, "-c", _RESOLVE],
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
    if done.returncode != 0:
        raise JarError(_reason(log.read_text(encoding="utf-8", errors="replace"), package))
    return folder / "jars"


def _reason(log: str, package: str) -> str:
    wanted = ("unresolved dependency", "RuntimeException", "Host ", "Exception")
    for word in wanted:
        lines = [line.strip(" :\t") for line in log.splitlines() if word in line]
        if lines:
            return f"the jars of {package} cannot be fetched: {lines[0]}. {_SOURCES}"
    return f"the jars of {package} cannot be fetched; is there a network? {_SOURCES}"


def maven_mirror(settings: Path) -> str | None:
    """The address that Maven's settings file gives for the central repository, if any."""
    try:
        root = ElementTree.parse(settings).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    for mirror in root.iterfind(".//{*}mirrors/{*}mirror"):
        of = [word.strip() for word in mirror.findtext("{*}mirrorOf", "").split(",")]
        covers = {"central", "*", "external:*"} & set(of) and "!central" not in of
        url = mirror.findtext("{*}url", "").strip()
        if covers and url:
            return url
    return None


def proxy_options(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Java's words for the proxies that the environment names (http_proxy, https_proxy)."""
    options: list[str] = []
    for scheme in ("http", "https"):
        name = f"{scheme}_proxy"
        proxy = urlsplit(environment.get(name) or environment.get(name.upper()) or "")
        if proxy.hostname and proxy.port:
            options += [
                f"-D{scheme}.proxyHost={proxy.hostname}",
                f"-D{scheme}.proxyPort={proxy.port}",
            ]
    return tuple(options)
