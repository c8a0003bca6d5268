{#- The statement that removes from a table of conflicts, `this`, those that are older than their
    publication keeps them; empty where there are none, so that the table gets no new version. A
    post-hook: a run that died before it came here is made good by the next. `publication`: an SQL
    expression over the table's columns. -#}
{% macro remove_old_conflicts(publication) -%}
    {%- set old = 'select conflict_id from ' ~ this ~ ' as recorded where transaction_position < '
        ~ replication_conflicts.first_kept_position(publication) -%}
    {%- set drops_any = (
        'select 1 from ' ~ ref('conflict_retention')
        ~ ' where first_kept_position is not null limit 1'
    ) -%}
    {#- conflicts grow old by the clock, which stands still where the log has nothing new; and most
        publications are younger than what they keep -#}
    {%- set noted = replication_conflicts.log_news('conflict_retention') if execute else none -%}
    {%- if
        execute and not (noted and not noted.has_news) and run_query(drops_any).rows | length > 0
    -%}
        {{ replication_conflicts.removal(this, 'conflict_id', old) }}
    {%- endif -%}
{%- endmacro %}
