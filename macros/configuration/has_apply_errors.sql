{#- Whether a publication's subscribers report commands that they refused; without a name, whether
    any publication's do. -#}
{% macro has_apply_errors(publication=none) -%}
    {%- for name, settings in replication_conflicts.publications().items()
        if publication in [none, name]
    -%}
        {%- if settings is mapping and settings.get('apply_errors') -%}
            {{ return(true) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
