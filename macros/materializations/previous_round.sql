{#- The relation that a round of a model reads: `relation` in the first round, later what the round
    assumes of the one before; and the round before itself, where the model says what is assumed.
    The comment tells it from the relation as it is, which a round may read, too. -#}
{% macro previous_round(relation) -%}
    {{ return(relation ~ ' /* as the round before left it */') }}
{%- endmacro %}
