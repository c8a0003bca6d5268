{#- Whether a computed value does not fit its column: a number that is too large, a text that
    is too long. -#}
{% macro is_overflow(value, data_type) -%}
    {%- set kind = data_type | lower | replace(' ', '') -%}
    {%- if kind == 'string' -%}
        {{ return('false') }}
    {%- elif replication_conflicts.text_limit(data_type) -%}
        {{ return('length(' ~ value ~ ') > ' ~ replication_conflicts.text_limit(data_type)) }}
    {%- elif replication_conflicts.number_scale(data_type) is none -%}
        {{ return(
            'coalesce(abs(cast(' ~ value ~ ' as ' ~ data_type ~ ")) = double('infinity'), false)"
        ) }}
    {%- endif -%}
    {{ return(
        '(' ~ value ~ ') is not null and try_cast(' ~ value ~ ' as ' ~ data_type ~ ') is null'
    ) }}
{%- endmacro %}
