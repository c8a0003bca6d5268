"""A dbt project of models that have next to nothing to do: what dbt and the engine need alone."""

from __future__ import annotations

from tests.python.bench.plain_project import PlainProject
from tests.python.bench.product import Home, Product

_MODEL = """
select change_id, queue_position from {feed}
{{% if is_incremental() -%}}
where queue_position > (select max(queue_position) from {{{{ this }}}})
{{%- endif %}}
"""


class TrivialModels:
    """So many incremental models that append what is new in a feed."""

    def __init__(self, home: Home, product: Product, number: int) -> None:
        model = _MODEL.format(feed=product.feed)
        models = {f"trivial_{count}": model for count in range(1, number + 1)}
        self._project = PlainProject(home, f"{product.schema}_trivial", models)

    def run(self) -> float:
        """One build; its seconds."""
        return self._project.build().seconds
