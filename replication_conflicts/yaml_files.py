"""YAML files of people: read, or one line that says why not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from yaml import Node, YAMLError, load
from yaml.constructor import ConstructorError

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # a PyYAML that was made without the parser in C, which is three times as fast
    from yaml import SafeLoader  # type: ignore[assignment]

Constructor = Callable[[Any, Any], object]


class YamlProblem(Exception):
    """A file that cannot be read, or is no YAML; the message goes on behind the file's name."""


class Loader(SafeLoader):
    """What is written as a number or a day, and is none, is named with its line."""


def refuse(node: Node, message: str) -> NoReturn:
    """Something in a file is not as it may be. Errors: ConstructorError, naming the line."""
    raise ConstructorError(None, None, f"line {node.start_mark.line + 1}: {message}")


def naming(kind: str, construct: Constructor) -> Constructor:
    """A constructor of values of a kind, which names what is none."""

    def checked(loader: Any, node: Any) -> object:
        try:
            return construct(loader, node)
        # PyYAML lets all of them through
        except (ValueError, ArithmeticError, LookupError, AttributeError):
            refuse(node, f"{node.value!r} is no {kind}")

    return checked


for _tag, _kind, _constructor in (
    ("bool", "boolean", SafeLoader.construct_yaml_bool),
    ("int", "whole number", SafeLoader.construct_yaml_int),
    ("float", "number", SafeLoader.construct_yaml_float),
    ("timestamp", "day or time", SafeLoader.construct_yaml_timestamp),
):
    Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", naming(_kind, _constructor))


def read_yaml_file(file: Path, loader: type[Loader] = Loader) -> Any:
    """What a file says. Errors: YamlProblem."""
    try:
        return load(file.read_text(encoding="utf-8"), Loader=loader)
    except OSError as error:
        raise YamlProblem(f"cannot be read: {error.strerror}") from error
    except (YAMLError, UnicodeDecodeError) as error:
        raise YamlProblem(f"is no YAML: {' '.join(str(error).split())}") from error


def read_project_file(project: Path) -> Any:
    """What a project's dbt_project.yml says. Errors: YamlProblem, which names the file."""
    file = project.resolve() / "dbt_project.yml"
    if not file.is_file():
        raise YamlProblem(f"there is no {file}. Name the folder of a dbt project: --project-dir")
    try:
        return read_yaml_file(file)
    except YamlProblem as problem:
        raise YamlProblem(f"{file} {problem}") from problem
