{#- What Spark says against a query, without running it; none where nothing is wrong. The query is
    given as a text: so even one that cannot be parsed is something that `explain` tells. -#}
{% macro analysis_error(query) -%}
    {%- set explained = run_query(
        'explain execute immediate ' ~ replication_conflicts.sql_text(query)
    ).columns[0].values() -%}
    {%- set plan = explained | join('\n') -%}
    {%- if plan.startswith('Error occurred') -%}
        {#- the plan behind the message is of no use to anybody -#}
        {{ return((plan.split('\n')[1:] | join(' ')).split(' SQLSTATE')[0] | trim) }}
    {%- endif -%}
    {{ return(none) }}
{%- endmacro %}
