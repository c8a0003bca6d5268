"""What each subscriber must do to equal the publisher, computed from the decision log.

One row per command. A command acts at a subscriber only where the row still has the version that
the command names in `old_version` (NULL: no such row); elsewhere the subscriber has a change of its
own under way, and the decision about that change brings what it lacks. So a command that is applied
twice does nothing the second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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

# what changes no row
WITHOUT_STATEMENT = ["not_applied", "log_conflict"]

# failed changes that stay where they were made: as their articles ask, or as the articles of their
# logical record do
IS_KEPT = (
    "replication = 'merge' and outcome in ('failed', 'rejected')"
    " and coalesce(is_kept_at_node, not compensate_for_errors)"
)

# rejected changes that a snapshot makes right, not a command. A transaction that breaks a
# constraint marks no subscription: it is compensated under every policy
IS_LEFT_TO_SNAPSHOT = (
    "outcome = 'rejected' and policy <=> 'publisher_wins_reinitialize'"
    " and rule <> 'condemned_with_failure'"
)

# changes that are undone at their node, or completed there with what they were merged with; those
# of the publisher too, whose own database takes commands like any other. Rows that a node has moved
# out of its own partition go there
IS_UNDONE = (
    "(replication = 'queued' and outcome in ('rejected', 'failed')"
    f" and not ({IS_LEFT_TO_SNAPSHOT}))"
    " or (replication = 'queued' and is_written"
    " and publisher_version is not null and to_version is null)"
    " or (replication = 'merge'"
    " and outcome not in ('already_known', 'already_deleted')"
    " and if(outcome in ('failed', 'rejected'), not is_kept, is_downloaded or node = publisher)"
    " and not new_version <=> to_version)"
)

# decisions of people and refused commands are not changes of a node
IS_DECISION = "coalesce(rule in ('submit_winner', 'submit_loser', 'remove'), false)"
IS_REFUSED = "rule <=> 'refused_command'"

# a person has submitted a failed change that its node keeps: what that has becomes what was decided
IS_SUBMITTED = "rule <=> 'submit_loser' and is_written and new_version is not null"

# deletes by the system: what never became a row of the publisher, and what a run itself takes away,
# because a subscriber refused it or because another logical record won
IS_SYSTEM_DELETE = (
    f"{IS_REFUSED} or outcome is null"
    " or (kind = 'compensating' and operation = 'insert' and outcome in ('failed', 'rejected'))"
)


def operation_between(old_version: Column, new_version: Column) -> Column:
    """The statement that leads from one version of a row to another; NULL stands for 'no row'."""
    return (
        f.when(new_version.isNull(), "delete")
        .when(old_version.isNull(), "insert")
        .otherwise("update")
    )


def tombstone_type() -> Column:
    """Why a command deletes its row: 1 a user did, 5 it left the partition, 6 the system did."""
    return f.when(
        f.col("command_operation") == "delete",
        f.when(f.col("publisher_version").isNotNull(), 5)
        .when(f.expr(IS_SYSTEM_DELETE), 6)
        .otherwise(1),
    )


def lineage() -> Column:
    """What the subscriber knows of the row afterwards: nothing of one that leaves its partition."""
    is_leaving = f.col("to_version").isNull() & f.col("publisher_version").isNotNull()
    is_about_row = ~f.col("kind").isin(WITHOUT_STATEMENT) & ~is_leaving
    return f.when(is_about_row, f.col("publisher_lineage"))


def origin() -> Column:
    """The node whose change a command carries to all; what a person decides is the publisher's."""
    return (
        f.when(f.expr(IS_DECISION), f.col("publisher"))
        .when(f.expr(IS_REFUSED), f.col("loser_node"))
        .otherwise(f.col("node"))
    )


