"""What the runner writes: feeds, initial rows, subscriptions, events and decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from replication_conflicts.lakehouse import tables
from replication_conflicts.publication.feed import FeedRow
from replication_conflicts.publication.publication import DEFAULT_PRIORITY, Publication
from replication_conflicts.publication.rows import StoredRow
from replication_conflicts.scenarios.delivery import Decision, Delivery, Event
from replication_conflicts.scenarios.play import CasePlay
from replication_conflicts.scenarios.project import (
    APPLY_ERRORS,
    INPUTS,
    Configuration,
    ConsumerProject,
)
from replication_conflicts.simulation import Refusal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# what comes in is a matter of the source: the plainest tables are created and read fastest
_FEED_FORMAT = "parquet"


class Inputs:
    """The relations that a generated project reads and does not make itself."""

    def __init__(self, spark: SparkSession, project: ConsumerProject) -> None:
        self._spark = spark
        self._project = project

    def create(self, configurations: Iterable[Configuration]) -> None:
        """All schemas and tables, empty; what was there before is dropped."""
        project = self._project
        for schema in (project.schema, project.feeds, project.initial, project.inputs):
            self._spark.sql(f"drop schema if exists {schema} cascade")
            self._spark.sql(f"create schema {schema}")
        for name, columns in INPUTS.items():
            tables.create_table(self._spark, f"{project.inputs}.{name}", columns)
        for configuration in configurations:
            publication = configuration.publication
            for article in publication.articles.values():
                table = tables.table_name(project.feeds, publication, article.name)
                columns = tables.feed_table_columns(publication, article)
                tables.create_table(self._spark, table, columns, _FEED_FORMAT)
            if configuration.has_apply_errors:
                table = tables.table_name(project.feeds, publication, "apply_errors")
                tables.create_table(self._spark, table, APPLY_ERRORS, _FEED_FORMAT)
            for name in configuration.initial_articles:
                table = tables.table_name(project.initial, publication, name)
                columns = tables.initial_table_columns(publication.articles[name])
                tables.create_table(self._spark, table, columns, _FEED_FORMAT)

    def add_initial(self, publication: Publication, rows: Iterable[StoredRow]) -> None:
        """Rows of the initial snapshot."""
        tables.append_initial(self._spark, self._project.initial, publication, rows, _FEED_FORMAT)

    def add_feed(self, publication: Publication, rows: Iterable[FeedRow]) -> None:
        """Rows of the change feeds."""
        tables.append_feed(self._spark, self._project.feeds, publication, rows, _FEED_FORMAT)

    def set_subscriptions(self, publication: Publication, plays: Iterable[CasePlay]) -> None:
        """The subscriptions of all cases of a publication, in the place of earlier ones."""
        rows = [
            _subscription(publication, play, name, options)
            for play in plays
            for name, options in play.subscriptions.items()
        ]
        table = f"{self._project.inputs}.subscriptions"
        self._spark.sql(f"delete from {table} where publication = '{publication.name}'")
        tables.append_rows(self._spark, table, INPUTS["subscriptions"], rows)

    def add_reports(self, publication: Publication, deliveries: Iterable[Delivery]) -> None:
        """Events of subscriptions, decisions of people, and commands that were refused."""
        deliveries = list(deliveries)
        self.add_refusals(publication, [one for each in deliveries for one in each.refusals])
        self._append(
            "subscription_events",
            [
                _event(publication, event, position)
                for delivery in deliveries
                for event, position in delivery.events
            ],
        )
        self._append(
            "conflict_decisions",
            [
                _decision(decision, place)
                for delivery in deliveries
                # places before all others: behind the last one taken, in the order of the steps
                for place, decision in enumerate(delivery.decisions, -len(delivery.decisions))
            ],
        )

    def add_refusals(
        self, publication: Publication, refusals: Iterable[tuple[Refusal, int]]
    ) -> None:
        """Refused commands, each with the place in the queue of its report."""
        rows: list[Mapping[str, object]] = []
        for refusal, position in refusals:
            article = publication.articles[refusal.article]
            held = refusal.row
            row = held and article.to_texts({name: held.get(name) for name in article.columns})
            rows.append(
                {
                    "queue_position": position,
                    "subscriber": refusal.subscriber,
                    "command_id": refusal.command_id,
                    "article": refusal.article,
                    "key": article.to_texts(article.key_row(refusal.key)),
                    "operation": refusal.operation,
                    "error_code": refusal.error_code,
                    "error_text": refusal.error_text,
                    "row": row,
                }
            )
        table = tables.table_name(self._project.feeds, publication, "apply_errors")
        tables.append_rows(self._spark, table, APPLY_ERRORS, rows, _FEED_FORMAT)

    def _append(self, name: str, rows: list[Mapping[str, object]]) -> None:
        tables.append_rows(self._spark, f"{self._project.inputs}.{name}", INPUTS[name], rows)


def _event(publication: Publication, event: Event, position: int | None) -> Mapping[str, object]:
    return {
        "publication": publication.name,
        "subscriber": event.subscriber,
        "event": "reinitialized",
        "snapshot_position": event.snapshot_position,
        "queue_position": position,
        "at": event.at,
    }


def _decision(decision: Decision, place: int) -> Mapping[str, object]:
    return {
        "conflict_id": decision.conflict_id,
        "decision": decision.decision,
        "edited": decision.edited,
        "author": "scenario",
        "reason": "a step of the case",
        "queue_position": place,
    }


def _subscription(
    publication: Publication, play: CasePlay, name: str, options: Mapping[str, object]
) -> Mapping[str, object]:
    kind = options.get("type", "server")
    default = DEFAULT_PRIORITY if publication.is_merge and kind == "server" else None
    priority = options.get("priority", default)
    below = options.get("below")
    return {
        "publication": publication.name,
        "subscriber": play.names.to_shared(name),
        "type": kind,
        "priority": None if priority is None else Decimal(str(priority)),
        "republisher": bool(options.get("republisher", False)),
        "below": None if below is None else play.names.to_shared(str(below)),
    }
