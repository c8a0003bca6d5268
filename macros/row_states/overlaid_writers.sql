{#- Who wrote the columns after a change that writes only some of them. -#}
{% macro overlaid_writers(held) -%}
{%- set named = held ~ '.merge_version.column_writers.named' -%}
{%- set written = (
    'map_from_arrays(standing_columns, array_repeat(own_writer, size(standing_columns)))'
) -%}
{%- set all_named -%}
    if(
            size({{ named }}) = 0,
            {{ written }},
            map_concat(
                map_filter(
                    {{ named }},
                    (named_column, writer) -> not array_contains(standing_columns, named_column)
                ),
                {{ written }}
            )
        )
{%- endset -%}
{#- counted first, which mostly answers it -#}
{%- set are_others_left -%}
    (
            size({{ named }}) + size(standing_columns) < size(tracked_columns)
            or size(array_except(
                tracked_columns, array_union(map_keys({{ named }}), standing_columns)
            )) > 0
        )
{%- endset -%}
{{ replication_conflicts.column_writers(
    all_named,
    'if(' ~ are_others_left ~ ', ' ~ held ~ '.merge_version.column_writers.others, null)'
) }}
{%- endmacro %}
