{#- What merge replication tracks of an article: its columns under column tracking, else '*', which
    stands for the whole row. A list of names. -#}
{% macro tracked_columns(options) -%}
    {%- if options.get('tracking', 'row') != 'column' -%}
        {{ return(['*']) }}
    {%- endif -%}
    {{ return(options.columns | list) }}
{%- endmacro %}
