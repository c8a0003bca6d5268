{#- Where this run finds the rows that the publisher holds: what held_state_now says, as
    held_articles has it of this run; where that model is not part of the run,
    held_state_now is asked. -#}
{% macro held_state() -%}
    {%- set articles = ref('held_articles') -%}
    {%- if not execute or load_cached_relation(articles) is none -%}
        {{ return(replication_conflicts.held_state_now()) }}
    {%- endif -%}
    {%- set rows = run_query(
        "select concat(publication, '.', article) as name, base, run_sequence, is_overlaid from "
        ~ articles ~ " where run_id = '" ~ invocation_id ~ "'"
    ).rows -%}
    {%- if not rows -%}
        {{ return(replication_conflicts.held_state_now()) }}
    {%- endif -%}
    {%- set state = {} -%}
    {%- for row in rows -%}
        {%- do state.update({row['name']: {
            'base': row['base'],
            'sequence': row['run_sequence'] | int,
            'overlay': row['is_overlaid']
        }}) -%}
    {%- endfor -%}
    {{ return(state) }}
{%- endmacro %}
