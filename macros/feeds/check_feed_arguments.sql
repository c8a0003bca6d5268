{#- Stops with the names of arguments that a macro for a feed needs and was not given: without them
    Spark would only speak of a syntax error. `arguments`: name to value. -#}
{% macro check_feed_arguments(macro_name, publication, article, arguments) -%}
    {%- set missing = [] -%}
    {%- for name, value in arguments.items() if not value -%}
        {%- do missing.append(name) -%}
    {%- endfor -%}
    {%- if missing -%}
        {{ exceptions.raise_compiler_error(
            "publication '" ~ publication ~ "', article '" ~ article ~ "': " ~ macro_name
            ~ ' needs ' ~ missing | join(', ')
            ~ ', each an SQL expression over its relation or the name of a column. See '
            ~ 'docs/feed_contract.md of replication_conflicts.'
        ) }}
    {%- endif -%}
{%- endmacro %}
