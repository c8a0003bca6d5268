{#- What this invocation has noted of a table made from the decision log (note_log_news), as a
    mapping; none where it has not: the log is not built by this invocation, nothing is known of the
    table, or the connections of a run do not share a session.
      finished_run: the last run of which the table has taken everything, as the end of a run has
                    noted it
      is_as_noted:  the log had nothing newer than that when this invocation began: nobody can have
                    added more to the table
      has_news:     the log has rows for the table that are newer than that

    name: of the table's model -#}
{% macro log_news(name) -%}
    {%- if
        not replication_conflicts.shares_session()
        or 'model.replication_conflicts.change_outcomes' not in selected_resources
    -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set rows = run_query(
        'select finished_run, is_as_noted, has_news from ' ~ replication_conflicts.log_news_view()
        ~ " where model = '" ~ name ~ "'"
    ).rows -%}
    {%- if not rows -%}
        {{ return(none) }}
    {%- endif -%}
    {{ return({
        'finished_run': rows[0]['finished_run'],
        'is_as_noted': rows[0]['is_as_noted'],
        'has_news': rows[0]['has_news']
    }) }}
{%- endmacro %}
