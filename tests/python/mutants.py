"""Breaks one rule at a time on purpose: a comparison with the sequential reader must notice each.

    python -m tests.python.mutants               every mutant
    python -m tests.python.mutants --only late   those with the word in their title
    python -m tests.python.mutants --replication merge

A mutant is a change of one line in a copy of the project. A generated project installs the copy,
takes the deliveries of a few generated cases, and what it writes is compared with what the
sequential reader decides. Between the two runs the published tables are dropped, as if the first
run had died before it wrote them. A mutant that changes nothing that is compared has survived: then
a rule is not tested.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from replication_conflicts.lakehouse import tables
from tests.python.conftest import DBT_FILES, DBT_FOLDERS, REPOSITORY
from tests.python.differential.builds import BuildFailed, Builds, Played
from tests.python.differential.comparison import compare
from tests.python.strategies import case_from_seed, cut_again
from tests.python.strategies.cases import Case
from tests.python.strategies.merge_cases import merge_case
from tests.python.strategies.replicas import ReaderPipeline
from tests.python.strategies.workload import MEDIUM

DELIVERIES = 2
# how many articles the case of a policy has (with two, there are parents and children), and what
# is rejected in it
POLICIES: dict[str, tuple[int, set[str]]] = {
    "publisher_wins": (2, set()),
    "publisher_wins_reinitialize": (1, set()),
    "subscriber_wins": (1, {"expired", "late_position"}),
}
# between them: changes that win, clients whose changes are accepted and meet others, column
# merges, rows that several nodes delete, unique and foreign keys that break
MERGE_SEEDS = (13, 26, 54, 68, 88)


@dataclass(frozen=True)
class Mutant:
    """One line of one file, and what stands there instead."""

    title: str
    file: str
    line: str
    instead: str
    replication: str = "queued"
    """The kind of replication whose cases are to notice it."""


DECISION = "macros/decision"
QUEUED = (
    Mutant(
        "versions compared the wrong way round",
        f"{DECISION}/version_comparison.sql",
        "{{ old_version }} = {{ held_version }} then",
        "{{ old_version }} <> {{ held_version }} then",
    ),
    Mutant(
        "an insert is never clean",
        f"{DECISION}/version_comparison.sql",
        "= 'insert' and {{ held_version }} is null then",
        "= 'insert' and false then",
    ),
    Mutant(
        "an update of a deleted row is called an update of a held one",
        f"{DECISION}/conflict_kind.sql",
        "when {{ operation }} = 'update' then 'update_delete'",
        "when {{ operation }} = 'update' then 'update_update'",
    ),
    Mutant(
        "the type of a lost update against a delete",
        f"{DECISION}/conflict_type.sql",
        "{{ conflict_kind }} = 'update_delete' and {{ is_change_loser }} then 3",
        "{{ conflict_kind }} = 'update_delete' and {{ is_change_loser }} then 4",
    ),
    Mutant(
        "a verdict per row and not per transaction",
        "models/decision/queued_decisions.sql",
        "'policy', 'is_publisher_change', 'is_waiting', 'has_conflict', 'has_failure'\n",
        "'policy', 'is_publisher_change', 'is_waiting', 'is_conflict', 'has_failure'\n",
    ),
    Mutant(
        "a change does not see the one before it in its transaction",
        "models/decision/queued_decisions.sql",
        "                proposal_before.proposed_row,\n                null",
        "                null,\n                null",
    ),
    Mutant(
        "nobody looks at a transaction in which one change is disputed and another is not",
        "models/decision/disputed_transactions.sql",
        "is_contended\n        or comparison <> 'descendant'",
        "is_contended and comparison <> 'descendant'",
    ),
    Mutant(
        "changes made at the publisher are held up by conflicts",
        f"{DECISION}/transaction_verdict.sql",
        "when {{ is_publisher_change }} then 'accepted'",
        "when {{ is_publisher_change }} and not {{ has_conflict }} then 'rejected'",
    ),
    Mutant(
        "subscriber wins rejects",
        f"{DECISION}/transaction_verdict.sql",
        "'subscriber_wins' then 'accepted'",
        "'subscriber_wins' and not {{ has_conflict }} then 'accepted'",
    ),
    Mutant(
        "the versions that only the log knows are left out",
        "macros/held/held_rows.sql",
        "{%- if not place.overlay -%}",
        "{%- if true -%}",
    ),
    Mutant(
        "the compensating commands are lost",
        "models/subscribers/distribution_commands.py",
        ".unionByName(compensating(configured))",
        "",
    ),
    Mutant(
        "commands of children before those of parents",
        "models/subscribers/distribution_commands.py",
        '-f.col("depth")).otherwise(f.col("depth"))',
        'f.col("depth")).otherwise(-f.col("depth"))',
    ),
    Mutant(
        "late changes are taken",
        f"{DECISION}/contract_violation.sql",
        "when {{ is_late }} then 'late_position'",
        "when {{ is_late }} and false then 'late_position'",
    ),
    Mutant(
        "expired changes are taken",
        f"{DECISION}/contract_violation.sql",
        "when {{ is_expired }} then 'expired'",
        "when {{ is_expired }} and false then 'expired'",
    ),
    Mutant(
        "no change is ever found to be too old",
        "macros/held/incoming_facts.sql",
        "'has_aged': row[1]}",
        "'has_aged': false}",
    ),
    Mutant(
        "second copies are other changes",
        "models/decision/repeated_changes.sql",
        "where copy_before is null or copy_before <> content_hash",
        "where true",
    ),
    Mutant(
        "incomplete transactions do not wait",
        "models/decision/change_queue.sql",
        "when not is_complete then 'waiting'",
        "when not is_complete and false then 'waiting'",
    ),
    Mutant(
        "the first version of a run is published, not the last",
        "macros/articles/row_versions.sql",
        "decision_order() }} desc",
        "decision_order() }} asc",
    ),
    Mutant(
        "what is condemned lost against the publisher, whoever won",
        "models/decision/queued_decisions.sql",
        "else transaction_winner\n",
        "else struct(publisher as node, cast(null as string) as change_id)\n",
    ),
    Mutant(
        "a reinitialization that was due before the run is forgotten",
        "models/decision/queued_decisions.sql",
        "            was_waiting_before_run\n            or",
        "            false\n            or",
    ),
    Mutant(
        "the conflict table keeps the winner",
        "macros/articles/lost_row.sql",
        "when not {{ replication_conflicts.is_change_loser() }}",
        "when {{ replication_conflicts.is_change_loser() }}",
    ),
    Mutant(
        "a second delete counts as applied",
        f"{DECISION}/change_outcome.sql",
        "not {{ is_row_held }} then 'already_deleted'",
        "not {{ is_row_held }} then 'applied'",
    ),
    Mutant(
        "the rounds stop after the first",
        "macros/materializations/rounds.sql",
        "unsettled_parts(table) -%}\n    {%- set state",
        "unsettled_parts(table)[:0] -%}\n    {%- set state",
    ),
)
MERGE = (
    Mutant(
        "lineages compared the wrong way round",
        f"{DECISION}/lineage_comparison.sql",
        "{{ held }}.lineage[{{ node }}] >= {{ lineage }}[{{ node }}]",
        "{{ held }}.lineage[{{ node }}] < {{ lineage }}[{{ node }}]",
    ),
    Mutant(
        "a version is known only by a later one",
        f"{DECISION}/knows_version.sql",
        "[{{ version_node }}] >= {{ version_number }}",
        "[{{ version_node }}] > {{ version_number }}",
    ),
    Mutant(
        "whoever comes second loses",
        f"{DECISION}/merge_verdict.sql",
        "or {{ is_change_winner }} then 'accepted'",
        "then 'accepted'",
    ),
    Mutant(
        "a client's change stays as weak as it came",
        f"{DECISION}/defending_priority.sql",
        "cast(100 as decimal(5,2))",
        "cast(0 as decimal(5,2))",
    ),
    Mutant(
        "columns that a change did not write are contested",
        f"{DECISION}/contested_columns.sql",
        "                written_columns, held ~",
        "                'map_keys(' ~ held ~ '.row)', held ~",
    ),
    Mutant(
        "who wrote the row as a whole is forgotten",
        "macros/held/writers_of_columns.sql",
        "coalesce({{ writers }}.named[column_of_row], {{ writers }}.others)",
        "{{ writers }}.named[column_of_row]",
    ),
    Mutant(
        "a column merge takes every column of the change",
        "macros/held/merged_row.sql",
        "array_contains({{ written_columns }}, written_column)",
        "true",
    ),
    Mutant(
        "a tombstone forgets who else deleted the row",
        f"{DECISION}/makes_version.sql",
        "or (outcome = 'already_deleted' and held_row is not null)",
        "",
    ),
    Mutant(
        "what is known of a row is what the last change knew",
        "macros/held/lineage_union.sql",
        "greatest(one_number, other_number)",
        "other_number",
    ),
    Mutant(
        "nobody looks at a change that one more follows",
        "macros/held/is_followed.sql",
        "lead(true) over (",
        "lead(true, 2) over (",
    ),
    Mutant(
        "a row that is not settled stays behind",
        "models/decision/merge_decisions.sql",
        "from previous_round where is_unlike_guess",
        "from previous_round where not is_unlike_guess",
    ),
    Mutant(
        "a parent may go while it has children",
        "macros/constraints/key_violations.sql",
        "and not counted_ends.has_parent",
        "and counted_ends.has_parent",
    ),
    Mutant(
        "a broken unique key counts as a foreign key",
        "macros/constraints/key_failure.sql",
        "2601 if key.kind == 'unique' else 547",
        "547 if key.kind == 'unique' else 2601",
    ),
)
MUTANTS = (*QUEUED, *(replace(mutant, replication="merge") for mutant in MERGE))


def broken_copy(mutant: Mutant | None, folder: Path) -> Path:
    """A copy of the dbt project with the mutant's line; without a mutant, as it is.

    Raises ValueError where the line does not stand exactly once: the list is to follow the code.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in DBT_FILES:
        shutil.copy(REPOSITORY / name, folder)
    for name in DBT_FOLDERS:
        shutil.copytree(REPOSITORY / name, folder / name)
    if mutant is not None:
        file = folder / mutant.file
        text = file.read_text(encoding="utf-8")
        if text.count(mutant.line) != 1:
            raise ValueError(f"{mutant.file} has not once: {mutant.line}")
        file.write_text(text.replace(mutant.line, mutant.instead), encoding="utf-8")
    return folder


