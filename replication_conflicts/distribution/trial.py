"""Getting past refused commands, within one transaction of the database.

A command may be refused only because of the order: a unique value is taken by a row that a later
command removes, or a row is not there yet that it refers to. Such a command is kept aside, with
everything behind it about the same row, and tried again when others have acted, each by itself and
all that are about one row in one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from replication_conflicts.database.constraints import (
    checked,
    checked_at_the_end,
    may_be_written_anew,
)
from replication_conflicts.database.faults import (
    PRIMARY_KEY,
    UNIQUE,
    Fault,
    error_text,
    fault_of,
    is_decided_by_other_rows,
)
from replication_conflicts.database.images import json_text
from replication_conflicts.distribution.apply import AgentProblem, Node, apply, refusal
from replication_conflicts.distribution.ports import Refusal
from replication_conflicts.publication.commands import AgentCommand


class Trial:
    """Transactions that go to the database one after the other, to be committed together.

    `refusals` are final, their commands left out: no other row could let them act, or nothing that
    comes has (`hopeless`: ids of commands).
    """

    def __init__(self, connection: Connection, node: Node, hopeless: Collection[str]) -> None:
        self._connection = connection
        self._node = node
        self._hopeless = hopeless
        self._reasons: dict[str, Refusal] = {}
        self._turns: dict[str, int] = {}
        self._turn = 0
        self.changed = 0
        self.refusals: list[Refusal] = []
        self.aside: list[AgentCommand] = []

    @property
    def waiting(self) -> list[Refusal]:
        """Why commands are aside; some of those only stand behind others about their row."""
        ids = (command.command_id for command in self.aside)
        return [self._reasons[one] for one in ids if one in self._reasons]

    def has_waited(self, command_id: str) -> int:
        """For how many transactions a command has been aside."""
        return self._turn - self._turns[command_id]

    def take(self, commands: Sequence[AgentCommand]) -> None:
        """Carry out a transaction, and then what is aside and may act now."""
        self._turn += 1
        self._carry_out(commands)
        if self._may_help(commands):
            self._try_again()
        self._shorten()
        for article in {command.article for command in self.aside}:
            self._exchange([one for one in commands if one.article == article])

    def _carry_out(self, commands: Sequence[AgentCommand]) -> None:
        """All at once, or in halves: down to the commands that are refused."""
        waiting = {_row(command) for command in self.aside}
        self.aside += [command for command in commands if _row(command) in waiting]
        free = [command for command in commands if _row(command) not in waiting]
        if not free:
            return
        try:
            with checked(self._connection):
                changed = apply(self._connection, self._node, free)
        except DBAPIError as error:
            if fault_of(error) is not Fault.REFUSED:
                raise
            if len(free) == 1:
                self._refuse(free[0], error)
                return
            half = len(free) // 2
            self._carry_out(free[:half])
            self._carry_out(free[half:])
            return
        self.changed += changed

    def _refuse(self, command: AgentCommand, error: DBAPIError) -> None:
        if not command.changes_a_row:
            raise AgentProblem(f"{command.kind}: {error_text(error)}") from error
        if command.operation == "insert" and self._is_held(command):
            # somebody has written the row since the statement looked: once more, it does nothing
            self.changed += apply(self._connection, self._node, [command])
            return
        name = command.command_id
        if name in self._hopeless or not is_decided_by_other_rows(error):
            self.refusals.append(refusal(self._connection, self._node, command, error))
            return
        if name not in self._reasons:
            self._reasons[name] = refusal(self._connection, self._node, command, error)
            self._turns[name] = self._turn
        self.aside.append(command)

    def _is_held(self, command: AgentCommand) -> bool:
        table = self._node.tables[command.article]
        return table.is_held(self._connection, command.key or {})

    def _may_help(self, commands: Sequence[AgentCommand]) -> bool:
        """A taken key becomes free where a row of the table changes or goes; a reference may be
        met by any row.
        """
        changed = {one.article for one in commands if one.operation != "insert"}
        return any(
            one.error_code not in (PRIMARY_KEY, UNIQUE) or one.article in changed
            for one in self.waiting
        )

    def _try_again(self) -> None:
        """As long as it helps: one that acts may make room for another one."""
        while self.aside:
            waiting, self.aside = self.aside, []
            self._carry_out(waiting)
            if len(self.aside) == len(waiting):
                return

    def _shorten(self) -> None:
        """Rows about which several commands are aside: from the first version to the last in one.

        What the database refuses may be between them: a row that others refer to is gone until it
        is inserted again, or a row refers to one that is gone, until it goes itself.
        """
        is_shorter = False
        for chain in _chains(self.aside):
            if self._is_done_in_one(chain):
                self._take_off(chain)
                is_shorter = True
        if is_shorter:
            self._try_again()

    def _is_done_in_one(self, chain: Sequence[AgentCommand]) -> bool:
        net = _net(chain)
        try:
            with checked(self._connection):
                changed = self._node.tables.carry_out(self._connection, net)
                if changed == len(net):
                    self._node.capture.applied(self._connection, chain)
        except DBAPIError as error:
            if fault_of(error) is not Fault.REFUSED:
                raise
            return False
        self.changed += changed
        return changed == len(net)

    def _exchange(self, commands: Sequence[AgentCommand]) -> None:
        """Rows of one table that trade unique values: all are taken out before one is put back."""
        aside = {command.command_id for command in self.aside if command.operation == "update"}
        updates = [
            one for one in commands if one.command_id in aside and one.command_id in self._reasons
        ]
        if len(updates) < 2:
            return
        tables = self._node.tables
        article = tables[updates[0].article].article
        own_triggers = self._node.capture.own_triggers(article.name)
        if not may_be_written_anew(self._connection, article, own_triggers):
            return
        try:
            with checked_at_the_end(self._connection):
                taken_out = [
                    one
                    for one in updates
                    if tables.carry_out(self._connection, [replace(one, operation="delete")])
                ]
                put_back = [replace(one, operation="insert") for one in taken_out]
                changed = tables.carry_out(self._connection, put_back)
                self._node.capture.applied(self._connection, updates)
        except DBAPIError as error:
            if fault_of(error) is not Fault.REFUSED:
                raise
            return
        self.changed += changed
        self._take_off(updates)
        self._try_again()

    def _take_off(self, commands: Sequence[AgentCommand]) -> None:
        done = {command.command_id for command in commands}
        self.aside = [command for command in self.aside if command.command_id not in done]


def _chains(commands: Sequence[AgentCommand]) -> Iterator[list[AgentCommand]]:
    """Commands about one row, each of which begins with the version that the one before leaves."""
    chains: dict[tuple[str, str], list[AgentCommand]] = {}
    broken = set()
    for command in commands:
        if not command.changes_a_row:
            continue
        row = _row(command)
        chain = chains.setdefault(row, [])
        if chain and chain[-1].new_version != command.old_version:
            broken.add(row)
        if row not in broken:
            chain.append(command)
    return (chain for chain in chains.values() if len(chain) > 1)


def _net(chain: Sequence[AgentCommand]) -> list[AgentCommand]:
    """One command that does what the chain does in the end; none if the row only came and went."""
    before, after = chain[0].old_version, chain[-1].new_version
    if before is None and after is None:
        return []
    operation = "insert" if before is None else "delete" if after is None else "update"
    return [replace(chain[-1], operation=operation, old_version=before)]


def _row(command: AgentCommand) -> tuple[str, str]:
    return (command.article or "", json_text(command.key) or command.command_id)
