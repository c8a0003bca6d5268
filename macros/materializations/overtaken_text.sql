{#- What a run is told that another one has overtaken. -#}
{% macro overtaken_text() -%}
    {{ return(
        'another run has decided changes while this one was deciding. Nothing of this run is in '
        ~ 'the decision log: run again.'
    ) }}
{%- endmacro %}
