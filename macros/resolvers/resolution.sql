{#- What a resolver says about a conflict, as a struct:
      winner       'change' or 'held'; NULL: the default resolver decides who wins, by priority
      column_name  the resolver's column, and
      value        the value that it gets, as canonical text
      is_computed  whether `value` counts: of two updates only, of which each has a row
      is_waiting   nobody wins until a person decides: what is held stays, whatever `winner` says
      is_overflow  the value does not fit its column: the change cannot be applied

    No other column than the one that the article's option names gets a value: which unique and
    foreign keys a run may put together is read from the configuration (composed_keys).
    Errors: a compilation error where a value is computed, and the option names no column, or the
    article tracks rows. -#}
{% macro resolution(
    given, winner='null', value='null', is_computed='false', is_waiting='false', is_overflow='false'
) -%}
{%- set column = given.resolver.get('column') -%}
{%- if is_computed != 'false' and not (column and given.tracking == 'column') -%}
    {{ exceptions.raise_compiler_error(
        "The resolver '" ~ given.resolver.name
        ~ "' computes a value. An article that names it must have tracking: column, and name the "
        ~ "column that gets the value: resolver: {name: " ~ given.resolver.name
        ~ ", column: ...}."
    ) }}
{%- endif -%}
    struct(
        {% if is_waiting == 'false' -%}
        cast({{ winner }} as string) as winner,
        {%- else -%}
        if({{ is_waiting }}, 'held', {{ winner }}) as winner,
        {%- endif %}
        cast({{ replication_conflicts.sql_text(column) if column else 'null' }} as string)
            as column_name,
        cast({{ value }} as string) as value,
        coalesce({{ given.kind }} = 'update_update' and ({{ is_computed }}), false) as is_computed,
        coalesce({{ is_waiting }}, false) as is_waiting,
        coalesce({{ given.kind }} = 'update_update' and ({{ is_overflow }}), false) as is_overflow
    )
{%- endmacro %}
