{#- Whether a row lies in a subscriber's partition; one without a row filter has every row. Never
    NULL, but for a NULL subscriber.
    Rule: documented row filters. Over the column filtered_subscribers of configured_articles.

    partitions: SQL of the subscribers with a row filter whose partition holds the row.  subscriber:
    SQL of the name -#}
{% macro is_inside_partition(partitions, subscriber) -%}
    (
        filtered_subscribers is null
        or not array_contains(filtered_subscribers, {{ subscriber }})
        or coalesce(array_contains({{ partitions }}, {{ subscriber }}), false)
    )
{%- endmacro %}
