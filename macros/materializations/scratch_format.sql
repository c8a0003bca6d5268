{#- How the tables of a run are kept: plain files, read once or twice. Looking for values that repeat, as Parquet does for
    dictionaries, takes a fifth of the time of writing them, and finding each column's smallest and largest value another. -#}
{% macro scratch_format() -%}
    using parquet options (
        'parquet.enable.dictionary' = 'false',
        'parquet.column.statistics.enabled' = 'false',
        'parquet.size.statistics.enabled' = 'false'
    )
{%- endmacro %}
