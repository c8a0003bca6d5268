{#- The edited columns of people's decisions as map<string,string>, NULL where there are none. They
    come as such a map, or, as in a seed, as the text of a JSON object: of `relation` the type of
    the column says which. -#}
{% macro edited_values(relation) -%}
    {%- for column in adapter.get_columns_in_relation(relation)
        if column.name | lower == 'edited'
    -%}
        {%- if not column.dtype | lower | trim == 'string' -%}
            {{ return('edited') }}
        {%- endif -%}
    {%- endfor -%}
    {{ return('from_json(' ~ replication_conflicts.edited_text() ~ ", 'map<string,string>')") }}
{%- endmacro %}
