"""Rules of merge replication, each broken on purpose."""

from __future__ import annotations

from tests.python.mutants.mutant import DECISION, Mutant

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
        " or {{ is_change_winner }}",
        "",
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
        "macros/row_states/writers_of_columns.sql",
        "coalesce({{ writers }}.named[column_of_row], {{ writers }}.others)",
        "{{ writers }}.named[column_of_row]",
    ),
    Mutant(
        "a column merge takes every column of the change",
        "macros/row_states/merged_row.sql",
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
        "macros/lineages/lineage_union.sql",
        "greatest(one_number, other_number)",
        "other_number",
    ),
    Mutant(
        "nobody looks at a change that one more follows",
        "macros/rounds/is_followed.sql",
        "lead(true) over (",
        "lead(true, 2) over (",
    ),
    Mutant(
        "nobody looks at a change that leaves another row than it carries",
        f"{DECISION}/is_disputed.sql",
        "and {{ replication_conflicts.rows_differ_elsewhere(",
        "and not {{ replication_conflicts.rows_differ_elsewhere(",
    ),
    Mutant(
        "nobody looks at a change that does not know the row",
        f"{DECISION}/is_disputed.sql",
        ") | indent(16) }} <> 'descendant'",
        ") | indent(16) }} = 'ancestor'",
    ),
    Mutant(
        "a row that is not settled stays behind",
        "models/decision/merge_decisions.sql",
        "from previous_round where is_unsettled",
        "from previous_round where false",
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
