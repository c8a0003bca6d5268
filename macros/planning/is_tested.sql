{#- Which rows of a ledger a test of data looks at, as a condition: in a build those of the newest
    run, so that tests do not take longer from run to run; with `dbt test` all.

    ledger: a relation with the column run_sequence -#}
{% macro is_tested(ledger) -%}
    {%- if flags.WHICH == 'build' -%}
        run_sequence = (select max(run_sequence) from {{ ledger }})
    {%- else -%}
        true
    {%- endif -%}
{%- endmacro %}
