{#- Whether a change is of an article whose logical record is detected as a whole, over the columns
    publication and article. -#}
{% macro is_record_detected_whole() -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.record_articles() if item.detection -%}
    {%- do branches.append({'item': item, 'value': 'true'}) -%}
{%- endfor -%}
{{ replication_conflicts.by_article(branches, 'false') }}
{%- endmacro %}
