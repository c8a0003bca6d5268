{#- Whether no run from number `sequence` on is in the decision log, as a condition; it fails when
    one is. It is evaluated by the commit itself. -#}
{% macro is_next_run(log, sequence) -%}
    if(
        (select max(run_sequence) from {{ log }} where run_sequence >= {{ sequence }}) is null,
        true,
        cast(raise_error('{{ replication_conflicts.overtaken_text() }}') as boolean)
    )
{%- endmacro %}
