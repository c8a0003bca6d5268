{#- Models that say for themselves whether a full refresh writes them anew; a list of texts. A run
    decides from the beginning or goes on, all of it: with `full_refresh: false` a table would get
    everything a second time, with `true` lose what earlier runs have decided. The tables that a
    full refresh leaves alone say so themselves, and the others count with that. -#}
{% macro full_refresh_problems() -%}
    {%- set kept = [
        'rejected_changes', 'subscription_event_log', 'intervention_log', 'recorded_settings'
    ] -%}
    {%- set problems = [] -%}
    {%- for node in graph.nodes.values()
        if node.config.materialized in ['ledger', 'scratch', 'rounds', 'kept_view']
        and node.config.full_refresh is not none
    -%}
        {%- if
            node.config.full_refresh != flags.FULL_REFRESH
            and (node.name not in kept or node.config.full_refresh)
        -%}
            {%- do problems.append(
                "model '" ~ node.name ~ "' has full_refresh: "
                ~ node.config.full_refresh | string | lower
                ~ ', and the models of a run are refreshed together or not at all. Take '
                ~ '+full_refresh out of dbt_project.yml for it.'
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}
