"""What each subscriber must do to equal the publisher, computed from the decision log.

One row per command. A command acts at a subscriber only where the row still has the version that
the command names in `old_version` (NULL: no such row); elsewhere the subscriber has a change of its
own under way, and the decision about that change brings what it lacks. So a command that is applied
twice does nothing the second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from replication_conflicts.publication.commands import BEHIND_BITS
from replication_conflicts.statements import article_shapes, parameter_name

# the order of the kinds inside a transaction: what the transaction did, what undoes it, and then
# the record of the conflict
KIND_ORDER = {
    "replicated": 0,
    "compensating": 1,
    "not_applied": 2,
    "log_conflict": 3,
}

# the type of what `command` makes
COMMANDS = (
    "array<struct<kind:string,subscriber:string,origin:string,cause:string,"
    "from_version:string,to_version:string>>"
)

# what changes no row
WITHOUT_STATEMENT = ["not_applied", "log_conflict"]


def operation_between(old_version: Column, new_version: Column) -> Column:
    """The statement that leads from one version of a row to another; NULL stands for 'no row'."""
    return (
        f.when(new_version.isNull(), "delete")
        .when(old_version.isNull(), "insert")
        .otherwise("update")
    )


def tombstone_type() -> Column:
    """Why a command deletes its row: 1 a user did, 5 it left the partition, 6 the system did.

    The system deletes what never became a row of the publisher, and what a run itself takes away,
    because a subscriber refused it or because another logical record won.
    """
    is_of_system = (
        f.col("is_refused_command")
        | f.col("is_written_for_change")
        | ((f.col("kind") == "compensating") & f.col("is_unpublished_insert"))
    )
    return f.when(
        f.col("command_operation") == "delete",
        f.when(f.col("publisher_version").isNotNull(), 5).when(is_of_system, 6).otherwise(1),
    )


def lineage() -> Column:
    """What the subscriber knows of the row afterwards: nothing of one that leaves its partition."""
    is_leaving = f.col("to_version").isNull() & f.col("publisher_version").isNotNull()
    is_about_row = ~f.col("kind").isin(WITHOUT_STATEMENT) & ~is_leaving
    return f.when(is_about_row, f.col("publisher_lineage"))


def command(
    kind: str,
    subscriber: Column,
    origin: str,
    cause: Column,
    from_version: Column | None = None,
    to_version: Column | None = None,
) -> Column:
    """What tells one command of an outcome from another: a struct."""
    nothing = f.lit(None).cast("string")
    return f.struct(
        f.lit(kind).alias("kind"),
        subscriber.alias("subscriber"),
        f.col(origin).alias("origin"),
        cause.alias("cause"),
        (nothing if from_version is None else from_version).alias("from_version"),
        (nothing if to_version is None else to_version).alias("to_version"),
    )


def replicated() -> Column:
    """An applied change: the version before it becomes the one after it.

    For all subscribers; for the publisher's own database alone where they get no download, or each
    gets its partition.
    """
    return f.when(
        f.col("is_replicated"),
        command(
            "replicated",
            f.col("replicated_to"),
            "replicated_origin",
            f.col("change_id"),
            f.col("held_version"),
            f.col("publisher_version"),
        ),
    )


def replicated_in_partitions() -> Column:
    """An applied change of an article with row filters, cut to the partitions: an array.

    A row that enters the partition is an insert there, one that leaves it a delete.
    """

    def cut(partition: Column) -> Column:
        return command(
            "replicated",
            partition["subscriber"],
            "replicated_origin",
            f.col("change_id"),
            f.when(partition["is_inside_before"], f.col("held_version")),
            f.when(partition["is_inside_after"], f.col("publisher_version")),
        )

    def is_touched(one: Column) -> Column:
        return one["from_version"].isNotNull() | one["to_version"].isNotNull()

    return f.filter(f.transform("subscriber_partitions", cut), is_touched)


def compensating() -> Column:
    """A change that was not applied as it came, for its node: what it made is made good.

    The change's version becomes the publisher's. Of a failed change that its node keeps it does so
    when a person has submitted it.
    Nothing where neither side holds the row. A subscription that is to be reinitialized gets its
    snapshot instead; a change that failed and is not to be undone stays where it was made.
    """
    return f.when(
        f.col("is_compensated"),
        command(
            "compensating",
            f.col("compensated_node"),
            "compensated_origin",
            f.coalesce("conflict_id", "change_id"),
            f.when(f.col("operation") != "delete", f.col("new_version")),
            f.col("compensated_version"),
        ),
    )


def not_applied() -> Column:
    """A failed change that its node is to upload again: the command names the change."""
    return f.when(
        f.col("is_not_applied"),
        command("not_applied", f.col("node"), "winner_node", f.col("change_id")),
    )


def conflict_record() -> Column:
    """A conflict whose record is kept at the node that lost, with the row that it lost."""
    return f.when(
        f.col("is_logged_at_loser"),
        command("log_conflict", f.col("loser_node"), "winner_node", f.col("conflict_id")),
    )


def commands_of(outcomes: DataFrame) -> DataFrame:
    """One row per command of an outcome: the outcome's columns, those of `command`, and `row`.

    The log is read once for all kinds of commands.
    """
    one_each = f.array(replicated(), compensating(), not_applied(), conflict_record())
    in_partitions = f.coalesce(replicated_in_partitions(), f.array().cast(COMMANDS))
    made = f.concat(f.array_compact(one_each), in_partitions)
    row = f.when(f.col("kind") == "log_conflict", f.col("lost_row")).when(
        f.col("to_version").isNotNull(), f.col("publisher_row")
    )
    return outcomes.select("*", f.inline(made)).withColumn("row", row)


def placed_behind(outcomes: DataFrame, log: DataFrame) -> DataFrame:
    """Adds `place_behind`: 0, or for what acts behind its place its number there.

    A session of merge replication that the queue had passed acts behind a place as a whole: its
    changes have the number of its first one.
    """
    own_number = f.greatest(f.col("queue_position") - f.col("transaction_position"), f.lit(0))
    session = ["publication", "node", "transaction_id", "transaction_position", "run_sequence"]
    first_numbers = (
        log.where("queue_position > transaction_position and transaction_id is not null")
        .groupBy(*session)
        .agg(f.min(own_number).alias("first_number"))
    )
    return (
        outcomes.join(f.broadcast(first_numbers), session, "left")
        .withColumn("place_behind", f.coalesce("first_number", own_number))
        .drop("first_number")
    )


def in_order(commands: DataFrame) -> DataFrame:
    """Adds `sequence`, the order of the commands of one transaction, counted from 1.

    What acts behind the transaction, like a decision of a person, comes behind all of them.
    Inserts and updates go parents first, then deletes children first, part by part: as few commands
    as possible stand in another part than the last.

    A transaction's commands are brought together once, by a hash, which is also what sorts fastest.
    """
    transaction_columns = ["publication", "transaction_position", "place_behind"]
    commands = commands.withColumn("transaction_hash", f.xxhash64(*transaction_columns))
    commands = commands.repartition("transaction_hash")
    transaction_columns = ["transaction_hash", *transaction_columns]
    commands = in_last_part(in_parts(commands, transaction_columns), transaction_columns)
    depth = f.when(f.col("is_delete"), -f.col("depth")).otherwise(f.col("depth"))
    kind_order = f.coalesce(
        *[f.when(f.col("kind") == kind, order) for kind, order in KIND_ORDER.items()]
    )
    transaction = Window.partitionBy(*transaction_columns).orderBy(
        kind_order,
        "part",
        "is_delete",
        depth,
        "queue_position",
        # rows that a run writes for a change share its place, and stand behind it
        "is_written_for_change",
        "subscriber",
        "article",
        "row_key",
        # changes that share a place go by their ids
        "change_id",
    )
    number = f.row_number().over(transaction).cast("bigint")
    return commands.withColumn("sequence", number + f.shiftleft("place_behind", BEHIND_BITS))


def in_parts(commands: DataFrame, transaction_columns: Sequence[str]) -> DataFrame:
    """Adds `is_delete`, and `part`: the part of its transaction that a command is ordered in.

    A part begins where rows begin to come back that have been deleted, at any subscriber, and its
    number is its first place in the queue (the first part has none). So the delete of a key stands
    before an insert of the same key, and what refers to the new row stands behind its insert, as
    it did in the queue.
    """
    row = Window.partitionBy(
        *transaction_columns, "kind", "subscriber", "article", "row_key"
    ).orderBy("queue_position", "change_id")
    queue = Window.partitionBy(*transaction_columns, "kind").orderBy("queue_position")
    earlier = queue.rangeBetween(Window.unboundedPreceding, -1)
    so_far = queue.rangeBetween(Window.unboundedPreceding, Window.currentRow)
    is_delete = f.coalesce(f.col("command_operation") == "delete", f.lit(False))
    is_leaving = f.col("is_delete") & ~f.lead("is_delete", 1, True).over(row)
    is_returning = ~f.col("is_delete") & f.lag("is_delete", 1, False).over(row)
    begins_at = f.when(
        f.col("left_before") >= f.coalesce("returned_before", "left_before"), f.col("returns_at")
    )
    return (
        commands.withColumn("is_delete", is_delete)
        .withColumns(
            {
                "leaves_at": f.when(is_leaving, f.col("queue_position")),
                "returns_at": f.when(is_returning, f.col("queue_position")),
                "is_followed": f.lead(f.lit(True), 1, False).over(row),
            }
        )
        .withColumns(
            {
                "left_before": f.max("leaves_at").over(earlier),
                "returned_before": f.max("returns_at").over(earlier),
            }
        )
        .withColumn("begins_at", begins_at)
        .withColumn("part", f.max("begins_at").over(so_far))
    )


def in_last_part(commands: DataFrame, transaction_columns: Sequence[str]) -> DataFrame:
    """Moves to the last part of their transaction what need not stand before it.

    In its own part stays what has another command of its row behind it; an update or a delete that
    may let go of a row above, which is deleted behind it and comes back; and an insert that an
    insert or update which stays may need.
    """
    transaction = Window.partitionBy(*transaction_columns, "kind")
    leaving_depth = f.when(f.col("leaves_at").isNotNull(), f.col("depth"))
    is_letting_go = (
        f.col("command_operation").isin("update", "delete")
        & (f.max("leaves_at").over(transaction) > f.col("queue_position"))
        & (f.min(leaving_depth).over(transaction) < f.col("depth"))
    )
    is_write = f.col("command_operation").isin("insert", "update")
    last_write_that_stays = f.max(
        f.when(is_write & f.col("stays_by_itself"), f.col("queue_position"))
    ).over(transaction)
    is_needed = (f.col("command_operation") == "insert") & (
        last_write_that_stays > f.col("queue_position")
    )
    return (
        commands.withColumn(
            "stays_by_itself", f.col("is_followed") | f.coalesce(is_letting_go, f.lit(False))
        )
        .withColumn("stays", f.col("stays_by_itself") | f.coalesce(is_needed, f.lit(False)))
        .withColumn(
            "part",
            f.when(f.col("stays"), f.col("part")).otherwise(f.max("part").over(transaction)),
        )
    )


def by_parameter(values: Column, columns: Iterable[str]) -> Column:
    """Values by column, by the names that the statements' parameters have."""
    renamed = {name: parameter_name(name) for name in columns if parameter_name(name) != name}
    if not renamed:
        return values
    names = f.create_map(*[f.lit(text) for pair in renamed.items() for text in pair])
    return f.transform_keys(values, lambda name, _: f.coalesce(f.try_element_at(names, name), name))


