{#- Whether a computed value does not fit its column. A text always does. -#}
{% macro is_overflow(value, data_type) -%}
    {%- set kind = data_type | lower | replace(' ', '') -%}
    {%- if kind.startswith(('string', 'varchar', 'char')) -%}
        {{ return('false') }}
    {%- elif replication_conflicts.number_scale(data_type) is none -%}
        {{ return('coalesce(abs(cast(' ~ value ~ ' as ' ~ data_type ~ ")) = double('infinity'), false)") }}
    {%- endif -%}
    {{ return('(' ~ value ~ ') is not null and try_cast(' ~ value ~ ' as ' ~ data_type ~ ') is null') }}
{%- endmacro %}