def mutant_cases(replication: str) -> list[Case]:
    """Cases with all that can go wrong in them: one for each policy of queued updating."""
    if replication == "merge":
        return [merge_case(seed, DELIVERIES) for seed in MERGE_SEEDS]
    cases = []
    for policy, (articles, reasons) in POLICIES.items():
        found = next(
            case
            for case in (case_from_seed(seed, MEDIUM) for seed in range(1000))
            if case.configuration["policy"] == policy
            and len(case.configuration["articles"]) == articles
            and len(case.rows) > 60
            and reasons <= _reasons(case)
        )
        cases.append(cut_again(found, Random(1), DELIVERIES) if found.is_cut_free else found)
    return cases


def _reasons(case: Case) -> set[str]:
    """Why changes of a case are rejected."""
    pipeline = ReaderPipeline(case)
    for delivery in case.deliveries:
        pipeline.run(delivery)
    return {one.reason for one in pipeline.reader.rejected}


def _begun(played: Played, deliveries: int) -> Played:
    """A case as if there were no more than its first deliveries."""
    return replace(
        played, case=replace(played.case, deliveries=played.case.deliveries[:deliveries])
    )


class Laboratory:
    """One generated project that installs one copy after another."""

    def __init__(self, folder: Path, replication: str) -> None:
        self._folder = folder
        cases = mutant_cases(replication)
        name = f"mutants_{replication}"
        self._running = Builds(name, cases, folder, folder / "state", lambda _: None)

    def problems(self, mutant: Mutant | None) -> list[str]:
        """What a copy with this mutant writes otherwise than the sequential reader decides."""
        copy = broken_copy(mutant, self._folder / "copy")
        running = self._running
        running.start()
        installed = running.project.folder / "dbt_packages" / "replication_conflicts"
        if installed.is_symlink() or installed.is_file():
            installed.unlink()
        else:
            shutil.rmtree(installed)
        installed.symlink_to(copy, target_is_directory=True)
        found: list[str] = []
        for number in range(max(len(one.case.deliveries) for one in running.played)):
            for played in running.played:
                running.deliver(played, number)
            try:
                running.build()
            except BuildFailed as failure:
                return [str(failure)]
            found = self._differences(number + 1)
            if found:
                break
            if number == 0:
                self._drop_published()
        return found

    def _differences(self, deliveries: int) -> list[str]:
        """What was written otherwise than the reader decides about the first deliveries."""
        return [
            problem
            for played in self._running.played
            for problem in compare(self._running, _begun(played, deliveries), is_rebuilt=True)
        ]

    def _drop_published(self) -> None:
        running = self._running
        for played in running.played:
            for article in played.publication.articles:
                name = tables.table_name(running.project.schema, played.publication, article)
                running.spark.sql(f"drop table if exists {name}__versions")


