{#- The configured publications: a mapping of publication name to its options. -#}
{% macro publications() -%}
    {{ return(var('publications', {})) }}
{%- endmacro %}
