{#- The resolution of the resolvers that choose the winner by the values of one column, of two
    updates: NULL loses against a value; where both are NULL, or equal, the default resolver
    decides. The change's value is compared with the held one.

    comparison: '>' or '<' -#}
{% macro winner_by_value(given, comparison) -%}
{%- set winner -%}
case
            when
                {{ given.kind }} <> 'update_update'
                or {{ given.change_value }} <=> {{ given.held_value }}
                then null
            when {{ given.held_value }} is null then 'change'
            when {{ given.change_value }} is null then 'held'
            when {{ given.change_value }} {{ comparison }} {{ given.held_value }} then 'change'
            else 'held'
        end
{%- endset -%}
{{ replication_conflicts.resolution(given, winner=winner) }}
{%- endmacro %}