def main() -> int:
    """Run the mutants; the exit status is the number of survivors, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", default="", help="a part of the titles")
    parser.add_argument("--replication", choices=("queued", "merge"), help="one kind alone")
    options = parser.parse_args()
    console = Console(highlight=False)
    chosen = [
        mutant
        for mutant in MUTANTS
        if options.only in mutant.title and options.replication in (None, mutant.replication)
    ]
    survivors = 0
    table = Table("mutant", "fate", "noticed by")
    with tempfile.TemporaryDirectory(prefix="mutants_", ignore_cleanup_errors=True) as folder:
        laboratories: dict[str, Laboratory] = {}
        for number, mutant in enumerate(chosen, start=1):
            kind = mutant.replication
            if kind not in laboratories:
                laboratories[kind] = Laboratory(Path(folder), kind)
                found = laboratories[kind].problems(None)
                if found:
                    console.print("The project itself differs from the sequential reader:")
                    console.print(*found[:5], sep="\n")
                    return 1
            started = time.monotonic()
            found = laboratories[kind].problems(mutant)
            fate = "killed" if found else "SURVIVED"
            survivors += not found
            seconds = time.monotonic() - started
            console.print(f"{number}/{len(chosen)} {fate} {mutant.title} ({seconds:.0f} s)")
            table.add_row(mutant.title, fate, found[0][:80].replace("\n", " ") if found else "")
    console.print(table)
    console.print(f"{len(chosen) - survivors} killed, {survivors} survived")
    return min(survivors, 1)


if __name__ == "__main__":
    sys.exit(main())
