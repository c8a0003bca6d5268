{#- Merge replication: the version of a row that is held, or of its delete; NULL under queued
    updating. `state` is a row_state. -#}
{% macro writer_version(state) -%}
{%- set writer = state ~ '.merge_version.writer' -%}
{{ replication_conflicts.version_text(writer ~ '.node', writer ~ '.number') }}
{%- endmacro %}
