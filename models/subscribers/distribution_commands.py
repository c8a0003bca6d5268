"""What each subscriber must do to equal the publisher, computed from the decision log.

One row per command. A command acts at a subscriber only where the row still has the version that
the command names in `old_version` (NULL: no such row); elsewhere the subscriber has a change of its
own under way, and the decision about that change brings what it lacks. So a command that is applied
twice does nothing the second time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from replication_conflicts.statements import article_shapes, parameter_name

# the order of the kinds inside a transaction: what the transaction did, what undoes it, and then
# the record of the conflict
KIND_ORDER = {"replicated": 0, "compensating": 1, "reinitialize": 2, "log_conflict": 3}


def operation_between(old_version: Column, new_version: Column) -> Column:
    """The statement that leads from one version of a row to another; NULL stands for 'no row'."""
    return (
        f.when(new_version.isNull(), "delete")
        .when(old_version.isNull(), "insert")
        .otherwise("update")
    )


def replicated(outcomes: DataFrame) -> DataFrame:
    """Every applied change, for all subscribers: the version before it becomes the one after it."""
    return outcomes.where("is_written").select(
        "*",
        f.lit(None).cast("string").alias("subscriber"),
        f.col("node").alias("origin"),
        f.lit("replicated").alias("kind"),
        f.col("held_version").alias("from_version"),
        f.col("publisher_version").alias("to_version"),
        f.when(f.col("publisher_version").isNotNull(), f.col("change_row")).alias("row"),
        f.col("change_id").alias("cause"),
    )


def compensating(outcomes: DataFrame) -> DataFrame:
    """Every rejected change, for its node: the change's version becomes the publisher's.

    Nothing where neither side holds the row. A subscription that is to be reinitialized gets its
    snapshot instead.
    """
    undone = outcomes.where("outcome = 'rejected' and policy <> 'publisher_wins_reinitialize'")
    return undone.where("new_version is not null or publisher_version is not null").select(
        "*",
        f.col("node").alias("subscriber"),
        f.coalesce("winner_node", "node").alias("origin"),
        f.lit("compensating").alias("kind"),
        f.when(f.col("operation") != "delete", f.col("new_version")).alias("from_version"),
        f.col("publisher_version").alias("to_version"),
        f.col("held_row").alias("row"),
        f.coalesce("conflict_id", "change_id").alias("cause"),
    )


def conflict_records(outcomes: DataFrame, publications: DataFrame) -> DataFrame:
    """Every conflict whose record is kept at the node that lost, with the row that it lost."""
    kept = outcomes.join(publications.select("publication", "publisher"), "publication").where(
        "conflict_id is not null and conflict_logging in ('subscriber', 'both')"
        " and loser_node <> publisher"
        " and not (outcome = 'rejected' and policy = 'publisher_wins_reinitialize')"
    )
    lost_row = f.when(f.col("is_written"), f.col("held_row")).when(
        f.col("operation") != "delete", f.col("change_row")
    )
    return kept.drop("publisher").select(
        "*",
        f.col("loser_node").alias("subscriber"),
        f.col("winner_node").alias("origin"),
        f.lit("log_conflict").alias("kind"),
        f.lit(None).cast("string").alias("from_version"),
        f.lit(None).cast("string").alias("to_version"),
        lost_row.alias("row"),
        f.col("conflict_id").alias("cause"),
    )


def in_order(commands: DataFrame) -> DataFrame:
    """Adds `sequence`, the order of the commands of one transaction, counted from 1.

    Inserts and updates go parents first, deletes children first, and the changes of one row stay in
    their order: along them a phase rises whenever a delete follows an insert or update, or the
    other way round. Even phases insert and update, odd ones delete.
    """
    row = Window.partitionBy(
        "publication", "transaction_position", "kind", "subscriber", "article", "row_key"
    ).orderBy("queue_position")
    is_delete = (f.col("command_operation") == "delete").cast("int")
    is_switch = f.when(is_delete != f.lag(is_delete, 1, 0).over(row), 1).otherwise(0)
    phased = commands.withColumn("is_switch", is_switch).withColumn(
        "phase", f.sum("is_switch").over(row)
    )
    depth = f.when(f.col("phase") % 2 == 0, f.col("depth")).otherwise(-f.col("depth"))
    kind_order = f.coalesce(
        *[f.when(f.col("kind") == kind, order) for kind, order in KIND_ORDER.items()]
    )
    transaction = Window.partitionBy("publication", "transaction_position").orderBy(
        kind_order, "phase", depth, f.col("change_position"), "subscriber"
    )
    return phased.withColumn("sequence", f.row_number().over(transaction))


def by_parameter(values: Column, columns: Iterable[str]) -> Column:
    """Values by column, by the names that the statements' parameters have."""
    renamed = {name: parameter_name(name) for name in columns if parameter_name(name) != name}
    if not renamed:
        return values
    names = f.create_map(*[f.lit(text) for pair in renamed.items() for text in pair])
    return f.transform_keys(values, lambda name, _: f.coalesce(f.try_element_at(names, name), name))


def row_commands(
    outcomes: DataFrame, articles: DataFrame, publications: DataFrame, columns: Iterable[str]
) -> DataFrame:
    """All commands about single rows, one per row, in the columns of the model.

    `columns`: the names of all columns of all articles.
    """
    commands = (
        replicated(outcomes)
        .unionByName(compensating(outcomes))
        .unionByName(conflict_records(outcomes, publications))
        .join(
            articles.select("publication", "article", "primary_key", "depth"),
            ["publication", "article"],
        )
        .withColumn("change_position", f.col("queue_position"))
        .withColumn(
            "command_operation",
            f.when(
                f.col("kind") != "log_conflict",
                operation_between(f.col("from_version"), f.col("to_version")),
            ),
        )
    )
    key = f.map_filter("change_row", lambda name, _: f.array_contains("primary_key", name))
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
        key.alias("key"),
        "row",
        f.col("from_version").alias("old_version"),
        f.col("to_version").alias("new_version"),
        f.lit(None).cast("map<string,bigint>").alias("lineage"),
        "cause",
        f.when(
            f.col("kind") != "log_conflict",
            f.map_concat(by_parameter(f.coalesce("row", key), columns), versions),
        ).alias("parameters"),
        f.lit(None).cast(SNAPSHOT).alias("snapshot"),
        f.lit(None).cast("bigint").alias("snapshot_position"),
        "run_sequence",
    )


SNAPSHOT = "array<struct<article:string,relation:string,table_version:bigint>>"


def reinitialize_commands(reinitializations: DataFrame) -> DataFrame:
    """One command per subscription that a conflict has marked: take the snapshot that it names."""
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
        f.lit(1).alias("sequence"),
        nothing.cast("string").alias("article"),
        nothing.cast("string").alias("operation"),
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
            "where": "is_written or (outcome = 'rejected' and (rule = 'publisher_wins_reinitialize'"
            " or (policy <> 'publisher_wins_reinitialize'"
            " and (operation <> 'delete' or publisher_version is not null))))",
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
    articles = article_shapes(dbt.config.meta_get("publications"))
    commands = row_commands(
        outcomes,
        dbt.ref("configured_articles"),
        dbt.ref("configured_publications"),
        {name for article in articles for name in article.columns},
    )
    return commands.unionByName(reinitialize_commands(reinitializations))
