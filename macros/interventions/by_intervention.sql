{#- One expression for interventions and one for changes, over the column intervention. -#}
{% macro by_intervention(special, normal) -%}
    case
        when intervention is not null then {{ special | indent(4) }}
        else {{ normal | indent(4) }}
    end
{%- endmacro %}
