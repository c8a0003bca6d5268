{#- The last run whose decisions a ledger model's own table has taken, as an SQL expression: what is newer in the decision log is
    news. 0 where the model gives everything: there is no table yet, or a full refresh was asked for. -#}
{% macro last_run_taken() -%}
    {%- if replication_conflicts.takes_only_news() -%}
        (select coalesce(max(run_sequence), 0) from {{ this }})
    {%- else -%}
        0
    {%- endif -%}
{%- endmacro %}
