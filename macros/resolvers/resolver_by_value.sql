{#- The resolvers that choose the winner by the values of one column, of two updates: NULL loses against a value; where both are
    NULL, or equal, the default resolver decides. -#}

{#- The larger value wins. -#}
{% macro resolver_maximum(given) -%}
{{ replication_conflicts.winner_by_value(given, '>') }}
{%- endmacro %}


{#- The smaller value wins. -#}
{% macro resolver_minimum(given) -%}
{{ replication_conflicts.winner_by_value(given, '<') }}
{%- endmacro %}


{#- The later value of a date or timestamp column wins. -#}
{% macro resolver_later_wins(given) -%}
{{ replication_conflicts.winner_by_value(given, '>') }}
{%- endmacro %}


{#- The earlier value of a date or timestamp column wins. -#}
{% macro resolver_earlier_wins(given) -%}
{{ replication_conflicts.winner_by_value(given, '<') }}
{%- endmacro %}


{#- The row with the larger value in a column made for that purpose wins. -#}
{% macro resolver_priority_column(given) -%}
{{ replication_conflicts.winner_by_value(given, '>') }}
{%- endmacro %}


{#- A resolution that compares the change's value with the held one. `comparison`: '>' or '<'. -#}
{% macro winner_by_value(given, comparison) -%}
{%- set winner -%}
case
            when {{ given.kind }} <> 'update_update' or {{ given.change_value }} <=> {{ given.held_value }} then null
            when {{ given.held_value }} is null then 'change'
            when {{ given.change_value }} is null then 'held'
            when {{ given.change_value }} {{ comparison }} {{ given.held_value }} then 'change'
            else 'held'
        end
{%- endset -%}
{{ replication_conflicts.resolution(winner=winner) }}
{%- endmacro %}
