{#- What a ledger of the configuration was last told, as an aggregate over its rows: that of the last run, and of runs of one number, of
    which only the last one has decided anything, that of the last. -#}
{% macro last_recorded(column) -%}
max_by({{ column }}, struct(run_sequence, recorded_at))
{%- endmacro %}
