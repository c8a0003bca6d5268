"""Generated publications and workloads for tests against the sequential reader.

`case_from_seed` gives the same case for the same seed, for soak runs; `cases` is the hypothesis
strategy over the same generator, so that a failure is shrunk.
"""

from tests.python.strategies.cases import (
    Case,
    Delivery,
    Step,
    case_from_seed,
    cases,
    cut_again,
    with_places_of_their_own,
)
from tests.python.strategies.workload import Size

__all__ = [
    "Case",
    "Delivery",
    "Size",
    "Step",
    "case_from_seed",
    "cases",
    "cut_again",
    "with_places_of_their_own",
]
