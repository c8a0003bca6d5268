{#- Whether any change of this run may be older than what its publication keeps: older than the newest change that is known, less
    the days that are kept. Mostly none is, and then nobody need go through the queue in its order to know the clock at each
    change. false while dbt parses.
    `progress`: the query of queue_progress. -#}
{% macro has_aged_changes(progress) -%}
    {%- set incoming = ref('incoming_changes') -%}
    {%- if not replication_conflicts.scratch_has_rows(incoming) -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set aged %}
        select 1
        from {{ incoming }} as incoming
        inner join {{ ref('configured_publications') }} as publications
            on incoming.publication = publications.publication
        left join ({{ progress }}) as progress on incoming.publication = progress.publication
        where incoming.run_id = '{{ invocation_id }}'
        group by incoming.publication, publications.retention_days, progress.clock
        having
            min(incoming.changed_at)
            < greatest(max(incoming.changed_at), progress.clock) - make_dt_interval(publications.retention_days)
        limit 1
    {% endset -%}
    {{ return(run_query(aged).rows | length > 0) }}
{%- endmacro %}
