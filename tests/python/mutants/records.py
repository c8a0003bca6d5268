"""Rules of logical records, decisions of people and refused commands, each broken on purpose."""

from __future__ import annotations

from tests.python.mutants.mutant import DECISION, Mutant

RECORDS = (
    Mutant(
        "the weaker side of a record wins",
        "macros/records/record_verdicts.sql",
        "session_sides.record_priority > opponent_sides.record_defender.priority",
        "session_sides.record_priority <= opponent_sides.record_defender.priority",
    ),
    Mutant(
        "nobody is in conflict with a record as a whole",
        "macros/records/record_opponents.sql",
        "<> {{ replication_conflicts.before_queue() }}",
        "< {{ replication_conflicts.before_queue() }}",
    ),
    Mutant(
        "the rows that a winning record does not have stay",
        "macros/records/replaced_rows.sql",
        "        and not state.is_deleted\n",
        "        and false\n",
    ),
    Mutant(
        "a winning record is not put back",
        "macros/records/replaced_rows.sql",
        "    where verdicts.is_session_winner\n",
        "    where false\n",
    ),
    Mutant(
        "the rest of a record stands without the change that failed",
        f"{DECISION}/record_change_verdict.sql",
        "and {{ is_allowed }} then 'rejected'",
        "and not {{ is_allowed }} then 'rejected'",
    ),
    Mutant(
        "what has lost with its record counts as rejected",
        f"{DECISION}/record_outcome.sql",
        "= 'lost' then 'lost'",
        "= 'lost' then 'rejected'",
    ),
    Mutant(
        "the numbers of a record are counted for each row",
        "macros/records/record_verdicts.sql",
        "session_sides.is_detected_whole,",
        "false,",
    ),
    Mutant(
        "a decision acts though its row has changed",
        f"{DECISION}/intervention_outcome.sql",
        "or not {{ settled_version }} <=> {{ held_version }} then 'stale'",
        "then 'stale'",
    ),
    Mutant(
        "a decision never acts",
        f"{DECISION}/intervention_outcome.sql",
        "        else 'applied'\n",
        "        else 'stale'\n",
    ),
    Mutant(
        "what a person edits is left out",
        "macros/interventions/overlaid_row.sql",
        "{{ values }}[row_column],",
        "row_value,",
    ),
    Mutant(
        "the record of a decided conflict stays",
        "macros/conflicts/decided_rows.sql",
        "'applied'",
        "'stale'",
    ),
    Mutant(
        "a refused command is undone whatever the publisher holds now",
        "macros/rounds/interventions_of_round.sql",
        "then met_version <=> intervention.settled_version",
        "then true",
    ),
    Mutant(
        "no refused command is undone",
        "models/interventions/pending_interventions.sql",
        "and (interventions.kind <> 'refused_command' or articles.compensate_for_errors)",
        "and interventions.kind <> 'refused_command'",
    ),
)
