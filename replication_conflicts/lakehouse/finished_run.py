"""What the last run has left, for a node that begins where it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from replication_conflicts.database.articles import NodePublication
from replication_conflicts.lakehouse.relations import LakehouseProblem, Relations
from replication_conflicts.publication.commands import BEHIND_BITS, Place, SnapshotTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class FinishedRun:
    """`tables`: the published rows, with their Delta versions; `place`: the last place in the queue
    of a command that it, or a run before it, has written.
    """

    tables: tuple[SnapshotTable, ...]
    place: Place


def last_run(
    spark: SparkSession, relations: Relations, publication: NodePublication, node: str
) -> FinishedRun | None:
    """None before anything has been decided.

    Errors: LakehouseProblem where a build is at work, or has not come to its end, or where none
    knows the node's subscription yet: what is decided meanwhile would be in no command for it.
    """
    log = f"{relations.published}.change_outcomes"
    if not spark.catalog.tableExists(log):
        return None
    # before the log is looked at: a run writes it first
    found = FinishedRun(
        tuple(_table(spark, relations, publication, article) for article in publication.articles),
        _last_place(spark, relations, publication),
    )
    last = spark.sql(f"select max(run_sequence) from {log}").first()
    if last is None or last[0] is None:
        return None
    _check_finished(spark, relations, publication, int(last[0]))
    if node != publication.options.publisher:
        _check_known(spark, relations, publication, node)
    return found


def _versions_table(publication: NodePublication, article: str) -> str:
    return f"{publication.name}__{article}__versions"


def _table(
    spark: SparkSession, relations: Relations, publication: NodePublication, article: str
) -> SnapshotTable:
    relation = _made(spark, relations, _versions_table(publication, article))
    newest = spark.sql(f"describe history {relation} limit 1").first()
    assert newest is not None
    return SnapshotTable(article, relation, int(newest["version"]))


def _last_place(spark: SparkSession, relations: Relations, publication: NodePublication) -> Place:
    commands = _made(spark, relations, "distribution_commands")
    # the sequence counts in its upper bits what acts behind a position
    found = spark.sql(
        f"select max(struct(queue_position, shiftright(sequence, {BEHIND_BITS}) as behind)) as last"
        f" from {commands} where publication = '{publication.name}'"
    ).first()
    if found is None or found["last"] is None:
        return Place()
    return Place(int(found["last"]["queue_position"]), int(found["last"]["behind"]))


def _made(spark: SparkSession, relations: Relations, name: str) -> str:
    relation = f"{relations.published}.{name}"
    if not spark.catalog.tableExists(relation):
        raise LakehouseProblem(f"there is no {relation}: run a build first, and all of it")
    return relation


def _check_finished(
    spark: SparkSession, relations: Relations, publication: NodePublication, last: int
) -> None:
    noted = f"{relations.published}.finished_runs"
    rows = spark.table(noted).collect() if spark.catalog.tableExists(noted) else []
    finished = {str(row["model"]): int(row["run_sequence"]) for row in rows}
    wanted = [_versions_table(publication, article) for article in publication.articles]
    late = [name for name in (*wanted, "distribution_commands") if finished.get(name) != last]
    if late:
        raise LakehouseProblem(
            f"run {last} is not finished, or a build is at work: {', '.join(late)} has not taken"
            " all of it. Build once more, and then again"
        )


def knows_from_the_first(
    spark: SparkSession, published: str, publication: str, subscriber: str
) -> bool:
    """Whether the first run that has decided something of a publication knew the subscription."""
    log = spark.table(f"{published}.change_outcomes")
    first = log.where(log.publication == publication).selectExpr("min(run_sequence)").first()
    known = _known_since(spark, published, publication, subscriber)
    if first is None or first[0] is None:
        return True
    return known is not None and known <= int(first[0])


def _check_known(
    spark: SparkSession, relations: Relations, publication: NodePublication, node: str
) -> None:
    if _known_since(spark, relations.published, publication.name, node) is None:
        raise LakehouseProblem(
            f"no build knows the subscription of {node} yet: build first. From then on there are"
            " commands for its part of the rows"
        )


def _known_since(
    spark: SparkSession, published: str, publication: str, subscriber: str
) -> int | None:
    settings = spark.table(f"{published}.recorded_settings")
    mine = (settings.publication == publication) & (settings.subscriber == subscriber)
    found = settings.where(mine).selectExpr("min(run_sequence)").first()
    return None if found is None or found[0] is None else int(found[0])
