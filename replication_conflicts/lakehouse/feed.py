"""Where captures deliver: batches go into the publication's queue, the feeds are views of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from replication_conflicts.capture.ports import BatchMismatch, FeedBatch
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.lakehouse.queue_table import (
    APPLY_ERROR,
    CHANGE,
    QueueTable,
    batch_digest,
    queue_record,
)
from replication_conflicts.lakehouse.relations import (
    LakehouseProblem,
    Relations,
    make_events_table,
    quoted_name,
)
from replication_conflicts.lakehouse.subscriptions import check_subscriptions
from replication_conflicts.publication.feed import IMAGE, FeedRow, feed_columns
from replication_conflicts.publication.values import parse_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_REJECTED = (
    "the next build would reject what it sends for good (unknown_node). Add it to the project's"
    " `subscriptions`, build, and then upload; what waits stays where it is"
)


class LakehouseFeed:
    """Where `capture upload` delivers."""

    def __init__(
        self, spark: SparkSession, relations: Relations, publication: NodePublication
    ) -> None:
        self._spark = spark
        self._relations = relations
        self._schema = relations.feeds
        self._publication = publication
        self.queue = QueueTable(spark, relations, publication)
        self._is_ready = False
        self._has_views = False

    def deliver(self, node: str, batch: int, rows: Sequence[FeedRow]) -> None:
        """All rows of a batch, behind everything that is in the queue, in one commit."""
        self.deliver_together([FeedBatch(node, batch, rows)])

    def deliver_together(self, batches: Sequence[FeedBatch]) -> None:
        """Batches of several nodes, in their order, in one commit.

        Errors: LakehouseProblem where a node has no subscription; BatchMismatch.
        """
        self.prepare()
        there = self.queue.digests(batches)
        new: list[FeedBatch] = []
        for one in batches:
            known = there.get((one.node, one.number))
            if known is None:
                if any(node == one.node and number > one.number for node, number in there):
                    raise BatchMismatch.of(one.node, one.number)
                new.append(one)
            elif known != batch_digest([str(row.values["change_id"]) for row in one.rows]):
                raise BatchMismatch.of(one.node, one.number)
        self._check_subscriptions({one.node for one in new})
        if self._publication.is_merge:
            self._check_numbers([one for one in new if (one.node, one.number - 1) not in there])
        if new:
            rows = [(row, one.number) for one in new for row in one.rows]
            records = [
                {**queue_record(self._publication, row, batch), "ordinal": number}
                for number, (row, batch) in enumerate(rows)
            ]
            self.queue.append(CHANGE, records)

    def has_batch(self, node: str, first: int) -> bool:
        """Whether the queue has a batch of a node with this number, or a later one."""
        return self.queue.has_batch(node, first)

    def _check_subscriptions(self, nodes: set[str]) -> None:
        """What a node without one sends is rejected for good. Errors: LakehouseProblem."""
        check_subscriptions(self._spark, self._relations, self._publication, nodes, _REJECTED)

    def _check_numbers(self, first: Sequence[FeedBatch]) -> None:
        """Batches with nothing of their installation before them.

        Errors: BatchMismatch, see `check_numbers`.
        """
        last = self.queue.last_numbers({one.node for one in first}) if first else {}
        for one in first:
            check_numbers(one, last.get(one.node, 0))

    def append_refusals(self, refusals: Sequence[Mapping[str, object]]) -> None:
        """Refused commands get their place in the queue; one that has it keeps it.

        The articles' feeds may be made by something else.
        """
        self._prepare_queue()
        records = [
            {
                "ordinal": number,
                "node": one["subscriber"],
                **{name: one[name] for name in one if name != "subscriber"},
            }
            for number, one in enumerate(refusals)
        ]
        self.queue.append(APPLY_ERROR, records)

    # --- the relations

    def prepare(self) -> None:
        """Make the queue and the views, unless they are there as they should be."""
        self._prepare_queue()
        if not self._has_views:
            for article in self._publication.articles.values():
                self._prepare_view(article)
        self._has_views = True

    def _prepare_queue(self) -> None:
        """Make the queue, and what reports of subscribers go to."""
        if self._is_ready:
            return
        self._spark.sql(f"create schema if not exists {self._schema}")
        self.queue.make()
        make_events_table(self._spark, self._relations)
        self._make_view(
            f"{self._schema}.{self._publication.name}__apply_errors",
            "select queue_position, node as subscriber, command_id, article, key, operation,"
            f" error_code, error_text, row from {self.queue.name} where entry = '{APPLY_ERROR}'",
        )
        self._is_ready = True

    def _prepare_view(self, article: NodeArticle) -> None:
        name = f"{self._schema}.{self._publication.name}__{article.name}"
        contract = [f"`{column}`" for column in feed_columns(self._publication.options)]
        own = [
            f"{_typed(column, kind)} as {quoted_name(column)}"
            for column, kind in article.shape.columns.items()
        ]
        query = (
            f"select {', '.join([*contract, *own])} from {self.queue.name}"
            f" where entry = '{CHANGE}' and article = '{article.name}'"
        )
        self._make_view(name, query)

    def _make_view(self, name: str, query: str) -> None:
        if self._spark.catalog.tableExists(name):
            if not self._is_own(name):
                raise LakehouseProblem(
                    f"{name} is there, and something else fills it: captured changes come as a view"
                    f" of {self.queue.name}. Give it another name, or captures a publication of"
                    " their own. Do not drop it while it holds changes that a full refresh would"
                    " need."
                )
            there = dict(self._spark.table(name).dtypes)
            wanted = dict(self._spark.sql(query).dtypes)
            # who has an older configuration leaves columns and wider types that came since
            if all(_is_held(there.get(column), kind) for column, kind in wanted.items()):
                return
        self._spark.sql(f"create or replace view {name} as {query}")

    def _is_own(self, name: str) -> bool:
        """Whether it is a view of the queue: not a feed that somebody else has made."""
        rows = self._spark.sql(f"describe table extended {name}").collect()
        facts = {str(row[0]): str(row[1]) for row in rows}
        return facts.get("Type") == "VIEW" and f" from {self.queue.name} " in facts.get(
            "View Text", ""
        )


def check_numbers(batch: FeedBatch, last: int) -> None:
    """The first batch of an installation, and the highest number that its node has sent before.

    Errors: BatchMismatch where the database counts its versions anew: all nodes know these numbers,
    and nobody would take the changes for new ones.
    """
    for row in batch.rows:
        lineage = row.values.get("lineage")
        # an image is a row as the node has it, of an earlier number, too
        if row.values["operation"] == IMAGE or not isinstance(lineage, Mapping):
            continue
        number = lineage[batch.node]
        if number <= last:
            raise BatchMismatch(
                f"the database counts the versions of {batch.node} anew: a change of"
                f" {row.article} is {batch.node}:{number}, and the feed has changes up to"
                f" {batch.node}:{last}, so that it would be taken for an earlier one. Rows were"
                " changed, or taken as inserts, before the first `distribute` of this installation."
                " To go on: `capture remove --discard`, `capture install --existing-rows snapshot`,"
                " `distribute --initialize`; then make the changes again."
            )


def _typed(column: str, spark_type: str) -> str:
    """The value behind a canonical text, as the article's type."""
    text = f"row[{json.dumps(column, ensure_ascii=False)}]"
    kind = spark_type.strip().lower()
    if kind == "binary":
        return f"try_to_binary({text}, 'base64')"
    if kind.startswith(("array", "map", "struct")):
        return f"from_json({text}, '{spark_type}')"
    return f"cast({text} as {spark_type})"


def _is_held(there: str | None, wanted: str) -> bool:
    """Whether a column of the view, of that type if it is there, has all values of another type."""
    if there is None or there == wanted:
        return there == wanted
    return parse_type(there).is_wider_than(parse_type(wanted))
