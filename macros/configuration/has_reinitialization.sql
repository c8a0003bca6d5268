{#- Whether a conflict may mark a subscription for reinitialization: the policy publisher_wins_reinitialize of any publication. Where
    it may not, no decision asks what a subscription waits for. -#}
{% macro has_reinitialization() -%}
    {%- for settings in replication_conflicts.publications().values() -%}
        {%- if settings is mapping and settings.get('policy') == 'publisher_wins_reinitialize' -%}
            {{ return(true) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
