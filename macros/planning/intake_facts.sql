{#- What a run asks about what came in before it takes it, in one small query. A dict of booleans:
      has_aged    whether any change may be older than what its publication keeps: older than the
                  newest change that is known, less the days that are kept. Mostly none is, and then
                  nobody need go through the queue in its order to know the clock at each change
      has_passed  whether any change of merge replication stands where the queue has been taken:
                  late, or in a session that has waited for the rest. Mostly none does, and then
                  nobody need ask which sessions the queue has passed
      has_cut_off whether a run that died has rejected some changes of a session, and taken others
      of it that the log does not have
    All true while dbt parses.

    progress  the query of queue_progress
    rejected  the rejected changes as the last run left them, or none
    sequence  the number of this run; only looked at with rejected changes -#}
{% macro intake_facts(progress, rejected, sequence) -%}
    {%- if not execute -%}
        {{ return({'has_aged': true, 'has_passed': true, 'has_cut_off': true}) }}
    {%- endif -%}
    {%- set incoming = ref('incoming_changes') -%}
    {%- if not replication_conflicts.scratch_has_rows(incoming) -%}
        {{ return({'has_aged': false, 'has_passed': false, 'has_cut_off': false}) }}
    {%- endif -%}
    {%- set facts %}
        select
            count_if(oldest_change < newest_change - make_dt_interval(retention_days))
                as aged_publications,
            count_if(replication = 'merge' and first_position <= last_position)
                as passed_publications,
            {% if rejected -%}
            (
                select count(*)
                from ({{ replication_conflicts.earlier_rejections(rejected, sequence) }})
            )
            {%- else -%}
            0
            {%- endif %} as cut_off_sessions
        from (
            select
                publications.replication,
                publications.retention_days,
                progress.last_position,
                min(incoming.changed_at) as oldest_change,
                greatest(max(incoming.changed_at), progress.newest_change) as newest_change,
                min(incoming.queue_position) as first_position
            from {{ incoming }} as incoming
            inner join {{ ref('configured_publications') }} as publications
                on incoming.publication = publications.publication
            left join ({{ progress }}) as progress on incoming.publication = progress.publication
            where incoming.run_id = '{{ invocation_id }}'
            group by
                incoming.publication,
                publications.replication,
                publications.retention_days,
                progress.last_position,
                progress.newest_change
        )
    {% endset -%}
    {%- set row = run_query(facts).rows[0] -%}
    {{ return({
        'has_aged': row['aged_publications'] > 0,
        'has_passed': row['passed_publications'] > 0,
        'has_cut_off': row['cut_off_sessions'] > 0
    }) }}
{%- endmacro %}
