"""Rules of queued updating, each broken on purpose."""

from __future__ import annotations

from tests.python.mutants.mutant import DECISION, Mutant

QUEUED = (
    Mutant(
        "versions compared the wrong way round",
        f"{DECISION}/version_comparison.sql",
        "{{ old_version }} = {{ held_version }}",
        "{{ old_version }} <> {{ held_version }}",
    ),
    Mutant(
        "an insert is never clean",
        f"{DECISION}/version_comparison.sql",
        "= 'insert' and {{ held_version }} is null then",
        "= 'insert' and false then",
    ),
    Mutant(
        "an update of a deleted row is called an update of a held one",
        f"{DECISION}/queued_conflict_kind.sql",
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
        "has_conflict='has_conflict', has_failure='has_failure'\n",
        "has_conflict='is_conflict', has_failure='has_failure'\n",
    ),
    Mutant(
        "a change does not see the one before it in its transaction",
        "models/decision/queued_decisions.sql",
        "                proposal_before.proposed_row,\n                null",
        "                null,\n                null",
    ),
    Mutant(
        "nobody looks at a change whose row has others in the run",
        f"{DECISION}/is_disputed.sql",
        "is_contended\n        or {{ constrained }}",
        "is_contended\n        and {{ constrained }}",
    ),
    Mutant(
        "changes made at the publisher are held up by conflicts",
        f"{DECISION}/queued_verdict.sql",
        "when {{ is_publisher_change }} then 'accepted'",
        "when {{ is_publisher_change }} and not {{ has_conflict }} then 'rejected'",
    ),
    Mutant(
        "subscriber wins rejects",
        f"{DECISION}/queued_verdict.sql",
        "'subscriber_wins' then 'accepted'",
        "'subscriber_wins' and not {{ has_conflict }} then 'accepted'",
    ),
    Mutant(
        "the versions that only the log knows are left out",
        "macros/earlier_runs/held_rows.sql",
        "{%- if not held.overlay -%}",
        "{%- if true -%}",
    ),
    Mutant(
        "the compensating commands are lost",
        "models/subscribers/distribution_commands.py",
        "f.array(replicated(), compensating(), not_applied(), conflict_record())",
        "f.array(replicated(), not_applied(), conflict_record())",
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
        "macros/planning/intake_facts.sql",
        "'has_aged': row['aged_publications'] > 0",
        "'has_aged': false",
    ),
    Mutant(
        "second copies are other changes",
        "models/intake/repeated_changes.sql",
        "where copy_before is null or copy_before <> content_hash",
        "where true",
    ),
    Mutant(
        "incomplete transactions do not wait",
        "models/intake/change_intake.sql",
        "when not is_complete then 'waiting'",
        "when not is_complete and false then 'waiting'",
    ),
    Mutant(
        "the first version of a run is published, not the last",
        "macros/articles/row_versions.sql",
        "decision_order() | indent(16) }} desc",
        "decision_order() | indent(16) }} asc",
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
        "macros/conflicts/lost_row.sql",
        "when not {{ replication_conflicts.is_change_loser() }}",
        "when {{ replication_conflicts.is_change_loser() }}",
    ),
    Mutant(
        "a second delete counts as applied",
        f"{DECISION}/queued_outcome.sql",
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
