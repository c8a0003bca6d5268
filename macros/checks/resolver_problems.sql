{#- What is wrong with the resolver of an article; a list of [option, text]. A resolver is a
    macro resolver_<name>; those of this package are known by the columns, types and tracking
    that they need.
    Rule: the documented resolvers; those that compute a value belong to column tracking. -#}
{% macro resolver_problems(options, columns) -%}
    {%- set resolver = options.get('resolver') -%}
    {%- if resolver is not mapping -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set rules = replication_conflicts.resolver_rules() -%}
    {%- set name = resolver.get('name') | string -%}
    {%- set found = [] -%}
    {%- set rule = rules.get(name, {}) -%}
    {%- if name not in rules and not replication_conflicts.named_resolver(name) -%}
        {%- do found.append([
            'resolver',
            "is '" ~ name ~ "', must be one of: " ~ rules | join(', ')
            ~ ', or the name of a macro resolver_<name>'
        ]) -%}
    {%- endif -%}
    {%- if name in rules -%}
        {%- set known = (
            ['name'] + (['column'] if rule.get('types') else []) + rule.get('options', [])
        ) -%}
        {%- for option in resolver if option not in known -%}
            {%- do found.append([
                'resolver',
                "'" ~ name ~ "' has no option '" ~ option ~ "', must be one of: "
                ~ known | join(', ')
            ]) -%}
        {%- endfor -%}
    {%- endif -%}
    {%- set column = resolver.get('column') -%}
    {#- of this package only those that have types take a column; one of the project's own may -#}
    {%- if rule.get('types') or (column is not none and name not in rules) -%}
        {%- if column is none -%}
            {%- do found.append([
                'resolver', "'" ~ name ~ "' needs a column: one of the article's"
            ]) -%}
        {%- elif column is not string or column not in columns -%}
            {%- do found.append([
                'resolver',
                "'" ~ name ~ "' names the column '" ~ column ~ "', must be one of: "
                ~ columns | join(', ')
            ]) -%}
        {%- elif
            replication_conflicts.is_list(options.get('primary_key'))
            and column in options.primary_key
        -%}
            {%- do found.append([
                'resolver',
                "'" ~ name ~ "' names the column '" ~ column
                ~ "', which is of the primary key: both sides of a conflict have the "
                ~ 'same value there'
            ]) -%}
        {%- elif
            rule.get('types')
            and not modules.re.match(
                '(' ~ rule.types | join('|') ~ ')\\b', columns[column] | string | lower | trim
            )
        -%}
            {%- do found.append([
                'resolver',
                "'" ~ name ~ "' names the column '" ~ column ~ "' of type " ~ columns[column]
                ~ ', must be one of: ' ~ rule.types | join(', ')
            ]) -%}
        {%- elif
            'scale' in rule
            and (replication_conflicts.number_scale(columns[column]) or 0) > rule.scale
        -%}
            {%- do found.append([
                'resolver',
                "'" ~ name ~ "' names the column '" ~ column ~ "' of type " ~ columns[column]
                ~ ', must have at most ' ~ rule.scale ~ ' digits behind the point'
            ]) -%}
        {%- endif -%}
    {%- endif -%}
    {%- if rule.get('tracking') and options.get('tracking', 'row') != rule.tracking -%}
        {%- do found.append(['resolver', "'" ~ name ~ "' needs tracking: " ~ rule.tracking]) -%}
    {%- endif -%}
    {{ return(found) }}
{%- endmacro %}
