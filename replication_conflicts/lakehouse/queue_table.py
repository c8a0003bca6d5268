"""The publication's queue: one Delta table, and the places of what is added to it.

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
from functools import reduce
from typing import TYPE_CHECKING

from replication_conflicts.capture.ports import FeedBatch
from replication_conflicts.database.articles import NodePublication
from replication_conflicts.dbt_build import spark_message
from replication_conflicts.lakehouse.relations import LakehouseProblem, Relations
from replication_conflicts.publication.feed import QUEUE_POSITION, FeedRow, feed_columns
from replication_conflicts.publication.values import timestamp_text

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
# which rows say once more what is there, of one node and one kind of entry
_IS_SAME = {
    CHANGE: "there.change_id = new.change_id",
    APPLY_ERROR: "there.command_id = new.command_id",
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


class QueueTable:
    """The table of a publication's queue. `name`: the relation."""

    def __init__(
        self, spark: SparkSession, relations: Relations, publication: NodePublication
    ) -> None:
        self.name = f"{relations.feeds}.{publication.name}_queue"
        self._spark = spark
        self._log = f"{relations.published}.change_outcomes"
        self._publication = publication

    def make(self) -> None:
        """Make the table, unless it is there, in a schema that is there."""
        columns = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
        self._spark.sql(
            f"create table if not exists {self.name} ({columns}) using delta"
            " tblproperties ('delta.isolationLevel' = 'Serializable')"
        )

    def last_number(self, node: str) -> int:
        """The highest version number of what a node has sent; 0 without any. Makes nothing."""
        if not self._spark.catalog.tableExists(self.name):
            return 0
        return self.last_numbers([node]).get(node, 0)

    def last_numbers(self, nodes: Collection[str]) -> dict[str, int]:
        """The highest version numbers of what nodes have sent."""
        from pyspark.sql import functions as f

        found = (
            self._spark.table(self.name)
            .where((f.col("entry") == CHANGE) & f.col("batch").isNotNull())
            .where(f.col("node").isin(*nodes))
            .groupBy("node")
            .agg(f.expr("max(lineage[node])").alias("last"))
        )
        return {row["node"]: row["last"] or 0 for row in found.collect()}

    def has_batch(self, node: str, first: int) -> bool:
        """Whether it has a batch of a node with this number, or a later one. Makes nothing."""
        from pyspark.sql import functions as f

        if not self._spark.catalog.tableExists(self.name):
            return False
        is_later = (f.col("node") == node) & (f.col("batch") >= first)
        found = self._spark.table(self.name).where((f.col("entry") == CHANGE) & is_later)
        return not found.isEmpty()

    def digests(self, batches: Sequence[FeedBatch]) -> dict[tuple[str, int], str]:
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
            self._spark.table(self.name)
            .where((f.col("entry") == CHANGE) & is_one)
            .groupBy("node", "batch")
            .agg(f.sha2(f.concat_ws("\n", ids), 256).alias("digest"))
        )
        return {(row["node"], row["batch"]): row["digest"] for row in found.collect()}

    def append(self, entry: str, records: Sequence[Mapping[str, object]]) -> None:
        """Add records of a kind of entry, in the order of `ordinal`, that are not there yet.

        A merge reads the table that it writes: of two at the same time Delta refuses the second,
        which then finds the places that the first has given. Errors: LakehouseProblem where that
        happens again and again.
        """
        frame = records_frame(self._spark, records)
        for attempt in range(_ATTEMPTS):
            # of two that pause, one comes first
            time.sleep(_PAUSE_SECONDS * attempt * random.uniform(0.5, 1.5))
            try:
                if self._is_appended(entry, frame):
                    return
            except Exception as error:
                if not _CONCURRENT.search(spark_message(error) or ""):
                    raise
        raise LakehouseProblem(
            f"others write to {self.name} all the time, or remove rows from it: nothing was added"
            f" in {_ATTEMPTS} attempts. Nothing is lost: call this again when they have ended"
        )

    def _is_appended(self, entry: str, frame: DataFrame) -> bool:
        """Add what is not there yet; False where rows were removed in the meantime."""
        is_whole = self.is_whole()
        statement = self._append_statement(entry, self._last_place(is_whole=is_whole))
        # a view of its own: uploads of other publications go on beside this one
        done = self._spark.sql(statement, records=frame).collect()[0]
        return bool(done["num_inserted_rows"]) or not is_whole or self.is_whole()

    def _append_statement(self, entry: str, last_place: str) -> str:
        names = ", ".join(_COLUMNS)
        given = [name for name in _COLUMNS if name not in _GIVEN]
        selected = ", ".join(f"records.{name}" for name in given)
        return (
            f"merge into {self.name} as there using ("
            f" select last.position + row_number() over (order by records.ordinal)"
            f" as queue_position, '{entry}' as entry, {selected}"
            f" from {{records}} as records cross join ({last_place}) as last"
            f") as new on there.entry = '{entry}' and there.node = new.node and {_IS_SAME[entry]}"
            f" when not matched then insert ({names}) values ("
            + ", ".join(f"new.{name}" for name in _COLUMNS)
            + ")"
        )

    def is_whole(self) -> bool:
        """Whether no row was removed from the queue, so that its last place is behind all taken."""
        found = self._spark.table(self.name).selectExpr(f"{_IS_WHOLE} as whole")
        return bool(found.collect()[0]["whole"])

    def _last_place(self, *, is_whole: bool) -> str:
        """The query of the place that is counted on from, for the merge itself to read.

        What is decided may be removed from the queue, and a change behind a lower place would be
        late: so the places that runs have taken count, too. The log of these is large, and is not
        read where the queue is whole; one that is not any more when the merge reads it gives no
        place, and so nothing is added.
        """
        if is_whole:
            return f"select max(queue_position) as position from {self.name} having {_IS_WHOLE}"
        places = f"select queue_position as place from {self.name}"
        if self._spark.catalog.tableExists(self._log):
            places += (
                f" union all select transaction_position as place from {self._log}"
                f" where publication = '{self._publication.name}'"
            )
        return f"select coalesce(max(place), 0) as position from ({places})"


def batch_digest(change_ids: Sequence[str]) -> str:
    """What tells a batch from another one with its number."""
    return hashlib.sha256("\n".join(sorted(change_ids)).encode()).hexdigest()


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
    return reduce(lambda one, other: one.unionAll(other), frames)


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
