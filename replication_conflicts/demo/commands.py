"""Commands of all nodes of a publication, read at once: each node's agent takes its own.

A demo's commands fit into memory, and its nodes synchronize at the same time; an agent by itself
reads windows of its commands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.lakehouse.commands import is_behind, is_for
from replication_conflicts.lakehouse.relations import Relations
from replication_conflicts.publication.commands import (
    RECORD_KINDS,
    AgentCommand,
    Place,
    command_from_record,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COLUMNS = (*(field.name for field in fields(AgentCommand)), "subscriber")


class ListedCommands:
    """One node's commands, in their order."""

    def __init__(self, commands: Sequence[AgentCommand] = ()) -> None:
        self._commands = commands

    def after(self, place: Place) -> Iterator[AgentCommand]:
        """All commands behind a place in the queue."""
        return (command for command in self._commands if command.place > place)

    def reach(self, place: Place) -> bool:
        """The demo's databases began with its warehouse."""
        return True

    @property
    def are_whole(self) -> bool:
        """The demo's publications have no row filters."""
        return True

    def records(self, place: Place) -> Iterator[AgentCommand]:
        """Conflicts that the node lost up to a place, and commands to start over."""
        known = (one for one in self._commands if one.kind in RECORD_KINDS)
        return (one for one in known if one.place <= place)

    def count(self, place: Place) -> int:
        """How many commands there are behind a place in the queue."""
        return sum(1 for _ in self.after(place))


def read_commands(
    spark: SparkSession,
    relations: Relations,
    publication: NodePublication,
    places: Mapping[str, Place],
) -> dict[str, ListedCommands]:
    """For each node of `places` what stands behind its place; the publisher is one of them."""
    from pyspark.sql import functions as f

    publisher = publication.options.publisher
    is_wanted = f.lit(False)
    for node, place in places.items():
        if node != publisher:
            is_wanted |= (f.col("subscriber") == node) & is_behind(place)
    is_mine = f.col("publication") == publication.name
    columns = [f.col(name) for name in _COLUMNS]
    found = (
        spark.table(f"{relations.published}.subscriber_commands")
        .where(is_mine & is_wanted)
        .select(columns)
    )
    if publisher in places:
        everybodys = spark.table(f"{relations.published}.distribution_commands").where(
            is_mine & is_for(publisher) & is_behind(places[publisher])
        )
        found = found.unionAll(
            everybodys.withColumn("subscriber", f.lit(publisher)).select(columns)
        )
    # as one text a command: Spark hands over a map entry by entry
    texts = found.orderBy("queue_position", "sequence").select(f.to_json(f.struct(columns)))
    commands: dict[str, list[AgentCommand]] = {node: [] for node in places}
    for (one,) in texts.collect():
        record = json.loads(one)
        commands[record["subscriber"]].append(command_from_record(record))
    return {node: ListedCommands(own) for node, own in commands.items()}
