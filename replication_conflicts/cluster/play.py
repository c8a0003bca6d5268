"""The demo's feed played on one target, and every relation that came of it written to files.

A process has one Spark session, so each target has a process of its own:
python -m replication_conflicts.cluster.play <folder> <profiles> <target> <transactions>
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication_conflicts.cluster.loop import LoopError, SimulatedLoop
from replication_conflicts.dbt_build import DbtBuild
from replication_conflicts.demo.lakehouse import RELATIONS
from replication_conflicts.environment.folders import project_folder
from replication_conflicts.environment.profile import ProfileError
from replication_conflicts.environment.session import SessionError
from replication_conflicts.workload import Settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# for the models of one run alone
_SCRATCH = (
    "incoming_changes",
    "pending_interventions",
    "change_queue",
    "key_holders",
    "change_decisions",
)
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


def main(folder: Path, profiles: Path, target: str, transactions: int) -> None:
    """Play the demo's stories, and write what came of it."""
    project = project_folder()
    assert project is not None
    try:
        loop = SimulatedLoop(
            project,
            DbtBuild(project, profiles, target, threads=4),
            Settings(transactions=transactions),
            lambda seconds: print(f"dbt build {seconds:.0f} s", flush=True),
        )
        unequal = loop.play()
    except (LoopError, ProfileError, SessionError) as error:
        raise SystemExit(str(error)) from None
    if unequal:
        raise SystemExit(f"not equal to the publisher: {', '.join(unequal)}")
    write_relations(loop.lakehouse.spark, RELATIONS.published, folder / "results")
    loop.lakehouse.spark.stop()


def write_relations(spark: SparkSession, schema: str, folder: Path) -> None:
    """One file a relation, one sorted line a row; what differs between any two runs left out."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted(row["tableName"] for row in spark.sql(f"show tables in {schema}").collect()):
        # views of news are temporary, tables of rounds belong to the decisions
        if name.startswith(_SCRATCH) or name.endswith("__news"):
            continue
        rows = spark.table(f"{schema}.{name}").selectExpr("to_json(struct(*)) as row")
        lines = sorted(_line(json.loads(row[0])) for row in rows.toLocalIterator())
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


def _line(row: dict[str, Any]) -> str:
    kept = {name: value for name, value in row.items() if name not in _OF_THE_RUN}
    return json.dumps(kept, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
