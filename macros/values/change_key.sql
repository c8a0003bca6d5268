{#- What a change is known by, over the columns of staged changes: its id; without one, its content
    and its place in the queue. -#}
{% macro change_key() -%}
coalesce(
    change_id,
    concat('missing:', md5(concat_ws(
        '|', article, cast(content_hash as string), cast(queue_position as string)
    )))
)
{%- endmacro %}
