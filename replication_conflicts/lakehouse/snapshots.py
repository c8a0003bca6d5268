"""Rows to start over with: published tables at a Delta version, and the initial rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.dbt_build import spark_message
from replication_conflicts.distribution.ports import FirstRows
from replication_conflicts.lakehouse.finished_run import last_run
from replication_conflicts.lakehouse.queue_table import QueueTable
from replication_conflicts.lakehouse.relations import (
    LakehouseProblem,
    Relations,
    canonical_sql,
    older_configuration,
    quoted_name,
)
from replication_conflicts.publication.commands import AgentCommand, SnapshotTable
from replication_conflicts.publication.rows import SnapshotRow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# what the table of an article's versions has beside its columns
_VERSION_METADATA = frozenset(
    {
        "row_key",
        "row_version",
        "version_node",
        "version_change_id",
        "is_deleted",
        "lineage",
        "merge_version",
        "queue_position",
        "changed_at",
        "run_sequence",
    }
)


class LakehouseSnapshots:
    """Published tables at a Delta version, and the rows that every node starts with.

    Of an article that has a row filter for the node, its part of the rows.
    """

    def __init__(
        self, spark: SparkSession, relations: Relations, publication: NodePublication, node: str
    ) -> None:
        self._spark = spark
        self._relations = relations
        self._publication = publication
        self._node = node

    def rows(self, command: AgentCommand) -> Iterator[SnapshotRow]:
        """The snapshot that a `reinitialize` command names, parents first.

        Errors: LakehouseProblem where it cannot be read.
        """
        try:
            yield from self._snapshot(command.snapshot)
        except Exception as error:
            message = spark_message(error)
            if message is None:
                raise
            raise LakehouseProblem(
                f"the snapshot of the command {command.command_id} cannot be read. If `vacuum` has"
                f" removed it, {self._way_on()}. Spark says: {message}"
            ) from error

    def _way_on(self) -> str:
        """What leads past a snapshot that is gone: no command comes before it is taken."""
        if self._publication.options.has_row_filters:
            # the first rows are those of the last run
            return (
                "start over: `capture remove --discard`, `capture install --existing-rows"
                " snapshot`, `distribute --initialize`"
            )
        return (
            f"{self._node} cannot go on: add a subscription of another name, build, and start over"
            " as that: `capture remove --discard`, `capture install --existing-rows snapshot`,"
            " `distribute --initialize`"
        )

    def first_rows(self) -> FirstRows:
        """The initial rows, to be followed by all commands.

        Where an article has row filters, be it for others, commands are written for each
        subscriber: runs before the first that knew this one have sent it nothing. So it begins with
        its part of the published rows, where something has been decided.
        Errors: LakehouseProblem where no run knows it yet, or the last one is not finished.
        """
        if self._publication.options.has_row_filters:
            run = last_run(self._spark, self._relations, self._publication, self._node)
            if run is not None:
                return FirstRows(self._snapshot(run.tables), run.place)
        return FirstRows(self.initial_rows(self._publication.articles))

    def initial_rows(self, articles: Collection[str]) -> Iterator[SnapshotRow]:
        """The rows of these articles' initial snapshots; those without one start empty.

        Errors: LakehouseProblem where there is no such table.
        """
        relations = {
            name: f"{self._relations.initial}.{self._publication.name}__{name}"
            for name, article in self._publication.options.articles.items()
            if name in articles and article.has_initial_rows
        }
        for name, relation in relations.items():
            if not self._spark.catalog.tableExists(relation):
                raise LakehouseProblem(
                    f"there is no {relation}, with whose rows article '{name}' begins "
                    "(initial_snapshot). Load it, or name its schema: --initial"
                )
        return self._initial_rows(relations)

    def _initial_rows(self, relations: Mapping[str, str]) -> Iterator[SnapshotRow]:
        """`relations`: by article."""
        for name, article in self._publication.articles.items():
            if name in relations:
                for row in self._read(article, f"select * from {relations[name]}"):
                    yield self._with_initial_lineage(row)

    def last_number(self, node: str) -> int:
        """The highest version number of what a node has sent, decided or not."""
        return QueueTable(self._spark, self._relations, self._publication).last_number(node)

    def _snapshot(self, snapshot: Iterable[SnapshotTable]) -> Iterator[SnapshotRow]:
        tables = {table.article: table for table in snapshot}
        for name, article in self._publication.articles.items():
            if name not in tables:
                # the article has come since, and whatever was decided about it comes later, too
                yield from self.initial_rows([name])
                continue
            table = tables[name]
            found = self._spark.table(table.relation).columns
            unknown = set(found) - article.kinds.keys() - _VERSION_METADATA
            if unknown:
                raise older_configuration(name, unknown)
            yield from self._read(
                article,
                f"select * from {table.relation} version as of {table.table_version}"
                " where not is_deleted",
            )

    def _with_initial_lineage(self, row: SnapshotRow) -> SnapshotRow:
        """Under merge replication all nodes know the version of an initial row, and no other."""
        node, _, number = row.version.rpartition(":")
        if not self._publication.is_merge or row.lineage or not number.isdigit():
            return row
        return replace(row, lineage={node: int(number)})

    def _read(self, article: NodeArticle, query: str) -> Iterator[SnapshotRow]:
        frame = self._spark.sql(query)
        there = {name.lower() for name in frame.columns}
        lineage = "lineage" if "lineage" in frame.columns else "cast(null as map<string,bigint>)"
        columns = [
            # a snapshot of before the article got the column
            quoted_name(name)
            if name.lower() in there
            else f"cast(null as {kind}) as {quoted_name(name)}"
            for name, kind in article.shape.columns.items()
        ]
        # a row filter sees the article's columns alone, whatever they are called
        rows = frame.selectExpr(
            *columns, "row_version as `version of it`", f"{lineage} as `lineage of it`"
        )
        row_filter = self._publication.options.articles[article.name].row_filters.get(self._node)
        if row_filter is not None:
            rows = rows.where(row_filter)
        texts = [
            f"{canonical_sql(name, kind)} as `text {number}`"
            for number, (name, kind) in enumerate(article.shape.columns.items())
        ]
        selected = rows.selectExpr(*texts, "`version of it`", "`lineage of it`")
        for row in selected.toLocalIterator():
            *values, version, known = tuple(row)
            row_texts = dict(zip(article.shape.columns, values, strict=True))
            yield SnapshotRow(article.name, row_texts, str(version), known or {})