def row_commands(placed: DataFrame, columns: Iterable[str]) -> DataFrame:
    """All commands about single rows, one per row, in the columns of the model.

    `placed`: outcomes, with `place_behind`. `columns`: the names of all columns of all articles.
    """
    commands = commands_of(placed).withColumn(
        "command_operation",
        f.when(
            ~f.col("kind").isin(WITHOUT_STATEMENT),
            operation_between(f.col("from_version"), f.col("to_version")),
        ),
    )
    versions = f.create_map(
        f.lit("old_version"), f.col("from_version"), f.lit("new_version"), f.col("to_version")
    )
    return in_order(commands).select(
        f.md5(f.to_json(f.struct("publication", "change_id", "kind", "subscriber"))).alias(
            "command_id"
        ),
        "publication",
        "subscriber",
        "origin",
        "kind",
        "transaction_id",
        f.col("transaction_position").alias("queue_position"),
        "sequence",
        "article",
        f.col("command_operation").alias("operation"),
        tombstone_type().alias("tombstone_type"),
        f.col("key_values").alias("key"),
        "row",
        f.col("from_version").alias("old_version"),
        f.col("to_version").alias("new_version"),
        lineage().alias("lineage"),
        "cause",
        f.when(
            ~f.col("kind").isin(WITHOUT_STATEMENT),
            f.map_concat(by_parameter(f.coalesce("row", "key_values"), columns), versions),
        ).alias("parameters"),
        f.lit(None).cast(SNAPSHOT).alias("snapshot"),
        f.lit(None).cast("bigint").alias("snapshot_position"),
        "run_sequence",
    )


