{#- Conditions of a case: whether the rules apply what stands in a logical record. An image changes nothing; a row that the run
    writes always stands; a change stands or falls with its record. -#}
{% macro record_allowance() -%}
when operation = 'image' or is_obsolete then false
            when is_run_row then true
            when record_verdict is not null then record_verdict = 'won'
{%- endmacro %}
