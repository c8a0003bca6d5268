"""The demo's stories at simulated nodes, which give the same feed on every target.

Databases make versions and ids of their own each time: what came of two such demos could not be
compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from replication_conflicts.dbt_build import DbtBuild
from replication_conflicts.demo.lakehouse import RELATIONS, Lakehouse
from replication_conflicts.demo.publications import STORIES, publication_options
from replication_conflicts.nodes import (
    Command,
    Node,
    StoredRow,
    command_from_record,
    publication_from_vars,
)
from replication_conflicts.nodes.tables import (
    append_feed,
    append_initial,
    create_table,
    feed_table_columns,
    table_name,
)
from replication_conflicts.workload import Settings, Workload

_FIRST = ("build", "--exclude-resource-type", "test", "unit_test")
_NEXT = (*_FIRST, "seed", "--exclude", "config.materialized:view", "command_statements")


class LoopError(Exception):
    """The loop cannot go on; the message says why."""


class SimulatedLoop:
    """Deliveries and builds until nothing is left; `tell` is told the seconds of every build.

    Only queued updating is played: a simulated publisher of merge replication would need more than
    rows and versions of what was published. Feeds of other publications are there, and empty.
    """

    def __init__(
        self, project: Path, dbt: DbtBuild, settings: Settings, tell: Callable[[float], None]
    ) -> None:
        options = publication_options(project)
        self._dbt = dbt
        self._tell = tell
        self._workloads = [
            Workload(
                story,
                publication_from_vars(story.publication, options[story.publication]),
                settings,
            )
            for story in STORIES
        ]
        self._played = [one for one in self._workloads if not one.publication.is_merge]
        self._deliveries = settings.deliveries
        self.lakehouse = Lakehouse(dbt.spark)

    def play(self) -> list[str]:
        """The subscribers whose rows are not the publisher's at the end."""
        self._start()
        number = 0
        while number <= self._deliveries or any(one.has_pending for one in self._played):
            number += 1
            self._round(_FIRST if number == 1 else _NEXT)
        return [
            f"{workload.publication.name}/{name}"
            for workload in self._played
            for name, node in workload.subscribers.items()
            if _held(node) != _held(workload.publisher)
        ]

    def _start(self) -> None:
        spark = self.lakehouse.spark
        self.lakehouse.clear()
        for schema in (RELATIONS.feeds, RELATIONS.initial):
            spark.sql(f"create schema if not exists {schema}")
        for workload in self._workloads:
            publication = workload.publication
            for name, article in publication.articles.items():
                columns = feed_table_columns(publication, article)
                create_table(spark, table_name(RELATIONS.feeds, publication, name), columns)
            append_initial(spark, RELATIONS.initial, publication, workload.initial)

    def _round(self, command: Sequence[str]) -> None:
        deliveries = [workload.delivery() for workload in self._played]
        for workload, delivery in zip(self._played, deliveries, strict=True):
            spark = self.lakehouse.spark
            append_feed(spark, RELATIONS.feeds, workload.publication, delivery.rows)
        result = self._dbt.run(*command)
        if not result.success:
            raise LoopError("dbt build failed:\n  " + "\n  ".join(result.errors))
        self._tell(result.seconds)
        for workload, delivery in zip(self._played, deliveries, strict=True):
            commands = {name: list(self._commands(workload, name)) for name in delivery.online}
            workload.answer(self._published(workload), commands)

    def _commands(self, workload: Workload, subscriber: str) -> Iterator[Command]:
        """All that the subscriber may have; what it has had before does nothing."""
        for row in self.lakehouse.rows(
            f"select * from {RELATIONS.published}.subscriber_commands"
            f" where publication = '{workload.publication.name}' and subscriber = '{subscriber}'"
            " order by queue_position, sequence"
        ):
            yield command_from_record(workload.publication, row)

    def _published(self, workload: Workload) -> Iterator[StoredRow]:
        for name, article in workload.publication.articles.items():
            columns = ", ".join(f"cast(`{column}` as string)" for column in article.columns)
            table = table_name(RELATIONS.published, workload.publication, name)
            for row in self.lakehouse.rows(f"select {columns}, row_version from {table}"):
                *values, version = row.values()
                texts = {
                    column: None if value is None else str(value)
                    for column, value in zip(article.columns, values, strict=True)
                }
                yield StoredRow(name, article.from_texts(texts), str(version))


def _held(node: Node) -> dict[tuple[str, object], object]:
    """A node's rows by article and key, with their versions."""
    return {
        (name, article.key_of(row)): node.held(name, article.key_of(row))
        for name, article in node.publication.articles.items()
        for row in node.rows(name)
    }
