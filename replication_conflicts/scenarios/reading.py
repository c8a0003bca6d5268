"""Reading YAML strictly: what is not expected is an error that names file, case and key."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from yaml import MappingNode, ScalarNode

from replication_conflicts.publication.configuration import ConfigurationProblem
from replication_conflicts.publication.values import ValueProblem
from replication_conflicts.simulation import ImpossibleChange
from replication_conflicts.yaml_files import (
    Loader,
    YamlProblem,
    naming,
    read_yaml_file,
    refuse,
)

Result = TypeVar("Result")
_MERGE_KEY = "tag:yaml.org,2002:merge"


class SuiteProblem(ValueError):
    """Something in a suite file that the format does not allow."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message


@dataclass(frozen=True)
class Place:
    """Where in a suite something stands: the file, the case if it is in one, and the key."""

    file: str
    case: str | None = None
    key: str = ""

    def __str__(self) -> str:
        case = f"case {self.case}" if self.case else None
        return ", ".join(part for part in (self.file, case, self.key) if part)

    def at(self, key: object) -> Place:
        """The place of one key of a mapping, or with a number of one entry of a list."""
        if isinstance(key, int):
            return replace(self, key=f"{self.key}[{key}]")
        return replace(self, key=f"{self.key}.{key}" if self.key else str(key))


@dataclass(frozen=True)
class Entry:
    """A value of the file together with its place."""

    value: Any
    place: Place

    def problem(self, message: str) -> SuiteProblem:
        """An error about this value."""
        return SuiteProblem(self.place, message)

    def mapping(
        self, allowed: Collection[str] | None = None, required: Collection[str] = ()
    ) -> dict[str, Entry]:
        """The entries of a mapping; errors name keys that are not allowed or are missing."""
        if not isinstance(self.value, Mapping):
            raise self.problem(f"must be a mapping, is {self.value!r}")
        for key in self.value:
            if not isinstance(key, str):
                raise self.problem(f"key {key!r} must be a text: write it in quotes")
            if allowed is not None and key not in allowed:
                known = ", ".join(sorted(allowed))
                raise SuiteProblem(
                    self.place.at(key), f"unknown key {key!r}, must be one of: {known}"
                )
        for key in required:
            if key not in self.value:
                raise self.problem(f"{key!r} is missing")
        return {key: Entry(value, self.place.at(key)) for key, value in self.value.items()}

    def labels(self) -> dict[str, object]:
        """A mapping whose keys may be whole numbers, with texts as keys."""
        if not isinstance(self.value, Mapping):
            raise self.problem(f"must be a mapping, is {self.value!r}")
        return {Entry(key, self.place).label(): value for key, value in self.value.items()}

    def entries(self) -> list[Entry]:
        """The entries of a list."""
        if not isinstance(self.value, list):
            raise self.problem(f"must be a list, is {self.value!r}")
        return [Entry(value, self.place.at(index)) for index, value in enumerate(self.value)]

    def one_or_more(self) -> list[Entry]:
        """The entries of a list; what is no list stands for a list of one."""
        return self.entries() if isinstance(self.value, list) else [self]

    def single(self, allowed: Collection[str], what: str) -> tuple[str, Entry]:
        """The one key of a mapping and its value."""
        items = list(self.mapping(allowed).items())
        if len(items) != 1:
            raise self.problem(f"must name one {what}")
        return items[0]

    def text(self, allowed: Collection[str] | None = None) -> str:
        """A text, one of the allowed ones if there are such."""
        if not isinstance(self.value, str):
            raise self.problem(f"must be a text, is {self.value!r}")
        if allowed is not None and self.value not in allowed:
            known = ", ".join(allowed)
            raise self.problem(f"{self.value!r} must be one of: {known}")
        return self.value

    def name(self) -> str:
        """The name of a publication or an article, which becomes part of the names of tables."""
        text = self.text()
        if not re.fullmatch(r"[A-Za-z0-9_]+", text):
            raise self.problem(f"{text!r} must be letters from a to z, digits and _")
        return text

    def column_name(self) -> str:
        """The name of a column, in letters of any language."""
        text = self.text()
        if not re.fullmatch(r"\w+", text):
            raise self.problem(f"{text!r} must be letters, digits and _")
        return text

    def label(self) -> str:
        """A text or a whole number, as a text: what people write as the name of something."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        return self.text()

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.problem(f"must be true or false, is {self.value!r}")
        return self.value

    def whole_number(self) -> int:
        """A whole number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.problem(f"must be a whole number, is {self.value!r}")
        number: int = self.value
        return number

    def checked(self, read: Callable[[Any], Result]) -> Result:
        """The value through a function whose errors get this place."""
        try:
            return read(self.value)
        except (ConfigurationProblem, ValueProblem, ImpossibleChange) as problem:
            raise self.problem(str(problem)) from problem
        except (ValueError, ArithmeticError) as problem:
            raise self.problem(f"{self.value!r} cannot be read: {problem}") from problem


class _Loader(Loader):
    """Decimals stay exact, and a key that stands twice is an error."""


def _decimal(loader: _Loader, node: ScalarNode) -> object:
    text = loader.construct_scalar(node)
    number = loader.construct_yaml_float(node)
    return number if not math.isfinite(number) else Decimal(text.replace("_", ""))


def _unique_mapping(loader: _Loader, node: MappingNode) -> Iterator[object]:
    keys: set[object] = set()
    for key_node, _ in node.value:
        if key_node.tag == _MERGE_KEY:
            continue
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable):
            refuse(key_node, f"{key!r} cannot be a key")
        if key in keys:
            refuse(key_node, f"{key!r} stands twice")
        keys.add(key)
    yield from loader.construct_yaml_map(node)


_Loader.add_constructor("tag:yaml.org,2002:float", naming("number", _decimal))
_Loader.add_constructor("tag:yaml.org,2002:map", _unique_mapping)


def read_yaml(path: Path) -> Entry:
    """A YAML file as an entry; errors: SuiteProblem when it cannot be read."""
    place = Place(str(path))
    try:
        return Entry(read_yaml_file(path, _Loader), place)
    except YamlProblem as problem:
        raise SuiteProblem(place, str(problem)) from problem
