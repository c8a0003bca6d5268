{{ config(materialized='kept_view') }}
{%- do check_configuration() %}

-- one row per publication of vars: publications:
{% for publication, settings in publications().items() -%}
select
    '{{ publication }}' as publication,
    '{{ settings.replication }}' as replication,
    {% if settings.replication == 'queued' -%}
    '{{ settings.get('policy', 'publisher_wins') }}' as policy,
    {%- else -%}
    cast(null as string) as policy,
    {%- endif %}
    {{ sql_text(settings.publisher) }} as publisher,
    {{ settings.get('retention_days', 14) }} as retention_days,
    {{ settings.get('conflict_retention_days', 14) }} as conflict_retention_days
{% if not loop.last %}union all
{% endif -%}
{%- else -%}
select
    cast(null as string) as publication,
    cast(null as string) as replication,
    cast(null as string) as policy,
    cast(null as string) as publisher,
    cast(null as int) as retention_days,
    cast(null as int) as conflict_retention_days
where false
{%- endfor %}
