{#- What a row of a logical record was before a change, as its node had it, if the change says what
    stood in a column that names the row above; else NULL. Only those columns count. Over the
    columns publication, article, operation, change_row and previous_values of a change. -#}
{% macro left_row() -%}
{%- set branches = [] -%}
{%- for one in replication_conflicts.record_articles() | selectattr('parent') -%}
    {%- set said = [] -%}
    {%- for column in one.columns -%}
        {%- do said.append("map_contains_key(previous_values, '" ~ column ~ "')") -%}
    {%- endfor -%}
    {%- do branches.append({'item': one, 'value': said | join(' or ')}) -%}
{%- endfor -%}
if(
    operation <> 'image'
    and {{ replication_conflicts.by_article(branches, 'false') | indent(4) }},
    map_concat(
        map_filter(
            change_row, (name, value) -> not map_contains_key(previous_values, name)
        ),
        previous_values
    ),
    null
)
{%- endmacro %}
