{#- How many changes the feeds of all articles have, second copies included; 0 while dbt parses, and
    of feeds that are not there yet. -#}
{% macro feed_length() -%}
    {%- set counts = [] -%}
    {%- for item in replication_conflicts.article_list() -%}
        {%- set staged = ref('stg_' ~ item.publication ~ '__' ~ item.article) -%}
        {%- if execute and load_cached_relation(staged) is not none -%}
            {%- do counts.append('select count(*) as changes from ' ~ staged) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not counts -%}
        {{ return(0) }}
    {%- endif -%}
    {%- set total = run_query(
        'select sum(changes) from (' ~ counts | join(' union all ') ~ ')'
    ) -%}
    {{ return(total.columns[0].values()[0]) }}
{%- endmacro %}
