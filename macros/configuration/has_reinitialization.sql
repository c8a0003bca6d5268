{#- Whether a conflict may mark a subscription for reinitialization: the policy
    publisher_wins_reinitialize of any publication. Where it may not, no decision asks what a
    subscription waits for. -#}
{% macro has_reinitialization() -%}
    {{ return(
        replication_conflicts.has_publication_with('policy', 'publisher_wins_reinitialize')
    ) }}
{%- endmacro %}
