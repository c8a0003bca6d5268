{#- A change as a number: two copies of it have the same. Its place in the queue does not count, nor
    does the order in which a map or a list of names has its entries, nor the order of the article's
    columns or one without a value: an article that gets a column knows its changes again. Every run
    works it out for all that the feeds still have, so that it is made of values, not of texts.
    Spark's hash passes over NULL: that a value is missing counts beside it, a column that has a
    value counts with its name, and how many entries a list has.

    publication: name under vars: publications:.  columns: column name to data type, those
    of the article -#}
{% macro content_hash(publication, columns) -%}
    {%- set values = [
        'article', 'node', 'transaction_id', 'transaction_change_count', 'operation', 'changed_at'
    ] -%}
    {%- set of_versions = {
        'lineage': ['sort_array(map_entries(lineage))', 'size(lineage)'],
        'changed_columns': ['sort_array(changed_columns)', 'size(changed_columns)'],
        'previous_values': ['to_json(sort_array(map_entries(previous_values)))'],
        'priority': ['cast(priority as string)']
    } -%}
    {%- for column in replication_conflicts.contract_version_columns(publication) -%}
        {%- do values.extend(of_versions.get(column, [column])) -%}
    {%- endfor -%}
xxhash64(
    {%- for value in values %}
    {{ value }}, {{ value }} is null,
    {%- endfor %}
    {%- for column, data_type in columns | dictsort %}
    {%- set value = replication_conflicts.hashed_value(adapter.quote(column), data_type) %}
    {{ value }}, if({{ value }} is null, null, '{{ column | lower }}'){{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
