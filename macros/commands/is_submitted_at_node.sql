{#- Whether a person has submitted a failed change that its node keeps: what that has becomes what
    was decided. Never NULL. Over the columns of change_outcomes. -#}
{% macro is_submitted_at_node() -%}
    coalesce(rule = 'submit_loser' and is_written and new_version is not null, false)
{%- endmacro %}
