"""The mutants in groups, each with the cases that are to notice them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.python.mutants.cases import (
    key_cases,
    merge_cases,
    queued_cases,
    record_cases,
    resolver_cases,
)
from tests.python.mutants.keys import KEYS
from tests.python.mutants.merge import MERGE
from tests.python.mutants.mutant import Mutant
from tests.python.mutants.queued import QUEUED
from tests.python.mutants.records import RECORDS
from tests.python.mutants.resolvers import RESOLVERS
from tests.python.strategies.cases import Case


@dataclass(frozen=True)
class Group:
    """Mutants, and what makes the cases that are to notice each of them."""

    mutants: tuple[Mutant, ...]
    cases: Callable[[], list[Case]]


GROUPS = {
    "queued": Group(QUEUED, queued_cases),
    "merge": Group(MERGE, merge_cases),
    "keys": Group(KEYS, key_cases),
    "records": Group(RECORDS, record_cases),
    "resolvers": Group(RESOLVERS, resolver_cases),
}
