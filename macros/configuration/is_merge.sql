{#- Whether a publication replicates by merge; without a name, whether any does. -#}
{% macro is_merge(publication=none) -%}
    {%- for name, settings in replication_conflicts.publications().items() if publication in [none, name] -%}
        {%- if settings is mapping and settings.get('replication') == 'merge' -%}
            {{ return(true) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
