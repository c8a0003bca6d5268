{#- Merge replication: whether a change makes a version of its row. One without an outcome does only
    where the run itself writes the row. Over the columns of merge_decisions. -#}
{% macro makes_version() -%}
    coalesce(
        outcome in ('applied', 'won', 'merged')
        or (is_run_row and not is_obsolete and not is_condemned)
        or (is_resolved_row and outcome = 'lost')
        -- a second delete of a row is one more version by which its tombstone is known
        or (outcome = 'already_deleted' and held_row is not null),
        false
    )
{%- endmacro %}