def replicated(outcomes: DataFrame) -> DataFrame:
    """Every applied change: the version before it becomes the one after it.

    For all subscribers; for the publisher's own database alone where they get no download, or each
    gets its partition.
    """
    is_for_all = f.col("is_downloaded") & f.col("filtered_subscribers").isNull()
    written = outcomes.where(
        "is_written and (held_version is not null or publisher_version is not null)"
    )
    return written.select(
        "*",
        f.when(~is_for_all, f.col("publisher")).alias("subscriber"),
        origin().alias("origin"),
        f.lit("replicated").alias("kind"),
        f.col("held_version").alias("from_version"),
        f.col("publisher_version").alias("to_version"),
        f.when(
            f.col("publisher_version").isNotNull(), f.coalesce("merged_row", "change_row")
        ).alias("row"),
        f.col("change_id").alias("cause"),
    )


def replicated_in_partitions(outcomes: DataFrame, subscriptions: DataFrame) -> DataFrame:
    """Every applied change of an article with row filters, cut to each subscriber's partition.

    A row that enters the partition is an insert there, one that leaves it a delete.
    """
    written = outcomes.where("is_written and is_downloaded and filtered_subscribers is not null")
    addressed = written.join(subscriptions.select("publication", "subscriber"), "publication")
    cut = addressed.withColumns(
        {
            "from_version": f.when(
                is_inside("partitions_before", f.col("subscriber")), f.col("held_version")
            ),
            "to_version": f.when(
                is_inside("partitions_after", f.col("subscriber")), f.col("publisher_version")
            ),
        }
    )
    return cut.where("from_version is not null or to_version is not null").select(
        *outcomes.columns,
        "subscriber",
        origin().alias("origin"),
        f.lit("replicated").alias("kind"),
        "from_version",
        "to_version",
        f.when(f.col("to_version").isNotNull(), f.coalesce("merged_row", "change_row")).alias(
            "row"
        ),
        f.col("change_id").alias("cause"),
    )


def is_inside(partitions: str, subscriber: Column) -> Column:
    """Whether a row lies in a subscriber's partition; one without a row filter has every row."""
    return (
        f.col("filtered_subscribers").isNull()
        | ~f.array_contains("filtered_subscribers", subscriber)
        | f.array_contains(partitions, subscriber)
    )


def compensating(outcomes: DataFrame) -> DataFrame:
    """Every change that was not applied as it came, for its node: what it made is made good.

    The change's version becomes the publisher's. Of a failed change that its node keeps it does so
    when a person has submitted it.
    Nothing where neither side holds the row. A subscription that is to be reinitialized gets its
    snapshot instead; a change that failed and is not to be undone stays where it was made.
    """
    addressee = f.when(f.expr(IS_SUBMITTED), f.col("loser_node")).otherwise(f.col("node"))
    to_version = f.when(is_inside("partitions_after", addressee), f.col("publisher_version"))
    decided = outcomes.withColumn("to_version", to_version)
    is_left = f"{IS_DECISION} or (replication = 'queued' and {IS_REFUSED})"
    is_undone = f"({IS_UNDONE}) and not ({is_left})"
    undone = decided.where(f"({is_undone}) or ({IS_SUBMITTED})").where(
        "new_version is not null or to_version is not null"
    )
    return undone.select(
        "*",
        addressee.alias("subscriber"),
        f.when(f.expr(IS_DECISION), f.col("publisher"))
        .otherwise(f.coalesce("winner_node", "node"))
        .alias("origin"),
        f.lit("compensating").alias("kind"),
        f.when(f.col("operation") != "delete", f.col("new_version")).alias("from_version"),
        f.when(f.col("to_version").isNotNull(), f.coalesce("merged_row", "held_row")).alias("row"),
        f.coalesce("conflict_id", "change_id").alias("cause"),
    )


def not_applied(outcomes: DataFrame) -> DataFrame:
    """Every failed change that its node is to upload again: the command names the change."""
    nothing = f.lit(None).cast("string")
    failed = outcomes.where(f"is_kept and not {IS_REFUSED}")
    return failed.select(
        "*",
        f.col("node").alias("subscriber"),
        f.col("winner_node").alias("origin"),
        f.lit("not_applied").alias("kind"),
        nothing.alias("from_version"),
        nothing.alias("to_version"),
        f.lit(None).cast("map<string,string>").alias("row"),
        f.col("change_id").alias("cause"),
    )


