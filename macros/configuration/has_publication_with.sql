{#- Whether a publication has an option with this value; without a name, whether any has. -#}
{% macro has_publication_with(option, value, publication=none) -%}
    {%- for name, settings in replication_conflicts.publications().items()
        if publication in [none, name]
    -%}
        {%- if settings is mapping and settings.get(option) == value -%}
            {{ return(true) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
