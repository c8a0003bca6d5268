{#- At the start of an invocation: an error for what dbt can be asked for and a run cannot do. With
    `--empty` everything that is read would seem to be gone: views of the published rows and of the
    feeds would be made anew without rows. -#}
{% macro check_flags() -%}
    {%- if execute and flags.EMPTY -%}
        {{ exceptions.raise_compiler_error(
            '--empty would make the published rows and the feeds anew without rows. Leave it out: '
            ~ '`dbt parse` and `dbt compile` check a project without data.'
        ) }}
    {%- endif -%}
{%- endmacro %}
