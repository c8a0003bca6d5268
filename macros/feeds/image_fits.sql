{#- Whether all values of a row image have the types that the article declares. A value that has not
    is NULL in image_value; with that, the row would be another one than the node has, so that such
    an image gets no version and the change is rejected. So would one with a decimal that is
    rounded; a floating point number has the digits that it has.

    fields: column name to SQL expression.  columns: column name to type.  units: what
    timestamp_units gives. -#}
{% macro image_fits(fields, columns, units) -%}
    {%- set lost = [] -%}
    {%- for column, data_type in columns.items()
        if data_type | lower | trim != 'string' and not (data_type | lower | trim).startswith((
            'varchar', 'char'
        )) -%}
        {%- do lost.append(
            '(' ~ fields[column] ~ ' is not null and '
            ~ replication_conflicts.image_value(fields[column], data_type, units[column])
            ~ ' is null)'
        ) -%}
        {%- if (data_type | lower | trim).startswith('decimal') -%}
            {%- do lost.append(
                '(typeof(' ~ fields[column] ~ ") not in ('float', 'double') and "
                ~ replication_conflicts.loses_digits(
                    'cast(' ~ fields[column] ~ ' as string)',
                    replication_conflicts.image_value(fields[column], data_type, units[column]),
                    data_type
                ) ~ ')'
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if lost -%}
        not (
            {{ lost | join('\n            or ') }}
        )
    {%- else -%}
        true
    {%- endif -%}
{%- endmacro %}
