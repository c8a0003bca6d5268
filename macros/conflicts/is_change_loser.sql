{#- Whether a decided change lost its conflict, and not what it met. Over the columns of
    change_outcomes. -#}
{% macro is_change_loser() -%}
    {{ return('coalesce(loser_change_id = change_id, false)') }}
{%- endmacro %}
