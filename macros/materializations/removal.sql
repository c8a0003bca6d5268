{#- The statement that removes rows from a table; empty where there are none, so that the table gets
    no new version. A merge, because Delta's delete takes no subqueries. `going`: a query of the
    values of column `by` in the table whose rows go. -#}
{% macro removal(target, by, going) -%}
    {%- if run_query(going ~ ' limit 1').rows | length > 0 -%}
        merge into {{ target }} as recorded
        using (select distinct {{ by }} from ({{ going }})) as going
        on recorded.{{ by }} = going.{{ by }}
        when matched then delete
    {%- endif -%}
{%- endmacro %}
