{#- A value with the entries of its maps, wherever in it they are, in the order of their keys: Spark
    has no equality for maps, and writes their entries as they were put in. A key that a map has
    twice counts once, with its first value. What has no maps stays as it is. The variables have
    names that no column can have, because of their space. -#}
{% macro in_key_order(value, data_type, depth=0) -%}
    {%- set kind = data_type | trim -%}
    {%- if 'map<' not in kind -%}
        {{ return(value) }}
    {%- endif -%}
    {%- set variable = adapter.quote('part ' ~ depth) -%}
    {%- set parts = replication_conflicts._parts_of_type(kind) -%}
    {%- if kind.startswith('map<') -%}
        {%- set entry = replication_conflicts.in_key_order(
            value ~ '[' ~ variable ~ ']', parts[1], depth + 1
        ) -%}
        {{ return(
            'map_from_entries(transform(sort_array(array_distinct(map_keys(' ~ value ~ '))), '
            ~ variable ~ ' -> struct(' ~ variable ~ ', ' ~ entry ~ ')))'
        ) }}
    {%- elif kind.startswith('array<') -%}
        {{ return(
            'transform(' ~ value ~ ', ' ~ variable ~ ' -> '
            ~ replication_conflicts.in_key_order(variable, parts[0], depth + 1) ~ ')'
        ) }}
    {%- endif -%}
    {%- set fields = [] -%}
    {%- for part in parts -%}
        {%- set name, field_type = modules.re.fullmatch('\\s*(\\w+)\\s*:(.*)', part).groups() -%}
        {%- do fields.append(
            "'" ~ name ~ "', "
            ~ replication_conflicts.in_key_order(
                value ~ '.' ~ adapter.quote(name), field_type, depth
            )
        ) -%}
    {%- endfor -%}
    {{ return('if(' ~ value ~ ' is null, null, named_struct(' ~ fields | join(', ') ~ '))') }}
{%- endmacro %}


{#- What a type of several parts is made of: the types between its outer brackets, those of a struct
    with their names. -#}
{% macro _parts_of_type(data_type) -%}
    {%- set parts = [] -%}
    {%- set state = namespace(depth=0, part='') -%}
    {%- for sign in data_type[data_type.index('<') + 1:data_type.rindex('>')] -%}
        {%- set state.depth = state.depth + (1 if sign in '<(' else -1 if sign in '>)' else 0) -%}
        {%- if sign == ',' and state.depth == 0 -%}
            {%- do parts.append(state.part) -%}
            {%- set state.part = '' -%}
        {%- else -%}
            {%- set state.part = state.part ~ sign -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(parts + [state.part]) }}
{%- endmacro %}
