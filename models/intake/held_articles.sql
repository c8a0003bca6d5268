{{ config(materialized='scratch') }}
{%- set held = held_state_now() %}

-- Where this run finds the rows that the publisher holds, one row per article: asked once, and read
-- by every model that needs those rows.

{% for item in article_list() -%}
{%- set place = held[item.publication ~ '.' ~ item.article] -%}
select
    '{{ item.publication }}' as publication,
    '{{ item.article }}' as article,
    '{{ place.base }}' as base,
    cast({{ place.sequence }} as bigint) as run_sequence,
    {{ place.overlay | lower }} as is_overlaid,
    cast({{ place.log if place.log is not none else 'null' }} as bigint) as log_sequence,
    '{{ invocation_id }}' as run_id
{% if not loop.last %}union all
{% endif -%}
{%- endfor %}
