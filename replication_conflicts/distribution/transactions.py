"""Commands that act together: the transactions of the queue, and how many are committed at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, groupby

from replication_conflicts.publication.commands import REINITIALIZE, AgentCommand, Place


@dataclass(frozen=True)
class Transaction:
    """Commands that are applied together: those of one place in the queue, in their order."""

    place: Place
    commands: tuple[AgentCommand, ...]

    @property
    def reinitialize(self) -> AgentCommand | None:
        """The command to take a snapshot, if the transaction holds one."""
        return next((one for one in self.commands if one.kind == REINITIALIZE), None)


def in_transactions(commands: Iterable[AgentCommand]) -> Iterator[Transaction]:
    """Group commands that come in order; nothing is read ahead but the next command."""
    for place, group in groupby(commands, key=lambda command: command.place):
        ordered = sorted(group, key=lambda command: command.sequence)
        yield Transaction(place, tuple(ordered))


class Upcoming:
    """Transactions in their order, which can be looked at before it is their turn."""

    def __init__(self, transactions: Iterable[Transaction] = ()) -> None:
        self._unread = iter(transactions)
        self._read: deque[Transaction] = deque()

    def ahead(self) -> Iterator[Transaction]:
        """The next ones, each time from the first; only what is asked for is read."""
        for number in count():
            if number == len(self._read):
                found = next(self._unread, None)
                if found is None:
                    return
                self._read.append(found)
            yield self._read[number]

    def done(self, place: Place) -> None:
        """Those up to a place have had their turn."""
        while self._read and self._read[0].place <= place:
            self._read.popleft()


def in_batches(
    transactions: Iterable[Transaction], most_transactions: int, most_commands: int = 5_000
) -> Iterator[list[Transaction]]:
    """Transactions to commit together; one that holds `reinitialize` stands alone."""
    batch: list[Transaction] = []
    size = 0
    for transaction in transactions:
        is_full = len(batch) >= most_transactions or size >= most_commands
        if batch and (is_full or transaction.reinitialize):
            yield batch
            batch, size = [], 0
        batch.append(transaction)
        size += len(transaction.commands)
        if transaction.reinitialize:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
