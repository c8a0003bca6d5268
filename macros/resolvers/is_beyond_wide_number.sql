{#- Whether a number is too long for a wide one: only decimals of 37 or 38 digits can be. -#}
{% macro is_beyond_wide_number(value, data_type) -%}
    {%- if data_type.startswith(('decimal(37,', 'decimal(38,')) -%}
        {{ return(
            '(' ~ value ~ ' is not null and ' ~ replication_conflicts.wide_number(value, data_type)
            ~ ' is null)'
        ) }}
    {%- endif -%}
    {{ return('false') }}
{%- endmacro %}
