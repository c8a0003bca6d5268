{#- What both texts begin with, the rest of the publisher's, a separator and the rest of the
    subscriber's, where the column itself is in conflict. Equal texts stay, NULL: the other
    text. -#}
{% macro resolver_merge_text(given) -%}
{%- set change = given.change_value -%}
{%- set held = given.held_value -%}
{%- set common = replication_conflicts.common_length(change, held) | indent(8) -%}
{%- set text -%}
coalesce(
            if(
                {{ change }} = {{ held }},
                {{ held }},
                concat(
                    {{ held }},
                    {{ replication_conflicts.sql_text(given.resolver.get('separator', '')) }},
                    substring({{ change }}, {{ common }} + 1)
                )
            ),
            {{ held }},
            {{ change }}
        )
{%- endset -%}
{{ replication_conflicts.computed_value(given, given.is_in_conflict, text) }}
{%- endmacro %}
