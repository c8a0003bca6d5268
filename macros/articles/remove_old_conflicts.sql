{#- The statement that removes from a table of conflicts, `this`, those that are older than their publication keeps them; empty
    where there are none, so that the table gets no new version. A post-hook: a run that died before it came here is made
    good by the next. `publication`: an SQL expression over the table's columns. -#}
{% macro remove_old_conflicts(publication) -%}
    {%- set old = 'select conflict_id from ' ~ this ~ ' as recorded where transaction_position < '
        ~ replication_conflicts.first_kept_position(publication) -%}
    {%- if execute and run_query(old ~ ' limit 1').rows | length > 0 -%}
        merge into {{ this }} as conflicts
        using ({{ old }}) as old
        on conflicts.conflict_id = old.conflict_id
        when matched then delete
    {%- endif -%}
{%- endmacro %}
