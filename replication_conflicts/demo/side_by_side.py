"""One task for several publications at once: Spark has more than one core."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_T = TypeVar("_T")


def side_by_side(task: Callable[..., _T], *arguments: Iterable[object]) -> list[_T]:
    """What a task gives for each set of arguments, in their order; the first error is raised.

    Errors: ValueError where one kind of argument has more values than another.
    """
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda one: task(*one), zip(*arguments, strict=True)))
