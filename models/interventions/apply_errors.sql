{{ config(materialized='kept_view', enabled=has_apply_errors()) }}

-- Commands that subscribers have refused, of all publications that take such reports.

{% for publication in publications() if has_apply_errors(publication) -%}
select
    '{{ publication }}' as publication,
    cast(queue_position as bigint) as queue_position,
    subscriber,
    command_id,
    article,
    key,
    cast(error_code as int) as error_code,
    error_text,
    row
from {{ source('feeds', publication ~ '__apply_errors') }}
{% if not loop.last %}union all
{% endif -%}
{%- endfor %}
