{#- Compares a feed's columns with the contract and with the article's configuration. A missing
    column, or one of another type, would turn values into NULL in silence: it stops the build with
    an error that names feed, column and types. -#}
{% macro check_feed_columns(publication, article, feed) -%}
    {%- set expected = {
        'change_id': 'string', 'queue_position': 'bigint', 'node': 'string',
        'transaction_id': 'string',
        'transaction_change_count': 'int', 'operation': 'string', 'changed_at': 'timestamp'
    } -%}
    {%- set version_types = replication_conflicts.version_columns() -%}
    {%- for column in replication_conflicts.contract_version_columns(publication) -%}
        {%- do expected.update({column: version_types[column]}) -%}
    {%- endfor -%}
    {%- set options = replication_conflicts.article_options(publication, article) -%}
    {%- for column, data_type in options.columns.items() -%}
        {%- do expected.update({column: data_type}) -%}
    {%- endfor -%}
    {%- set relation = adapter.get_relation(feed.database, feed.schema, feed.identifier) -%}
    {%- if relation is none and flags.WHICH == 'generate' -%}
        {#- dbt's pages describe the models of a project that has no feeds yet as well -#}
        {{ return('') }}
    {%- elif relation is none -%}
        {{ exceptions.raise_compiler_error(
            "publication '" ~ publication ~ "', article '" ~ article ~ "': its change feed " ~ feed
            ~ " does not exist. Load it, or correct the source 'feeds'."
        ) }}
    {%- endif -%}
    {%- set found = {} -%}
    {%- for column in adapter.get_columns_in_relation(relation) -%}
        {%- do found.update({column.name | lower: column.dtype | lower}) -%}
    {%- endfor -%}
    {%- set problems = [] -%}
    {%- for column, data_type in expected.items() -%}
        {%- set actual = found.get(column | lower) -%}
        {%- if actual is none -%}
            {%- do problems.append(column ~ ' is missing (' ~ data_type ~ ')') -%}
        {%- elif
            replication_conflicts.plain_type(actual) != replication_conflicts.plain_type(data_type)
        -%}
            {%- do problems.append(column ~ ' is ' ~ actual ~ ', must be ' ~ data_type) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if problems -%}
        {{ exceptions.raise_compiler_error(
            "publication '" ~ publication ~ "', article '" ~ article ~ "': the change feed "
            ~ relation ~ " does not have the columns of the contract: " ~ problems | join('; ')
            ~ ". Correct the feed, or the article's columns under vars: publications: in "
            ~ "dbt_project.yml."
        ) }}
    {%- endif -%}
{%- endmacro %}
