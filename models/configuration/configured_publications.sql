{{ config(materialized='kept_view') }}
{%- do check_configuration() %}

-- one row per publication of vars: publications:
select *
from values
{%- for publication, settings in publications().items() %}
    (
        '{{ publication }}',
        '{{ settings.replication }}',
        {% if settings.replication == 'queued' -%}
        '{{ settings.get('policy', 'publisher_wins') }}',
        {%- else -%}
        cast(null as string),
        {%- endif %}
        {{ sql_text(settings.publisher) }},
        {{ settings.get('retention_days', 14) }},
        {{ settings.get('conflict_retention_days', 14) }}
    ){{ ',' if not loop.last }}
{%- else %}
    (
        cast(null as string),
        cast(null as string),
        cast(null as string),
        cast(null as string),
        cast(null as int),
        cast(null as int)
    )
{%- endfor %}
as configured (
    publication,
    replication,
    policy,
    publisher,
    retention_days,
    conflict_retention_days
)
where publication is not null
