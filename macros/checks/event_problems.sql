{#- What is wrong with the relation `subscription_events`; a list of texts. What an earlier run has
    taken is left alone: its subscription may have ended since.
    events: one {publication, subscriber, value: the event, unreadable: what is no number or time}
    for each that no run has taken (event_facts). -#}
{% macro event_problems(events, subscriptions) -%}
    {%- set publications = replication_conflicts.publications() -%}
    {%- set subscribed = [] -%}
    {%- for row in subscriptions -%}
        {%- do subscribed.append([row.publication, row.subscriber]) -%}
    {%- endfor -%}
    {%- set problems = [] -%}
    {%- for row in events -%}
        {%- set subject = (
            "subscription_events, publication '" ~ row.publication ~ "', subscriber '"
            ~ row.subscriber ~ "': "
        ) -%}
        {%- if row.value != 'reinitialized' -%}
            {%- do problems.append(
                subject ~ "the event is '" ~ row.value ~ "', must be one of: reinitialized."
            ) -%}
        {%- elif row.publication not in publications -%}
            {%- do problems.append(
                subject ~ 'there is no such publication, must be one of: '
                ~ publications | sort | join(', ') ~ '. Correct the event.'
            ) -%}
        {%- elif [row.publication, row.subscriber] not in subscribed -%}
            {%- do problems.append(
                subject
                ~ 'there is no such subscription. Correct the event, or add the subscription.'
            ) -%}
        {%- elif row.unreadable is not none -%}
            {%- do problems.append(
                subject ~ 'an event has the ' ~ row.unreadable ~ '. Correct the event.'
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}
