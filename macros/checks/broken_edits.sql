{#- Decisions whose edited columns are a text that is no JSON object, as a query: conflict_id,
    problem. -#}
{% macro broken_edits() -%}
{%- set decisions = ref('conflict_decisions') -%}
{%- set values = replication_conflicts.edited_values(decisions) -%}
select
    conflict_id,
    {%- if values == 'edited' %}
    '' as problem
    {%- else %}
    concat(
        "edited is '",
        edited,
        '\', must be a JSON object of column and value, like {"price": 41.00}.'
    ) as problem
    {%- endif %}
from {{ decisions }}
where
    {% if values == 'edited' -%}
    false
    {%- else -%}
    {{ replication_conflicts.edited_text() }} is not null and {{ values }} is null
    {%- endif %}
{%- endmacro %}
