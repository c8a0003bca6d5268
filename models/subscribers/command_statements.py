"""How a command is carried out in a subscriber's database, by article, operation and dialect.

The statements come from the configuration alone. What a run gives is what differs from the table,
so that a run with the same configuration writes nothing. A statement that the configuration no
longer has comes as NULL, and the model's post_hook deletes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from replication_conflicts.statements import article_shapes, statements

KEY = ["publication", "article", "operation", "dialect"]
SCHEMA = (
    "array<struct<publication: string, article: string, operation: string, dialect: string,"
    " statement: string, parameters: array<string>>>"
)


def configured(session: SparkSession, publications: Mapping[str, Any]) -> DataFrame:
    """The statements that the configuration gives."""
    rows = [
        {
            "publication": one.publication,
            "article": one.article,
            "operation": one.operation,
            "dialect": one.dialect,
            "statement": one.statement,
            "parameters": list(one.parameters),
        }
        for article in article_shapes(publications)
        for one in statements(article)
    ]
    # as one text: a DataFrame from Python rows would start Python workers, which takes seconds
    return session.range(1).select(f.inline(f.from_json(f.lit(json.dumps(rows)), SCHEMA)))


def differing(wanted: DataFrame, recorded: DataFrame) -> DataFrame:
    """Rows to merge: what is not recorded as wanted, and what is no longer wanted, as NULL."""
    gone = recorded.join(wanted, KEY, "left_anti").withColumns(
        {
            "statement": f.lit(None).cast("string"),
            "parameters": f.lit(None).cast("array<string>"),
        }
    )
    return wanted.subtract(recorded).unionByName(gone)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    """The dbt model."""
    dbt.config(
        materialized="ledger",
        submission_method="session",
        unique_key=["publication", "article", "operation", "dialect"],
    )
    # not read, but waited for: a wrong configuration stops there, before anything is written
    dbt.ref("incoming_changes")
    wanted = configured(session, dbt.config.meta_get("publications"))
    if dbt.is_incremental:
        return differing(wanted, session.table(f"{dbt.this}"))
    return wanted
