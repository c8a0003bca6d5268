{#- Edited columns with their values as canonical text, over the columns publication and article. A value that its column cannot hold
    becomes NULL. -#}
{% macro canonical_edits(edited) -%}
case
        {%- for item in replication_conflicts.article_list() %}
        when publication = '{{ item.publication }}' and article = '{{ item.article }}'
            then map_filter(
                map(
                    {%- for column, data_type in item.options.columns.items() %}
                    '{{ column }}', {{ replication_conflicts.canonical_text(
                        replication_conflicts.typed_value(edited ~ "['" ~ column ~ "']", data_type), data_type
                    ) | indent(20) }}
                    {%- if not loop.last %},{% endif %}
                    {%- endfor %}
                ),
                (edited_column, edited_value) -> map_contains_key({{ edited }}, edited_column)
            )
        {%- endfor %}
        else cast(map() as map<string,string>)
    end
{%- endmacro %}
