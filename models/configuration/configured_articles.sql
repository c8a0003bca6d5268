{{ config(materialized='kept_view') }}
{%- do check_configuration() %}

-- one row per article of a publication
{% for item in article_list() -%}
select
    '{{ item.publication }}' as publication,
    '{{ item.article }}' as article,
    array('{{ item.options.primary_key | join("', '") }}') as primary_key,
    {{ article_depth(item.publication, item.article) }} as depth,
    '{{ item.options.get('conflict_logging', 'both') }}' as conflict_logging,
    '{{ item.options.get('tracking', 'row') }}' as tracking,
    {{ item.options.get('compensate_for_errors', false) | lower }} as compensate_for_errors,
    {% if item.options.get('row_filter') -%}
    array({{ sql_texts(item.options.row_filter) }}) as filtered_subscribers,
    {%- else -%}
    cast(null as array<string>) as filtered_subscribers,
    {%- endif %}
    {{ ((item.options.get('resolver') or {}).get('name') != 'upload_only') | lower }} as is_downloaded
{% if not loop.last %}union all
{% endif -%}
{%- else -%}
select
    cast(null as string) as publication,
    cast(null as string) as article,
    cast(null as array<string>) as primary_key,
    cast(null as int) as depth,
    cast(null as string) as conflict_logging,
    cast(null as string) as tracking,
    cast(null as boolean) as compensate_for_errors,
    cast(null as array<string>) as filtered_subscribers,
    cast(null as boolean) as is_downloaded
where false
{%- endfor %}
