{#- What is wrong with the types and priorities of subscriptions to publications of merge
    replication; a list of texts.
    subscriptions: one {publication, subscriber, value: type, priority, is_republisher, below} each.
    recorded: one {publication, subscriber, value: type} as the last run had it.
    Rules: a priority lies below that of the publisher above, which may be a republisher; the type
    never changes; a republisher is a server subscription, and a leaf below one is a client. -#}
{% macro subscription_type_problems(subscriptions, recorded) -%}
    {%- set problems = [] -%}
    {%- for row in subscriptions if replication_conflicts.is_merge(row.publication) -%}
        {%- set subject = (
            "publication '" ~ row.publication ~ "', subscription '" ~ row.subscriber ~ "': "
        ) -%}
        {%- set below = none if row.below in [none, '', 'None'] else row.below -%}
        {%- set others = (
            subscriptions | selectattr('publication', 'equalto', row.publication) | list
        ) -%}
        {%- if row.value not in ['server', 'client'] -%}
            {%- do problems.append(
                subject ~ "its type is '" ~ row.value ~ "', must be one of: server, client."
            ) -%}
        {%- endif -%}
        {%- if
            row.value != 'client' and row.priority is not none and not (0 <= row.priority < 100)
        -%}
            {%- do problems.append(
                subject ~ 'its priority is ' ~ row.priority
                ~ ", must lie from 0.00 to 99.99, below the publisher's 100.00."
            ) -%}
        {%- endif -%}
        {%- if row.is_republisher and row.value != 'server' -%}
            {%- do problems.append(
                subject ~ "it is a republisher, so that its type must be 'server'."
            ) -%}
        {%- endif -%}
        {%- if below is not none -%}
            {%- set republishers = (
                others | selectattr('is_republisher') | map(attribute='subscriber') | list
            ) -%}
            {%- if below not in republishers -%}
                {%- do problems.append(
                    subject ~ "it lies below '" ~ below
                    ~ "', which is no republisher of the publication; republishers: "
                    ~ (republishers | sort | join(', ') or 'none') ~ '.'
                ) -%}
            {%- endif -%}
            {%- if row.is_republisher -%}
                {%- for above in others if above.subscriber == below and above.is_republisher -%}
                    {%- set own = (
                        replication_conflicts.default_priority()
                        if row.priority is none
                        else row.priority
                    ) -%}
                    {%- set bound = (
                        replication_conflicts.default_priority()
                        if above.priority is none
                        else above.priority
                    ) -%}
                    {%- if own >= bound -%}
                        {%- do problems.append(
                            subject ~ 'its priority is ' ~ own ~ ', must be less than ' ~ bound
                            ~ ', that of the republisher ' ~ below ~ ' above it.'
                        ) -%}
                    {%- endif -%}
                {%- endfor -%}
            {%- elif row.value != 'client' -%}
                {%- do problems.append(
                    subject ~ "it lies below a republisher, so that its type must be 'client'."
                ) -%}
            {%- endif -%}
        {%- endif -%}
        {%- for before in recorded
            if before.publication == row.publication and before.subscriber == row.subscriber
        -%}
            {%- if before.value != row.value -%}
                {%- do problems.append(
                    subject ~ "its type may not change from '" ~ before.value ~ "' to '" ~ row.value
                    ~ "'. Set it back, or make a subscription of another name."
                ) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}
