"""The publication's queue as one Delta table, and the feeds as views of it.

One table, so that a batch with changes of several articles arrives in one commit: a run sees all of
it or nothing, and no change is late because another article's came first.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import time
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from replication_conflicts.capture.ports import BatchMismatch, FeedBatch
from replication_conflicts.database.articles import NodeArticle, NodePublication
from replication_conflicts.dbt_build import spark_message
from replication_conflicts.lakehouse.relations import (
    LakehouseProblem,
    Relations,
    make_events_table,
    quoted_name,
)
from replication_conflicts.lakehouse.subscriptions import check_subscriptions
from replication_conflicts.publication.feed import IMAGE, QUEUE_POSITION, FeedRow, feed_columns
from replication_conflicts.publication.values import parse_type, timestamp_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CHANGE = "change"
APPLY_ERROR = "apply_error"
_COLUMNS = {
    "queue_position": "bigint",
    "entry": "string",
    "node": "string",
    "batch": "bigint",
    "article": "string",
    "change_id": "string",
    "transaction_id": "string",
    "transaction_change_count": "int",
    "operation": "string",
    "changed_at": "timestamp",
    "old_version": "string",
    "new_version": "string",
    "lineage": "map<string,bigint>",
    "known_position": "bigint",
    "changed_columns": "array<string>",
    "previous_values": "map<string,string>",
    "priority": "decimal(5,2)",
    "row": "map<string,string>",
    "command_id": "string",
    "key": "map<string,string>",
    "error_code": "int",
    "error_text": "string",
}
# what the queue gives: the rest comes with a record
_GIVEN = ("queue_position", "entry")
_RECORD = ", ".join(
    f"{name}: {kind}" for name, kind in {"ordinal": "int", **_COLUMNS}.items() if name not in _GIVEN
)
_ROWS_A_LITERAL = 2_000
# places count from 1; a batch that comes twice may leave gaps, for which the log is read, too
_IS_WHOLE = "count(*) > 0 and count(*) = max(queue_position)"
_ATTEMPTS = 5
_PAUSE_SECONDS = 0.3
# as Delta calls what comes from another writer
_CONCURRENT = re.compile(
    r"DELTA_(CONCURRENT|METADATA_CHANGED)|(Concurrent\w+|MetadataChanged)Exception"
)
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
        self._queue = f"{self._schema}.{publication.name}_queue"
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
        there = self._digests(batches)
        new: list[FeedBatch] = []
        for one in batches:
            known = there.get((one.node, one.number))
            if known is None:
                if any(node == one.node and number > one.number for node, number in there):
                    raise BatchMismatch(_not_alone(one))
                new.append(one)
            elif known != batch_digest([str(row.values["change_id"]) for row in one.rows]):
                raise BatchMismatch(_not_alone(one))
        self._check_subscriptions({one.node for one in new})
        if self._publication.is_merge:
            self._check_numbers([one for one in new if (one.node, one.number - 1) not in there])
        if new:
            rows = [(row, one.number) for one in new for row in one.rows]
            records = [
                {**queue_record(self._publication, row, batch), "ordinal": number}
                for number, (row, batch) in enumerate(rows)
            ]
            self._append(CHANGE, records, "there.change_id = new.change_id")

    def _check_subscriptions(self, nodes: set[str]) -> None:
        """What a node without one sends is rejected for good. Errors: LakehouseProblem."""
        check_subscriptions(self._spark, self._relations, self._publication, nodes, _REJECTED)

    def last_number(self, node: str) -> int:
        """The highest version number of what a node has sent; 0 without any. Makes nothing."""
        if not self._spark.catalog.tableExists(self._queue):
            return 0
        return self._last_numbers([node]).get(node, 0)

    def _check_numbers(self, first: Sequence[FeedBatch]) -> None:
        """Batches with nothing of their installation before them.

        Errors: BatchMismatch, see `check_numbers`.
        """
        last = self._last_numbers({one.node for one in first}) if first else {}
        for one in first:
            check_numbers(one, last.get(one.node, 0))

    def _last_numbers(self, nodes: Collection[str]) -> dict[str, int]:
        """The highest version numbers of what nodes have sent."""
        from pyspark.sql import functions as f

        found = (
            self._spark.table(self._queue)
            .where((f.col("entry") == CHANGE) & f.col("batch").isNotNull())
            .where(f.col("node").isin(*nodes))
            .groupBy("node")
            .agg(f.expr("max(lineage[node])").alias("last"))
        )
        return {row["node"]: row["last"] or 0 for row in found.collect()}

    def _digests(self, batches: Sequence[FeedBatch]) -> dict[tuple[str, int], str]:
        """What the feed has of batches, the one before, and later ones, by node and number.

        As `batch_digest` says it: the ids themselves stay where they are.
        """
        from pyspark.sql import functions as f

        is_one = f.lit(False)
        for one in batches:
            is_one |= (f.col("node") == one.node) & (f.col("batch") >= one.number - 1)
        # Spark orders texts by their bytes, which is the order of their characters
        ids = f.sort_array(f.collect_list("change_id"))
        found = (
            self._spark.table(self._queue)
            .where((f.col("entry") == CHANGE) & is_one)
            .groupBy("node", "batch")
            .agg(f.sha2(f.concat_ws("\n", ids), 256).alias("digest"))
        )
        return {(row["node"], row["batch"]): row["digest"] for row in found.collect()}

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
        self._append(APPLY_ERROR, records, "there.command_id = new.command_id")

    def _append(self, entry: str, records: Sequence[Mapping[str, object]], is_same: str) -> None:
        """Add what is not there yet.

        A merge reads the table that it writes: of two at the same time Delta refuses the second,
        which then finds the places that the first has given.
        """
        frame = records_frame(self._spark, records)
        for attempt in range(_ATTEMPTS):
            # of two that pause, one comes first
            time.sleep(_PAUSE_SECONDS * attempt * random.uniform(0.5, 1.5))
            try:
                if self._is_appended(entry, frame, is_same):
                    return
            except Exception as error:
                if not _CONCURRENT.search(spark_message(error) or ""):
                    raise
        raise LakehouseProblem(
            f"others write to {self._queue} all the time, or remove rows from it: nothing was added"
            f" in {_ATTEMPTS} attempts. Nothing is lost: call this again when they have ended"
        )

    def _is_appended(self, entry: str, frame: DataFrame, is_same: str) -> bool:
        """Add what is not there yet; False where rows were removed in the meantime."""
        is_whole = self._is_whole()
        statement = self._append_statement(entry, is_same, self._last_place(is_whole=is_whole))
        # a view of its own: uploads of other publications go on beside this one
        done = self._spark.sql(statement, records=frame).collect()[0]
        return bool(done["num_inserted_rows"]) or not is_whole or self._is_whole()

    def _append_statement(self, entry: str, is_same: str, last_place: str) -> str:
        names = ", ".join(_COLUMNS)
        given = [name for name in _COLUMNS if name not in _GIVEN]
        selected = ", ".join(f"records.{name}" for name in given)
        return (
            f"merge into {self._queue} as there using ("
            f" select last.position + row_number() over (order by records.ordinal)"
            f" as queue_position, '{entry}' as entry, {selected}"
            f" from {{records}} as records cross join ({last_place}) as last"
            f") as new on there.entry = '{entry}' and there.node = new.node and {is_same}"
            f" when not matched then insert ({names}) values ("
            + ", ".join(f"new.{name}" for name in _COLUMNS)
            + ")"
        )

    def _is_whole(self) -> bool:
        """Whether no row was removed from the queue, so that its last place is behind all taken."""
        found = self._spark.table(self._queue).selectExpr(f"{_IS_WHOLE} as whole")
        return bool(found.collect()[0]["whole"])

    def _last_place(self, *, is_whole: bool) -> str:
        """The query of the place that is counted on from, for the merge itself to read.

        What is decided may be removed from the queue, and a change behind a lower place would be
        late: so the places that runs have taken count, too. The log of these is large, and is not
        read where the queue is whole; one that is not any more when the merge reads it gives no
        place, and so nothing is added.
        """
        if is_whole:
            return f"select max(queue_position) as position from {self._queue} having {_IS_WHOLE}"
        places = f"select queue_position as place from {self._queue}"
        log = f"{self._relations.published}.change_outcomes"
        if self._spark.catalog.tableExists(log):
            places += (
                f" union all select transaction_position as place from {log}"
                f" where publication = '{self._publication.name}'"
            )
        return f"select coalesce(max(place), 0) as position from ({places})"

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
        columns = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
        self._spark.sql(
            f"create table if not exists {self._queue} ({columns}) using delta"
            " tblproperties ('delta.isolationLevel' = 'Serializable')"
        )
        make_events_table(self._spark, self._relations)
        self._make_view(
            f"{self._schema}.{self._publication.name}__apply_errors",
            "select queue_position, node as subscriber, command_id, article, key, operation,"
            f" error_code, error_text, row from {self._queue} where entry = '{APPLY_ERROR}'",
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
            f"select {', '.join([*contract, *own])} from {self._queue}"
            f" where entry = '{CHANGE}' and article = '{article.name}'"
        )
        self._make_view(name, query)

    def _make_view(self, name: str, query: str) -> None:
        if self._spark.catalog.tableExists(name):
            if not self._is_own(name):
                raise LakehouseProblem(
                    f"{name} is there, and something else fills it: captured changes come as a view"
                    f" of {self._queue}. Give it another name, or captures a publication of their"
                    " own. Do not drop it while it holds changes that a full refresh would need."
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
        return facts.get("Type") == "VIEW" and f" from {self._queue} " in facts.get("View Text", "")


def _not_alone(batch: FeedBatch) -> str:
    return (
        f"the feed has another batch {batch.number} of {batch.node}, or a later one: the database"
        " was set back, or two databases are the same node. To go on with it: `capture remove`, and"
        " `capture install` anew."
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


def records_frame(spark: SparkSession, records: Sequence[Mapping[str, object]]) -> DataFrame:
    """Records of the queue as a relation; literals, because Python workers take long to start."""
    from pyspark.sql import functions as f

    frames = [
        spark.range(1).select(
            f.inline(
                f.from_json(
                    f.lit(json.dumps(records[start : start + _ROWS_A_LITERAL])),
                    f"array<struct<{_RECORD}>>",
                )
            )
        )
        for start in range(0, len(records), _ROWS_A_LITERAL)
    ]
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.unionAll(frame)
    return whole


def queue_record(
    publication: NodePublication, row: FeedRow, batch: int | None
) -> dict[str, object]:
    """A change as a record of the queue's table; `batch` is None for what no capture has sent."""
    article = publication.article(row.article)
    own = {name: row.values[name] for name in article.kinds if name in row.values}
    texts = {name: article.kinds[name].to_text(value) for name, value in own.items()}  # type: ignore[arg-type]
    known = {
        name: row.values.get(name)
        for name in feed_columns(publication.options)
        if name not in (QUEUE_POSITION, "changed_at", "priority")
    }
    moment, priority = row.values["changed_at"], row.values.get("priority")
    return {
        **known,
        "batch": batch,
        "article": article.name,
        "changed_at": timestamp_text(moment),  # type: ignore[arg-type]
        "priority": None if priority is None else str(priority),
        "row": texts,
    }


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


def batch_digest(change_ids: Sequence[str]) -> str:
    """What tells a batch from another one with its number."""
    return hashlib.sha256("\n".join(sorted(change_ids)).encode()).hexdigest()
