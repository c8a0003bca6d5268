{{ config(materialized='view') }}
{%- do check_configuration() %}

-- one row per article of a publication
{% for item in article_list() -%}
select
    '{{ item.publication }}' as publication,
    '{{ item.article }}' as article,
    array('{{ item.options.primary_key | join("', '") }}') as primary_key,
    {{ article_depth(item.publication, item.article) }} as depth,
    '{{ item.options.get('conflict_logging', 'both') }}' as conflict_logging
{% if not loop.last %}union all
{% endif -%}
{%- else -%}
select
    cast(null as string) as publication,
    cast(null as string) as article,
    cast(null as array<string>) as primary_key,
    cast(null as int) as depth,
    cast(null as string) as conflict_logging
where false
{%- endfor %}
