{#- Whether rows of a publication may be refused for what they say: unique or foreign keys, NULLs,
    checks or row filters. -#}
{% macro has_constraints(publication) -%}
    {%- for options in replication_conflicts.publications()[publication].articles.values() -%}
        {%- for option in ['unique', 'foreign_keys', 'not_null', 'check', 'row_filter']
            if options.get(option)
        -%}
            {{ return(true) }}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
