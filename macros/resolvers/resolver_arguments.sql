{#- What a resolver's macro is given, as a mapping. Its values are SQL expressions, but for
    the first four:
      resolver         the article's option as configured: name, column, and what else the resolver
                       understands
      data_type        the type of the resolver's column; none where it names no column
      columns          the article's columns, name to type
      tracking         'row' or 'column'
      kind             kind of the conflict
      change_row       the row as the change carries it, map<string,string>; held_row: as the
                       publisher holds it
      change_value     the value of the resolver's column in the change, typed; held_value:
                       at the publisher
      previous_value   the value before the change, typed; has_previous_value: whether the change
                       says it, in a text of the type
      is_changed       whether the change changed the column
      is_in_conflict   whether the column itself is in conflict -#}
{% macro resolver_arguments(item, resolver) -%}
    {%- set column = resolver.get('column') -%}
    {%- set data_type = item.options.columns.get(column) -%}
    {%- set arguments = {
        'resolver': resolver,
        'data_type': data_type,
        'columns': item.options.columns,
        'tracking': item.options.get('tracking', 'row'),
        'kind': 'kind_met',
        'change_row': 'change_row',
        'held_row': 'held_row.row'
    } -%}
    {%- if column -%}
        {%- set previous_text = "previous_values['" ~ column ~ "']" -%}
        {%- set previous_value = replication_conflicts.typed_value(previous_text, data_type) -%}
        {%- set has_previous_value -%}
            (
                coalesce(map_contains_key(previous_values, '{{ column }}'), false)
                and ({{ previous_text }} is null or {{ previous_value }} is not null)
                and not {{ replication_conflicts.loses_digits(
                    previous_text, previous_value, data_type
                ) | indent(16) }}
            )
        {%- endset -%}
        {%- do arguments.update({
            'change_value': replication_conflicts.typed_value(
                "change_row['" ~ column ~ "']", data_type
            ),
            'held_value': replication_conflicts.typed_value(
                "held_row.row['" ~ column ~ "']", data_type
            ),
            'previous_value': previous_value,
            'has_previous_value': has_previous_value,
            'is_changed': "array_contains(written_columns, '" ~ column ~ "')",
            'is_in_conflict': "array_contains(contested_columns, '" ~ column ~ "')"
        }) -%}
    {%- endif -%}
    {{ return(arguments) }}
{%- endmacro %}
