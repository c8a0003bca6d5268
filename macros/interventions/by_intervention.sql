{#- One expression for interventions and one for changes, over the column intervention. -#}
{% macro by_intervention(intervention, change) -%}
    case
        when intervention is not null then {{ intervention | indent(4) }}
        else {{ change | indent(4) }}
    end
{%- endmacro %}
