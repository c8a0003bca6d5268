{#- What this run has to look at, in one small query: {'changes': how many, 'has_aged': whether any of them may be older than what its
    publication keeps}. Older is older than the newest change that is known, less the days that are kept. Mostly none is, and then
    nobody need go through the queue in its order to know the clock at each change. Nothing while dbt parses.
    `progress`: the query of queue_progress. -#}
{% macro incoming_facts(progress) -%}
    {%- set incoming = ref('incoming_changes') -%}
    {%- if not replication_conflicts.scratch_has_rows(incoming) -%}
        {{ return({'changes': 0, 'has_aged': false}) }}
    {%- endif -%}
    {%- set facts %}
        select
            sum(changes) as changes,
            coalesce(max(is_aged), false) as has_aged
        from (
            select
                count(*) as changes,
                min(incoming.changed_at)
                < greatest(max(incoming.changed_at), progress.clock) - make_dt_interval(publications.retention_days)
                    as is_aged
            from {{ incoming }} as incoming
            inner join {{ ref('configured_publications') }} as publications
                on incoming.publication = publications.publication
            left join ({{ progress }}) as progress on incoming.publication = progress.publication
            where incoming.run_id = '{{ invocation_id }}'
            group by incoming.publication, publications.retention_days, progress.clock
        )
    {% endset -%}
    {%- set row = run_query(facts).rows[0] -%}
    {{ return({'changes': row[0] or 0, 'has_aged': row[1]}) }}
{%- endmacro %}
