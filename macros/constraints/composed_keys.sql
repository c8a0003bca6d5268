{#- The unique and foreign keys whose value a run may put together itself, so that no change has it:
    of several columns, where columns are tracked and merged, or people may edit some of them in a
    row as it is held; and with a column that a resolver computes. A mapping of
    '<publication>.<key>' to the indexes of the columns, counted from 0, that may have any value,
    because a resolver may compute them. -#}
{% macro composed_keys() -%}
    {%- set composed = {} -%}
    {%- set is_edited = replication_conflicts.has_interventions() -%}
    {%- for item in replication_conflicts.article_list('merge')
        if is_edited or item.options.get('tracking', 'row') == 'column'
    -%}
        {%- set computed = (item.options.get('resolver') or {}).get('column') -%}
        {%- for side in replication_conflicts.key_sides(item)
            if side.columns | length > 1 or computed in side.columns
        -%}
            {%- set key = item.publication ~ '.' ~ side.id -%}
            {%- if key not in composed -%}
                {%- do composed.update({key: []}) -%}
            {%- endif -%}
            {%- for column in side.columns if column == computed -%}
                {%- do composed[key].append(side.columns.index(column)) -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(composed) }}
{%- endmacro %}
