{#- The newest run in a table, as an SQL expression; 0 where the table is empty. -#}
{% macro newest_run(relation) -%}
    (select coalesce(max(run_sequence), 0) from {{ relation }})
{%- endmacro %}
