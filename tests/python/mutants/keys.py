"""What a round takes for certain of unique and foreign keys, each rule broken on purpose."""

from __future__ import annotations

from tests.python.mutants.mutant import Mutant

CERTAIN = "macros/rounds/certain_changes.sql"

KEYS = (
    Mutant(
        "a session that is not settled is certain",
        CERTAIN,
        ">= {{ settled_positions }}.settled_position as is_open",
        "> {{ settled_positions }}.settled_position as is_open",
    ),
    Mutant(
        "a row that earlier changes leave open is certain",
        CERTAIN,
        "opened.open_changes = 1",
        "opened.open_changes >= 1",
    ),
    Mutant(
        "a child does not ask who may be its parent",
        CERTAIN,
        "min(if(role = 'parent', open_from, null))",
        "min(if(role = 'none', open_from, null))",
    ),
    Mutant(
        "a parent does not ask for its children",
        CERTAIN,
        "min(if(role = 'child', open_from, null))",
        "min(if(role = 'none', open_from, null))",
    ),
    Mutant(
        "a parent that was held does not ask for its children",
        CERTAIN,
        "coalesce(not held_before_run.is_deleted, false)\n        or count",
        "count",
    ),
    Mutant(
        "a parent that is new in the run does not ask for its children when it goes",
        CERTAIN,
        "row_key) > 1 as may_give_up_keys",
        "row_key) > 9 as may_give_up_keys",
    ),
    Mutant(
        "a unique key does not ask who else may have it",
        CERTAIN,
        "row_number() over of_role = 1",
        "row_number() over of_role >= 1",
    ),
    Mutant(
        "a merged row has no key but those of its changes",
        CERTAIN,
        "\"concat(opened.publication, '.', opened.article)\", composed",
        "\"concat(opened.publication, '.', opened.article)\", []",
    ),
    Mutant(
        "what was held says nothing about keys",
        CERTAIN,
        "key_facts('held_before_run.row', 'merge')",
        "key_facts('change_row', 'merge')",
    ),
)
