"""dbt profiles: read one as dbt does, write one for a project with a warehouse of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import yaml

from replication_conflicts.environment import folders
from replication_conflicts.environment.session import JAVA_OPTIONS
from replication_conflicts.yaml_files import YamlProblem, read_project_file, read_yaml_file

PROFILE_NAME = "replication_conflicts"
# one compiler tier: for sessions that end before a better compiler pays
QUICK_START = "-XX:TieredStopAtLevel=1"
# both tiers: for minutes of work, where the better compiler pays only for what runs very often.
# With Java's own thresholds, made for days of work, it takes a third of the demo's processor time,
# and more of the tests'; with these, a quarter of the demo's
FOR_MINUTES = (
    "-XX:Tier4InvocationThreshold=20000 -XX:Tier4MinInvocationThreshold=2400 "
    "-XX:Tier4CompileThreshold=60000 -XX:Tier4BackEdgeThreshold=160000"
)
SHARED_CLASSES = "-XX:SharedArchiveFile="


class ProfileError(Exception):
    """There is no such profile or target, or it cannot be read; the message says so in one line."""


def embedded_parameters(state_dir: Path) -> dict[str, str]:
    """The settings of the embedded target, everything that is made kept in `state_dir`.

    Those of this package's own profile, but for sessions of many builds: with both compiler tiers,
    which pay after some of them. Raises ProfileError.
    """
    return for_minutes(_own_settings("embedded", state_dir))


def for_minutes(parameters: Mapping[str, str]) -> dict[str, str]:
    """The same settings with both compiler tiers, where they name the first one alone."""
    changed = dict(parameters)
    if JAVA_OPTIONS in changed:
        changed[JAVA_OPTIONS] = changed[JAVA_OPTIONS].replace(QUICK_START, FOR_MINUTES)
    return changed


def quick_start(state_dir: Path) -> dict[str, str]:
    """What differs from `embedded_parameters` in a session that ends soon: one compiler tier."""
    return {JAVA_OPTIONS: _own_settings("embedded", state_dir)[JAVA_OPTIONS]}


def write_profile(
    profiles_dir: Path,
    state_dir: Path,
    *,
    name: str = PROFILE_NAME,
    schema: str = "published",
    threads: int = 4,
    changes: Mapping[str, str] | None = None,
) -> Path:
    """Write profiles_dir/profiles.yml with one target, `embedded`; return the file.

    `state_dir` gets the warehouse, the metastore and the logs; `changes` are settings that differ
    from `embedded_parameters`.
    """
    parameters = {**embedded_parameters(state_dir), **(changes or {})}
    output = _session_output(schema, threads, parameters)
    return _write(profiles_dir, name, "embedded", {"embedded": output})


def write_project_profile(project_dir: Path, profiles_dir: Path, *, replace: bool = False) -> Path:
    """Write the profile that a project's dbt_project.yml names; return the file.

    Two targets: `embedded`, with all that is made in the project's folder `.local`, and `cluster`,
    which environment variables point at a cluster. Raises ProfileError, also where the file is
    there and is not to be replaced.
    """
    file = profiles_dir / "profiles.yml"
    name = _project(project_dir).get("profile")
    if not isinstance(name, str):
        raise ProfileError(f"{project_dir / 'dbt_project.yml'} names no profile: add profile: NAME")
    if file.exists() and not replace:
        raise ProfileError(f"{file} is there already: --replace writes it anew")
    state = project_dir / ".local"
    outputs = {target: _own_output(target, state) for target in ("embedded", "cluster")}
    return _write(profiles_dir, name, "embedded", outputs)


def _session_output(schema: str, threads: int, parameters: Mapping[str, str]) -> dict[str, Any]:
    return {
        "type": "spark",
        "method": "session",
        "host": "NA",
        "schema": schema,
        "threads": threads,
        "server_side_parameters": dict(parameters),
    }


def _write(profiles_dir: Path, name: str, target: str, outputs: Mapping[str, Any]) -> Path:
    """Write a folder's profiles.yml with one profile; return the file."""
    text = {name: {"target": target, "outputs": dict(outputs)}}
    profiles_dir.mkdir(parents=True, exist_ok=True)
    file = profiles_dir / "profiles.yml"
    file.write_text(yaml.safe_dump(text, sort_keys=False, width=1000), encoding="utf-8")
    return file


def _own_settings(target: str, state_dir: Path) -> dict[str, str]:
    """The server_side_parameters of a target of this package's own profile, for another folder."""
    return dict(_own_output(target, state_dir)["server_side_parameters"])


