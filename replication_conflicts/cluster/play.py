"""The demo on one target and its feeds on another, and every relation that came of it as a file.

A process has one Spark session, so each target has a process of its own:
python -m replication_conflicts.cluster.play <folder> <profiles> <target> demo <transactions>
python -m replication_conflicts.cluster.play <folder> <profiles> <target> feeds <folder of a demo>
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication_conflicts.database.articles import NodePublication, node_publication
from replication_conflicts.dbt_build import DbtBuild
from replication_conflicts.demo.lakehouse import RELATIONS, Lakehouse, queue_table
from replication_conflicts.demo.play import FIRST, NEXT, Delivery, Demo
from replication_conflicts.demo.publications import (
    STORIES,
    default_policy,
    publication_options,
)
from replication_conflicts.demo.state import DemoError, Plan, State
from replication_conflicts.environment.folders import project_folder
from replication_conflicts.environment.profile import ProfileError
from replication_conflicts.environment.session import SessionError
from replication_conflicts.workload import Settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Versions = dict[str, int]

# tables for the models of one run alone
_OF_ONE_RUN = ("scratch", "rounds")
# which run it was, and when
_OF_THE_RUN = frozenset(
    {
        "run_id",
        "decided_at",
        "rejected_at",
        "recorded_at",
        "first_seen_at",
        "create_time",
        "first_create_time",
        "last_create_time",
    }
)


def play_demo(folder: Path, profiles: Path, transactions: int) -> None:
    """Play the demo, and write what came of it and where each delivery ends in the feeds."""
    project = _project()
    plan = Plan(default_policy(project), Settings(transactions=transactions))
    demo = Demo(project, State(folder / "demo"), plan, lambda _: None, False, profiles)
    deliveries: list[Versions] = []

    def tell(told: Delivery) -> None:
        print(f"dbt build {told.seconds:.0f} s", flush=True)
        names = [visit.publication for visit in told.visits]
        deliveries.append({name: demo.lakehouse.feed_version(name) for name in names})

    ending = demo.play(tell, is_dropping=True)
    if ending.unequal:
        raise SystemExit(f"not equal to the published rows: {', '.join(ending.unequal)}")
    _deliveries_file(folder).write_text(json.dumps(deliveries), encoding="utf-8")
    write_relations(demo.lakehouse.spark, project, RELATIONS.published, folder / "results")
    demo.lakehouse.spark.stop()


def play_feeds(folder: Path, profiles: Path, target: str, demo: Path) -> None:
    """Deliver what a demo's captures have uploaded, as it came, and write what came of it."""
    project = _project()
    options = publication_options(project)
    publications = [node_publication(story.publication, options) for story in STORIES]
    dbt = DbtBuild(project, profiles, target, threads=4)
    lakehouse = Lakehouse(dbt.spark)
    lakehouse.clear()
    for publication in publications:
        lakehouse.feed(publication).prepare()
        _copy_initial(lakehouse.spark, publication, demo)
    before: Versions = {}
    for versions in json.loads(_deliveries_file(demo).read_text(encoding="utf-8")):
        for name, version in versions.items():
            _deliver(lakehouse.spark, name, demo, version, before.get(name))
        built = dbt.run(*(NEXT if before else FIRST))
        if not built.success:
            raise SystemExit("\n".join(built.errors))
        print(f"dbt build {built.seconds:.0f} s", flush=True)
        before = versions
    write_relations(lakehouse.spark, project, RELATIONS.published, folder / "results")
    lakehouse.spark.stop()


def _project() -> Path:
    project = project_folder()
    assert project is not None
    return project


def _deliveries_file(folder: Path) -> Path:
    return folder / "deliveries.json"


def _table_in(demo: Path, schema: str, name: str) -> str:
    """A table of another warehouse, which this session's metastore does not know."""
    return f"delta.`{demo / 'warehouse' / f'{schema}.db' / name}`"


def _copy_initial(spark: SparkSession, publication: NodePublication, demo: Path) -> None:
    spark.sql(f"create schema if not exists {RELATIONS.initial}")
    for article in publication.articles:
        name = f"{publication.name}__{article}"
        source = _table_in(demo, RELATIONS.initial, name)
        spark.sql(f"create table {RELATIONS.initial}.{name} using delta as select * from {source}")


def _deliver(
    spark: SparkSession, publication: str, demo: Path, version: int, before: int | None
) -> None:
    """What the feed of a demo had at a version and not yet at the one before, copies included."""
    table = queue_table(publication)
    source = _table_in(demo, RELATIONS.feeds, table.partition(".")[2])
    # maps cannot be compared, which `except all` would do
    files = f"select *, _metadata.file_path as file from {source} version as of"
    known = "" if before is None else f"where file not in (select file from ({files} {before}))"
    spark.sql(f"insert into {table} select * except (file) from ({files} {version}) {known}")


def models_of_one_run(manifest: Mapping[str, Any]) -> frozenset[str]:
    """The models whose rows are those of the last run: scratch tables, and views of them."""
    models = {key: one for key, one in manifest["nodes"].items() if one["resource_type"] == "model"}
    scratch = {key for key, one in models.items() if one["config"]["materialized"] in _OF_ONE_RUN}
    views = {
        key
        for key, one in models.items()
        if one["config"]["materialized"] == "kept_view" and scratch & {*one["depends_on"]["nodes"]}
    }
    return frozenset(models[key]["name"] for key in scratch | views)


def _manifest(project: Path) -> Mapping[str, Any]:
    """What the builds of this process have read of the project."""
    target = Path(os.environ.get("DBT_TARGET_PATH", project / "target"))
    found: Mapping[str, Any] = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
    return found


def write_relations(spark: SparkSession, project: Path, schema: str, folder: Path) -> None:
    """One file a relation, one sorted line a row; what differs between any two runs left out."""
    left_out = tuple(models_of_one_run(_manifest(project)))
    folder.mkdir(parents=True, exist_ok=True)
    tables = spark.sql(f"show tables in {schema}").where("not isTemporary").collect()
    for name in sorted(row["tableName"] for row in tables):
        # tables of rounds belong to the decisions
        if name.startswith(left_out):
            continue
        rows = spark.table(f"{schema}.{name}").selectExpr("to_json(struct(*)) as row")
        lines = sorted(_line(json.loads(row[0])) for row in rows.toLocalIterator())
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


def _line(row: dict[str, Any]) -> str:
    kept = {name: value for name, value in row.items() if name not in _OF_THE_RUN}
    return json.dumps(kept, sort_keys=True, ensure_ascii=False) + "\n"


def main(folder: str, profiles: str, target: str, what: str, of: str) -> None:
    """Play the demo of so many transactions, embedded, or the feeds of a demo in that folder."""
    try:
        if what == "demo":
            play_demo(Path(folder), Path(profiles), int(of))
        else:
            play_feeds(Path(folder), Path(profiles), target, Path(of))
    except (DemoError, ProfileError, SessionError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main(*sys.argv[1:])
