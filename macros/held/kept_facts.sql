{#- How many decisions of this run are kept with a row whose values they do not have themselves, because none was needed to decide, in one
    small query: {'of_this_run': the row is of a change that this run took, 'of_earlier_runs': the publisher held it before}. Mostly few
    are, and then nobody need look for them in all that arrived and is published. One of each while dbt parses, and
    where nothing has been decided yet. -#}
{% macro kept_facts() -%}
    {%- set decisions = ref('change_decisions') -%}
    {%- if not execute or load_cached_relation(decisions) is none -%}
        {{ return({'of_this_run': 1, 'of_earlier_runs': 1}) }}
    {%- endif -%}
    {%- set facts %}
        select
            count_if(kept_row.is_of_this_run) as of_this_run,
            count_if(not kept_row.is_of_this_run) as of_earlier_runs
        from {{ decisions }}
        where
            run_id = '{{ invocation_id }}'
            and not kept_row.is_deleted
            and not {{ replication_conflicts.publication_needs_values() }}
    {% endset -%}
    {%- set row = run_query(facts).rows[0] -%}
    {{ return({'of_this_run': row[0] or 0, 'of_earlier_runs': row[1] or 0}) }}
{%- endmacro %}
