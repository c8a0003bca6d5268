{#- What a run asks about its decisions before it records them, in one small query; mostly few of
    them are in a conflict, and then nobody need look for more in all that arrived and is published.
    A dict of numbers:
      kept_of_this_run      how many are kept with the row of a change that this run took, whose
                            values they do not have themselves, because none was needed to decide
      kept_of_earlier_runs  how many are kept with a row that the publisher held before, likewise
      merge_conflicts       how many are in a conflict of merge replication
    One of each while dbt parses, and where nothing has been decided yet. -#}
{% macro decision_facts() -%}
    {%- set decisions = ref('change_decisions') -%}
    {%- if not execute or load_cached_relation(decisions) is none -%}
        {{ return({'kept_of_this_run': 1, 'kept_of_earlier_runs': 1, 'merge_conflicts': 1}) }}
    {%- endif -%}
    {%- set facts %}
        select
            count_if(is_kept and is_of_this_run) as kept_of_this_run,
            count_if(is_kept and not is_of_this_run) as kept_of_earlier_runs,
            count_if(replication = 'merge' and conflict_kind is not null) as merge_conflicts
        from (
            select
                replication,
                conflict_kind,
                kept_row.is_of_this_run,
                not kept_row.is_deleted
                and not {{ replication_conflicts.publication_needs_values() }} as is_kept
            from {{ decisions }}
            where run_id = '{{ invocation_id }}'
        )
        where
            is_kept
            or conflict_kind is not null
    {% endset -%}
    {%- set row = run_query(facts).rows[0] -%}
    {{ return({
        'kept_of_this_run': row['kept_of_this_run'] or 0,
        'kept_of_earlier_runs': row['kept_of_earlier_runs'] or 0,
        'merge_conflicts': row['merge_conflicts'] or 0
    }) }}
{%- endmacro %}
