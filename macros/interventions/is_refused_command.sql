{#- Whether a row of the decision log is a command that a subscriber refused. -#}
{% macro is_refused_command(rule='rule') -%}
    {{ return(rule ~ " <=> 'refused_command'") }}
{%- endmacro %}
