"""Peer 3: a dbt incremental model that keeps the last change of each row by `row_number()`.

The last writer wins: no conflict is seen, and a stale change overwrites what it did not know.
"""

from __future__ import annotations

from tests.python.bench.plain_project import PlainProject
from tests.python.bench.product import Home, Product
from tests.python.bench.workload import COLUMNS

_MODEL = """
{{{{ config(incremental_strategy='merge', unique_key='item_id') }}}}

with ranked as (
    select
        {columns},
        new_version as row_version,
        operation = 'delete' as is_deleted,
        queue_position,
        row_number() over (partition by item_id order by queue_position desc) as newest
    from {feed}
    {{% if is_incremental() -%}}
    where queue_position > (select max(queue_position) from {{{{ this }}}})
    {{%- endif %}}
)

select * except (newest) from ranked
where newest = 1
"""


class DbtIncremental:
    """The model over the same feed, beginning with what the pipeline has published."""

    def __init__(self, home: Home, product: Product) -> None:
        self._product = product
        columns = ", ".join(COLUMNS)
        model = _MODEL.format(columns=columns, feed=product.feed)
        self._project = PlainProject(home, f"{product.schema}_last_wins", {"item": model})

    def remember(self) -> None:
        """Begin with the rows that the pipeline has published by now."""
        spark, schema = self._product.spark, self._project.schema
        columns = ", ".join(COLUMNS)
        spark.sql(f"create schema if not exists {schema}")
        spark.sql(
            f"create or replace table {schema}.item using delta"
            " tblproperties ('delta.enableDeletionVectors' = 'true') as"
            f" select {columns}, row_version, is_deleted, queue_position"
            f" from {self._product.versions}"
        )

    def run(self) -> float:
        """One build over what has arrived since; its seconds."""
        return self._project.build().seconds
