{#- What a ledger of conflicts removes: the records of conflicts that people have decided. -#}
{% macro decided_rows() -%}
    {{ return({
        'model': 'decided_conflicts', 'by': 'conflict_id', 'where': "outcome = 'applied'"
    }) }}
{%- endmacro %}
