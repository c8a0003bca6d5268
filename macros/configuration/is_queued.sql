{#- Whether a publication replicates by queued updating; without a name, whether any does. -#}
{% macro is_queued(publication=none) -%}
    {%- for name, settings in replication_conflicts.publications().items() if publication in [none, name] -%}
        {%- if settings is mapping and settings.get('replication') == 'queued' -%}
            {{ return(true) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