def _own_output(target: str, state_dir: Path) -> dict[str, Any]:
    """A target of this package's own profile, with what is made kept in `state_dir`."""
    own = folders.project_folder()
    if own is None:
        raise ProfileError("this package is not in its clone, which has the profile to copy")
    profiles = _yaml(own / "profiles" / "profiles.yml")
    output = _mapping(profiles[PROFILE_NAME]["outputs"][target], f"target '{target}'")
    places = {
        str(folders.log4j_file().relative_to(own)): folders.log4j_file(),
        ".local/jars": folders.jars_folder(),
        ".local": state_dir.resolve(),
    }
    # words of Java options are quoted whole: a folder's name may have blanks
    pattern = re.compile(rf"(-[DX]\S+=)?({'|'.join(map(re.escape, places))})((?:/[\w.*]+)*)")

    def elsewhere(found: re.Match[str]) -> str:
        option, place, rest = found.groups(default="")
        path = f"{option}{places[place]}{rest}"
        return f'"{path}"' if option else path

    parameters = {
        key: pattern.sub(elsewhere, value)
        for key, value in output["server_side_parameters"].items()
    }
    return {**output, "server_side_parameters": parameters}


def server_side_parameters(
    project_dir: Path, profiles_dir: Path, target: str | None
) -> dict[str, str]:
    """The settings that dbt would give the session for this project and target.

    Raises ProfileError.
    """
    output = _output(project_dir, profiles_dir, target)
    parameters = _mapping(output.get("server_side_parameters") or {}, "server_side_parameters")
    return {str(key): _rendered(value) for key, value in parameters.items()}


def target_schema(project_dir: Path, profiles_dir: Path, target: str | None) -> str:
    """The schema that builds of this project and target write. Raises ProfileError."""
    output = _output(project_dir, profiles_dir, target)
    if "schema" not in output:
        raise ProfileError(f"the target of {profiles_dir / 'profiles.yml'} has no schema")
    return _rendered(output["schema"])


def write_with_schema(
    project_dir: Path, profiles_dir: Path, target: str | None, schema: str, folder: Path
) -> None:
    """Write the project's profile once more, with this one target, which has another schema.

    Raises ProfileError.
    """
    output = {**_output(project_dir, profiles_dir, target), "schema": schema}
    name, profile = _profile(project_dir, profiles_dir)
    chosen = _target_name(profile, target)
    _write(folder, name, chosen, {chosen: output})


def _output(project_dir: Path, profiles_dir: Path, target: str | None) -> dict[str, Any]:
    """What the project's profile says of a target; none: of the one that the profile names."""
    name, profile = _profile(project_dir, profiles_dir)
    outputs = _mapping(profile.get("outputs"), f"profile '{name}', outputs")
    wanted = _target_name(profile, target)
    if wanted not in outputs:
        raise ProfileError(
            f"profile '{name}' has no target '{wanted}', only: {', '.join(outputs)}. "
            "Name one of them: --target, or target: in the profile"
        )
    return _mapping(outputs[wanted], f"profile '{name}', target '{wanted}'")


def _profile(project_dir: Path, profiles_dir: Path) -> tuple[str, dict[str, Any]]:
    """The project's profile, with its name."""
    name = str(_project(project_dir).get("profile"))
    file = profiles_dir / "profiles.yml"
    if not file.is_file():
        raise ProfileError(
            f"there is no {file}. `replication-conflicts profile` writes one; or name the folder "
            "of yours: --profiles-dir"
        )
    profiles = _yaml(file)
    if name not in profiles:
        raise ProfileError(
            f"{file} has no profile '{name}', which dbt_project.yml names, only: "
            f"{', '.join(profiles)}"
        )
    return name, _mapping(profiles[name], f"profile '{name}'")


def _target_name(profile: Mapping[str, Any], target: str | None) -> str:
    return target or _rendered(profile.get("target", "default"))


def _project(folder: Path) -> dict[str, Any]:
    try:
        return _mapping(read_project_file(folder), str(folder / "dbt_project.yml"))
    except YamlProblem as problem:
        raise ProfileError(str(problem)) from problem


def _yaml(file: Path) -> dict[str, Any]:
    try:
        return _mapping(read_yaml_file(file), str(file))
    except YamlProblem as problem:
        raise ProfileError(f"{file} {problem}") from problem


def _mapping(found: object, where: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ProfileError(f"{where}: there must be names with values")
    return found


def _rendered(value: object) -> str:
    environment = jinja2.Environment()
    # the types that dbt makes of a text; here it stays one
    environment.filters |= dict.fromkeys(("as_bool", "as_native", "as_number", "as_text"), str)
    try:
        return environment.from_string(str(value)).render(env_var=_environment_variable)
    except jinja2.TemplateError as error:
        raise ProfileError(f"the profile has an expression that cannot be read: {error}") from error


def _environment_variable(name: str, default: str | None = None) -> str:
    value = os.environ.get(name, default)
    if value is None:
        raise ProfileError(f"the profile needs the environment variable {name}")
    return value
