{#- The names of the publications that anything came in for, as incoming_facts has them. A project
    with one publication has nothing to ask: whoever wants to know works in a run that has something
    to look at. -#}
{% macro publications_with_news() -%}
    {%- set names = replication_conflicts.publications() | list -%}
    {{ return(
        names if names | length == 1 else replication_conflicts.incoming_facts().publications
    ) }}
{%- endmacro %}
