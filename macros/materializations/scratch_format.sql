{#- How the tables of a run are kept: plain files, read once or twice. Looking for values that
    repeat, as Parquet does for dictionaries, takes a fifth of the time of writing them, and finding
    each column's smallest and largest value another. The comment tells the dbt plugin that files
    which a killed run has left in the table's place may go. -#}
{% macro scratch_format() -%}
    /* scratch of replication_conflicts */ using parquet options (
        'parquet.enable.dictionary' = 'false',
        'parquet.column.statistics.enabled' = 'false',
        'parquet.size.statistics.enabled' = 'false'
    )
{%- endmacro %}
