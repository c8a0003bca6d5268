{#- The id of a refused command in the decision log: the same however often it is reported.
    `reports`: the relation with the reports, in the columns of apply_errors. -#}
{% macro refusal_id(reports) -%}
concat('refused/', {{ reports }}.subscriber, '/', {{ reports }}.command_id)
{%- endmacro %}
