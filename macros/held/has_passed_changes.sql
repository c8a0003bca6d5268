{#- Whether any change of merge replication in this run stands where the queue has been taken: late, or in a session that has waited
    for the rest. Mostly none does, and then nobody need ask which sessions the queue has passed. false while dbt parses.
    `progress`: the query of queue_progress. -#}
{% macro has_passed_changes(progress) -%}
    {%- set incoming = ref('incoming_changes') -%}
    {%- if not replication_conflicts.scratch_has_rows(incoming) -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set passed %}
        select 1
        from {{ incoming }} as incoming
        inner join {{ ref('configured_publications') }} as publications
            on incoming.publication = publications.publication
        inner join ({{ progress }}) as progress on incoming.publication = progress.publication
        where
            incoming.run_id = '{{ invocation_id }}'
            and publications.replication = 'merge'
            and incoming.queue_position <= progress.last_position
        limit 1
    {% endset -%}
    {{ return(run_query(passed).rows | length > 0) }}
{%- endmacro %}
