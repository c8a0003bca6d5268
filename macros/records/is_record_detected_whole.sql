{#- Whether a change is of an article whose logical record is detected as a whole, over the columns publication and article. -#}
{% macro is_record_detected_whole() -%}
{%- set found = [] -%}
{%- for item in replication_conflicts.record_articles() if item.detection -%}
    {%- do found.append("'" ~ item.publication ~ '.' ~ item.article ~ "'") -%}
{%- endfor -%}
{{ return("concat(publication, '.', article) in (" ~ found | join(', ') ~ ')' if found else 'false') }}
{%- endmacro %}
