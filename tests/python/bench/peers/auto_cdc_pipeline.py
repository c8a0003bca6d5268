"""Runs a declarative pipeline of Spark in a process of its own: `auto_cdc_pipeline.py SPEC`.

Its client needs packages that the project itself does without, in versions of its own, so nothing
of the project is imported here. SPEC is JSON: `settings` of the session, `format` and `catalog` of
the target, `arrivals` (folders of Parquet files, each for one run), `feed` (the folder that the
pipeline reads), `schema` of these files, `left_out` columns, and `folder` for the pipeline. Prints
one JSON line a run.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_DEFINITION = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession

spark = SparkSession.active()


@dp.temporary_view
def changes():
    return spark.readStream.schema({schema!r}).parquet({feed!r})


dp.create_streaming_table("item", format={format!r})
dp.create_auto_cdc_flow(
    target="item",
    source="changes",
    keys=["item_id"],
    sequence_by="queue_position",
    apply_as_deletes="operation = 'delete'",
    except_column_list={left_out!r},
    stored_as_scd_type=1,
)
"""


def write_pipeline(spec: Mapping[str, Any]) -> Path:
    """The files of the pipeline; the one that describes it."""
    folder = Path(spec["folder"])
    (folder / "definitions").mkdir(parents=True)
    text = _DEFINITION.format_map(spec)
    (folder / "definitions" / "item.py").write_text(text, encoding="utf-8")
    file = folder / "pipeline.yml"
    content = {
        "name": "auto_cdc",
        "catalog": spec["catalog"],
        "database": "default",
        "storage": (folder / "storage").as_uri(),
        "libraries": [{"glob": {"include": "definitions/**"}}],
    }
    file.write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML
    return file


def run_once(spark: Any, file: Path) -> float:
    """One update of the pipeline, as `spark-pipelines run` does it; its seconds."""
    from pyspark.pipelines import cli
    from pyspark.pipelines.spark_connect_graph_element_registry import (
        SparkConnectGraphElementRegistry,
    )
    from pyspark.pipelines.spark_connect_pipeline import (
        create_dataflow_graph,
        handle_pipeline_events,
        start_run,
    )

    spec = cli.load_pipeline_spec(file)
    started = time.monotonic()
    graph = create_dataflow_graph(
        spark, default_catalog=spec.catalog, default_database=spec.database, sql_conf={}
    )
    registry = SparkConnectGraphElementRegistry(spark, graph)
    cli.register_definitions(file, registry, spec, spark, graph)
    events = start_run(
        spark,
        graph,
        full_refresh=[],
        full_refresh_all=False,
        refresh=[],
        dry=False,
        storage=spec.storage,
    )
    handle_pipeline_events(events)
    return time.monotonic() - started


def main() -> None:
    """Run the pipeline once for each arrival."""
    from pyspark.sql import SparkSession

    spec = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    builder = SparkSession.builder.remote(spec["settings"].pop("spark.master"))
    for name, value in spec["settings"].items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    file = write_pipeline(spec)
    feed = Path(spec["feed"])
    feed.mkdir(parents=True)
    for arrival in map(Path, spec["arrivals"]):
        for part in sorted(arrival.glob("*.parquet")):
            part.rename(feed / f"{arrival.name}-{part.name}")
        seconds = run_once(spark, file)
        rows = spark.sql(f"select count(*) from {spec['catalog']}.default.item").collect()[0][0]
        print(json.dumps({"seconds": seconds, "rows": rows}), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
