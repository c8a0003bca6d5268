{#- The relation that a round of a model reads: `relation` in the first round, later what the round assumes of the one before; and
    the round before itself, where the model says what is assumed. -#}
{% macro previous_round(relation) -%}
    {{ relation }}
{%- endmacro %}
