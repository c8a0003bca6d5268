{#- What a resolver says about a conflict, as a struct:
      winner       'change' or 'held'; NULL: the default resolver decides who wins, by priority
      column_name  the column that a value was computed for (`column` of the macro), and
      value        the value that it gets, as canonical text
      is_computed  whether `value` counts
      is_waiting   nobody wins until a person decides
      is_overflow  the value does not fit its column: the change cannot be applied -#}
{% macro resolution(winner='null', column='null', value='null', is_computed='false', is_waiting='false', is_overflow='false') -%}
struct(
        cast({{ winner }} as string) as winner,
        cast({{ column }} as string) as column_name,
        cast({{ value }} as string) as value,
        coalesce({{ is_computed }}, false) as is_computed,
        coalesce({{ is_waiting }}, false) as is_waiting,
        coalesce({{ is_overflow }}, false) as is_overflow
    )
{%- endmacro %}
