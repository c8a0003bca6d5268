"""Runs of the pipeline as cases wait for them, and cases that are played side by side."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar


@dataclass(frozen=True)
class RunDue:
    """A case waits for a run; with texts, for one that must fail with an error that holds them."""

    error_texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunDone:
    """What became of the run that a case waited for; `changed` are tables with a new version."""

    success: bool
    errors: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


Player = Generator[RunDue, RunDone, None]
"""Acts for a case, and waits whenever a run is due. Errors: CaseFailure."""


class CaseFailure(Exception):
    """A case cannot go on: a step is impossible, or a run did not do what it must."""


class Playing(Hashable, Protocol):
    """A case that is being played."""

    def run_finished(self) -> None:
        """A run has taken what the case had delivered."""


Play = TypeVar("Play", bound=Playing)


def play_in_waves(
    players: Mapping[Play, Player], run: Callable[[Mapping[Play, RunDue]], RunDone]
) -> tuple[list[Play], dict[Play, str]]:
    """Plays cases side by side: whenever all that are left wait for a run, there is one for all.

    Gives the cases that came to their end, and for the others why they did not.
    """
    finished: list[Play] = []
    failures: dict[Play, str] = {}
    done: dict[Play, RunDone | None] = dict.fromkeys(players)
    while done:
        due: dict[Play, RunDue] = {}
        for play, answer in done.items():
            try:
                player = players[play]
                due[play] = next(player) if answer is None else player.send(answer)
            except StopIteration:
                finished.append(play)
            except CaseFailure as failure:
                failures[play] = str(failure)
        if not due:
            break
        answer = run(due)
        if answer.success:
            for play in due:
                play.run_finished()
        done = dict.fromkeys(due, answer)
    return finished, failures
