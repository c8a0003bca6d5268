{#- Merge replication: whether a change that stands leaves the columns that it does not write as
    they are held: an update under column tracking of a row that is there. Over the columns
    operation and tracked_columns; `held` is a row_state. Never NULL. -#}
{% macro keeps_other_columns(held) -%}
(
    operation = 'update'
    and coalesce(not {{ held }}.is_deleted, false)
    and not array_contains(tracked_columns, '*')
)
{%- endmacro %}
