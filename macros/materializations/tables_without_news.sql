{#- The tables made from the decision log that had taken everything when this invocation began, and
    for which it has found nothing newer: a list of their models' names. They have taken this run,
    too, whether the invocation builds them or not. Only after the log has been built; empty where
    the connections of a run do not share a session. -#}
{% macro tables_without_news() -%}
    {%- if not replication_conflicts.shares_session() -%}
        {{ return([]) }}
    {%- endif -%}
    {{ return(
        run_query(
            'select model from ' ~ replication_conflicts.log_news_view()
            ~ ' where is_as_noted and not has_news'
        ).columns[0].values() | list
    ) }}
{%- endmacro %}