SNAPSHOT = "array<struct<article:string,relation:string,table_version:bigint>>"


def reinitialize_commands(reinitializations: DataFrame) -> DataFrame:
    """One command per subscription that a conflict has marked: take the snapshot that it names.

    Its `sequence` is 1, like that of the first record of a conflict of its place: those lie behind
    no snapshot, and their subscriber does not get them beside it.
    """
    nothing = f.lit(None)
    return reinitializations.select(
        f.md5(
            f.to_json(
                f.struct(
                    "publication", "change_id", f.lit("reinitialize").alias("kind"), "subscriber"
                )
            )
        ).alias("command_id"),
        "publication",
        "subscriber",
        nothing.cast("string").alias("origin"),
        f.lit("reinitialize").alias("kind"),
        "transaction_id",
        f.col("transaction_position").alias("queue_position"),
        f.lit(1).cast("bigint").alias("sequence"),
        nothing.cast("string").alias("article"),
        nothing.cast("string").alias("operation"),
        nothing.cast("int").alias("tombstone_type"),
        nothing.cast("map<string,string>").alias("key"),
        nothing.cast("map<string,string>").alias("row"),
        nothing.cast("string").alias("old_version"),
        nothing.cast("string").alias("new_version"),
        nothing.cast("map<string,bigint>").alias("lineage"),
        f.col("change_id").alias("cause"),
        nothing.cast("map<string,string>").alias("parameters"),
        f.col("snapshot").cast(SNAPSHOT).alias("snapshot"),
        "snapshot_position",
        "run_sequence",
    )


def model(dbt: Any, session: SparkSession) -> DataFrame:
    """The dbt model: the commands of the runs that are in the decision log and not yet here."""
    dbt.config(
        materialized="ledger",
        submission_method="session",
        news={
            "model": "change_outcomes",
            "by": "run_sequence",
            "where": "is_written or outcome in ('lost', 'failed', 'waiting', 'same_value')"
            " or (outcome = 'rejected' and (conflict_id is not null"
            " or (policy <> 'publisher_wins_reinitialize' and publisher_version is not null)))",
        },
    )
    is_news = f.col("run_sequence") > dbt.last_run
    log = dbt.ref("change_outcomes").where(is_news)
    outcomes = placed_behind(dbt.ref("distributed_outcomes").where(is_news), log)
    reinitializations = dbt.ref("reinitializations").where(is_news)
    # dbt finds the names of what is asked of `meta` only in plain calls
    articles = article_shapes(dbt.config.meta_get("publications"))
    columns = sorted({name for article in articles for name in article.columns})
    return row_commands(outcomes, columns).unionByName(reinitialize_commands(reinitializations))
