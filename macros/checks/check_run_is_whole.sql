{#- A pre-hook of what a run records of its queue (change_outcomes, waiting_changes): an error,
    before anything is written, where a table that the run makes on the way there is no part of
    this invocation, as with `dbt run --select change_outcomes+` or `dbt retry`. What a run looks
    at carries the run's id: the rest would be decided without it, or, in a full refresh, nothing
    would replace everything. -#}
{% macro check_run_is_whole() -%}
    {%- if execute -%}
        {%- set reached = [model.unique_id] -%}
        {%- set missing = [] -%}
        {#- the list grows while it is gone through -#}
        {%- for unique_id in reached -%}
            {%- for parent in graph.nodes[unique_id].depends_on.nodes
                if parent in graph.nodes and parent not in reached
            -%}
                {%- do reached.append(parent) -%}
                {%- set is_made = (
                    graph.nodes[parent].config.materialized in ['scratch', 'rounds', 'ledger']
                ) -%}
                {%- if is_made and parent not in selected_resources -%}
                    {%- do missing.append(graph.nodes[parent].name) -%}
                {%- endif -%}
            {%- endfor -%}
        {%- endfor -%}
        {%- if missing -%}
            {{ exceptions.raise_compiler_error(
                'nothing was decided, and ' ~ model.name ~ ' is as it was: '
                ~ missing | sort | join(', ') ~ (' was' if missing | length == 1 else ' were')
                ~ ' no part of this invocation. The models of a run belong together:'
                ~ ' run `dbt build' ~ (' --full-refresh' if flags.FULL_REFRESH) ~ '`.'
            ) }}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
