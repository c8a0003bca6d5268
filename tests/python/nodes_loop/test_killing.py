"""The crash tests notice more than crashes."""

from __future__ import annotations

import random
import time

import pytest

from tests.python.nodes_loop import killing
from tests.python.nodes_loop.killing import killed


def hangs() -> None:
    time.sleep(60)


@pytest.mark.parametrize("how", ["commit", "statement"])
def test_a_process_that_hangs_is_no_victim(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deadlock would count as one more kill."""
    monkeypatch.setattr(killing, "_LONGEST_SECONDS", 0.2)
    dice = random.Random(0)
    monkeypatch.setattr(dice, "choice", lambda _: how)
    with pytest.raises(AssertionError, match="hangs"):
        killed(hangs, dice)


def test_a_process_that_is_killed_at_a_moment_is_a_victim(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(0)
    monkeypatch.setattr(dice, "choice", lambda _: "moment")
    assert killed(hangs, dice)
