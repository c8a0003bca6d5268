{#- The text of edited columns; a seed has an empty cell as '' or 'None'. -#}
{% macro edited_text() -%}
    {{ return("if(trim(edited) in ('', 'None'), null, edited)") }}
{%- endmacro %}
