"""The project's relations: where they are, and what is the same for all who read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from replication_conflicts.lakehouse.tables import create_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# the columns of the relation subscription_events
EVENT_COLUMNS = {
    "publication": "string",
    "subscriber": "string",
    "event": "string",
    "snapshot_position": "bigint",
    "queue_position": "bigint",
    "at": "timestamp",
}


class LakehouseProblem(Exception):
    """A relation that is not there, not of the kind that is needed, or not named as SQL does."""


def older_configuration(article: str, unknown: Iterable[str]) -> LakehouseProblem:
    """What to say where published rows have columns of which this process knows nothing."""
    return LakehouseProblem(
        f"article '{article}' has columns that are not in this configuration, and that the database"
        f" would lack: {', '.join(sorted(unknown))}. Take the publication's configuration of today,"
        " add them to the table, and `capture renew`"
    )


def check_name(option: str, name: str, *forms: str) -> None:
    """Names of the command line go into SQL as they are. Errors: LakehouseProblem for one that is
    not of a form: `schema`, `catalog.schema`, ...
    """
    parts = name.split(".")
    is_plain = all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", part) for part in parts)
    if not is_plain or len(parts) not in {len(form.split(".")) for form in forms}:
        raise LakehouseProblem(
            f"--{option} is '{name}', must be of the form {' or '.join(forms)}, in letters, digits"
            " and _"
        )


@dataclass(frozen=True)
class Relations:
    """The schemas: what a build writes, what arrives, and what every node starts with.

    Errors: LakehouseProblem.
    """

    published: str = "published"
    feeds: str = "feeds"
    initial: str = "initial"
    # the table that the project's relation subscription_events reads; None: that among the feeds
    events: str | None = None

    def __post_init__(self) -> None:
        for option in ("published", "feeds", "initial"):
            check_name(option, getattr(self, option), "schema", "catalog.schema")
        if self.events is not None:
            check_name("events", self.events, "schema.table", "catalog.schema.table")

    @property
    def events_table(self) -> str:
        """The table that events of subscriptions go to."""
        return self.events or f"{self.feeds}.subscription_events"


def make_events_table(spark: SparkSession, relations: Relations) -> None:
    """Make the table that events go to, unless it is there."""
    create_table(spark, relations.events_table, EVENT_COLUMNS)


def canonical_sql(column: str, spark_type: str) -> str:
    """Spark's expression for the canonical text of a column of a type that databases have too."""
    name = quoted_name(column)
    kind = spark_type.strip().lower()
    if kind == "binary":
        return f"base64({name})"
    scale = re.fullmatch(r"decimal\(\d+,\s*(\d+)\)", kind)
    if scale and int(scale[1]) > 6:
        # a cast makes 3E-8 of a small number
        return f"translate(format_number({name}, {scale[1]}), ',', '')"
    return f"cast({name} as string)"


def canonical_columns(columns: Mapping[str, str]) -> list[str]:
    """The canonical texts of columns, given with their types, under the names of the columns."""
    return [f"{canonical_sql(name, kind)} as {quoted_name(name)}" for name, kind in columns.items()]


def quoted_name(column: str) -> str:
    """A column's name as Spark reads it."""
    return f"`{column.replace('`', '``')}`"