def conflict_records(outcomes: DataFrame) -> DataFrame:
    """Every conflict whose record is kept at the node that lost, with the row that it lost."""
    kept = outcomes.where(
        "conflict_id is not null and conflict_logging in ('subscriber', 'both')"
        " and loser_node <> publisher"
    )
    is_change_loser = f.col("loser_change_id").eqNullSafe(f.col("change_id"))
    lost_row = f.when(~is_change_loser, f.col("held_row")).when(
        f.col("operation") != "delete", f.col("change_row")
    )
    return kept.select(
        "*",
        f.col("loser_node").alias("subscriber"),
        f.col("winner_node").alias("origin"),
        f.lit("log_conflict").alias("kind"),
        f.lit(None).cast("string").alias("from_version"),
        f.lit(None).cast("string").alias("to_version"),
        lost_row.alias("row"),
        f.col("conflict_id").alias("cause"),
    )


def placed_behind(outcomes: DataFrame) -> DataFrame:
    """Adds `place_behind`: 0, or for what acts behind its place its number there.

    A session of merge replication that the queue had passed acts behind a place as a whole: its
    changes have the number of its first one.
    """
    own_number = f.greatest(f.col("queue_position") - f.col("transaction_position"), f.lit(0))
    session = ["publication", "node", "transaction_id", "transaction_position", "run_sequence"]
    first_numbers = (
        outcomes.where("queue_position > transaction_position and transaction_id is not null")
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
        f.col("change_position"),
        # rows that a run writes for a change share its place, and stand behind it
        f.col("outcome").isNull(),
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
    return (
        commands.withColumn("is_delete", is_delete)
        .withColumn(
            "leaves_at",
            f.when(
                f.col("is_delete") & ~f.lead("is_delete", 1, True).over(row),
                f.col("queue_position"),
            ),
        )
        .withColumn(
            "returns_at",
            f.when(
                ~f.col("is_delete") & f.lag("is_delete", 1, False).over(row),
                f.col("queue_position"),
            ),
        )
        .withColumn("is_followed", f.lead(f.lit(True), 1, False).over(row))
        .withColumn("left_before", f.max("leaves_at").over(earlier))
        .withColumn("returned_before", f.max("returns_at").over(earlier))
        .withColumn(
            "begins_at",
            f.when(
                f.col("left_before") >= f.coalesce("returned_before", "left_before"),
                f.col("returns_at"),
            ),
        )
        .withColumn("part", f.max("begins_at").over(so_far))
    )


def in_last_part(commands: DataFrame, transaction_columns: Sequence[str]) -> DataFrame:
    """Moves to the last part of their transaction what need not stand before it.

    In its own part stays what has another command of its row behind it; an update or a delete that
    may let go of a row above, which is deleted behind it and comes back; and an insert that such an
    update may need.
    """
    transaction = Window.partitionBy(*transaction_columns, "kind")
    leaving_depth = f.when(f.col("leaves_at").isNotNull(), f.col("depth"))
    is_letting_go = (
        f.col("command_operation").isin("update", "delete")
        & (f.max("leaves_at").over(transaction) > f.col("queue_position"))
        & (f.min(leaving_depth).over(transaction) < f.col("depth"))
    )
    is_early_update = (f.col("command_operation") == "update") & f.col("is_early")
    last_early_update = f.max(f.when(is_early_update, f.col("queue_position"))).over(transaction)
    is_needed = (f.col("command_operation") == "insert") & (
        last_early_update > f.col("queue_position")
    )
    return (
        commands.withColumn(
            "is_early", f.col("is_followed") | f.coalesce(is_letting_go, f.lit(False))
        )
        .withColumn("is_early", f.col("is_early") | f.coalesce(is_needed, f.lit(False)))
        .withColumn(
            "part",
            f.when(f.col("is_early"), f.col("part")).otherwise(f.max("part").over(transaction)),
        )
    )


def by_parameter(values: Column, columns: Iterable[str]) -> Column:
    """Values by column, by the names that the statements' parameters have."""
    renamed = {name: parameter_name(name) for name in columns if parameter_name(name) != name}
    if not renamed:
        return values
    names = f.create_map(*[f.lit(text) for pair in renamed.items() for text in pair])
    return f.transform_keys(values, lambda name, _: f.coalesce(f.try_element_at(names, name), name))


@dataclass(frozen=True)
class Configuration:
    """What is configured, as relations: articles, publications and subscriptions.

    `columns`: the names of all columns of all articles.
    """

    articles: DataFrame
    publications: DataFrame
    subscriptions: DataFrame
    columns: Sequence[str]

    def beside(self, outcomes: DataFrame) -> DataFrame:
        """Outcomes with what their articles and publications ask for."""
        articles = self.articles.select(
            "publication",
            "article",
            "primary_key",
            "column_names",
            "depth",
            "compensate_for_errors",
            "filtered_subscribers",
            "is_downloaded",
        )
        publications = self.publications.select("publication", "publisher")
        beside = outcomes.join(articles, ["publication", "article"]).join(
            publications, "publication"
        )
        return beside.withColumn("is_kept", f.coalesce(f.expr(IS_KEPT), f.lit(False)))


def whole_row() -> Column:
    """The row of a command, with all columns of its article.

    A run that died may have decided before the article got one of them.
    """
    names = f.col("column_names")
    values = f.transform(names, lambda name: f.col("row")[name])
    is_short = f.col("row").isNotNull() & (f.size("row") < f.size(names))
    return f.when(is_short, f.map_from_arrays(names, values)).otherwise(f.col("row"))


def row_commands(outcomes: DataFrame, configuration: Configuration) -> DataFrame:
    """All commands about single rows, one per row, in the columns of the model."""
    configured = configuration.beside(placed_behind(outcomes))
    commands = (
        replicated(configured)
        .unionByName(replicated_in_partitions(configured, configuration.subscriptions))
        .unionByName(compensating(configured))
        .unionByName(not_applied(configured))
        .unionByName(conflict_records(configured))
        .withColumn("row", whole_row())
        .withColumn("change_position", f.col("queue_position"))
        .withColumn(
            "command_operation",
            f.when(
                ~f.col("kind").isin(WITHOUT_STATEMENT),
                operation_between(f.col("from_version"), f.col("to_version")),
            ),
        )
        .withColumn(
            "key",
            f.map_filter("change_row", lambda name, _: f.array_contains("primary_key", name)),
        )
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
        "key",
        "row",
        f.col("from_version").alias("old_version"),
        f.col("to_version").alias("new_version"),
        lineage().alias("lineage"),
        "cause",
        f.when(
            ~f.col("kind").isin(WITHOUT_STATEMENT),
            f.map_concat(by_parameter(f.coalesce("row", "key"), configuration.columns), versions),
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
    outcomes = dbt.ref("change_outcomes")
    reinitializations = dbt.ref("reinitializations")
    if dbt.is_incremental:
        last = session.table(f"{dbt.this}").agg(
            f.coalesce(f.max("run_sequence"), f.lit(0)).alias("last_sequence")
        )
        outcomes = outcomes.join(
            f.broadcast(last), f.col("run_sequence") > f.col("last_sequence")
        ).drop("last_sequence")
        reinitializations = reinitializations.join(
            f.broadcast(last), f.col("run_sequence") > f.col("last_sequence")
        ).drop("last_sequence")
    # dbt finds the names of what is asked of `meta` only in plain calls
    articles = article_shapes(dbt.config.meta_get("publications"))
    configuration = Configuration(
        articles=dbt.ref("configured_articles"),
        publications=dbt.ref("configured_publications"),
        subscriptions=dbt.ref("subscriptions"),
        columns=sorted({name for article in articles for name in article.columns}),
    )
    commands = row_commands(outcomes, configuration)
    return commands.unionByName(reinitialize_commands(reinitializations))
