{#- The models whose tables are made from the decision log, run by run, as dbt's graph has them. -#}
{% macro models_of_log() -%}
    {%- set models = [] -%}
    {%- for node in graph.nodes.values()
        if node.config.materialized == 'ledger'
        and node.config.get('news', {}).by == 'run_sequence'
    -%}
        {%- do models.append(node) -%}
    {%- endfor -%}
    {{ return(models) }}
{%- endmacro %}
