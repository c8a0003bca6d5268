{#- What a configuration may ask for one day but not yet: options with what would silently not happen. The list shrinks as
    capabilities arrive. An option that asks for nothing ([], {}, false) is let through. -#}
{% macro unsupported_options() -%}
    {{ return({
        'publication': {},
        'article': {}
    }) }}
{%- endmacro %}
