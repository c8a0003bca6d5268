{#- One expression for interventions and one for changes, over the column intervention. Where this run has no interventions, the
    second alone: what is not there costs no time to plan. -#}
{% macro by_intervention(has_interventions, special, normal) -%}
{%- if has_interventions -%}
case
        when intervention is not null then {{ special | indent(4) }}
        else {{ normal | indent(4) }}
    end
{%- else -%}
{{ normal }}
{%- endif -%}
{%- endmacro %}
