{#- What is wrong with the relation `subscriptions`; a list of texts.
    subscriptions: one {publication, subscriber, number of rows, unreadable: what is no number or
    boolean} for each that there is. -#}
{% macro subscription_problems(subscriptions) -%}
    {%- set publications = replication_conflicts.publications() -%}
    {%- set problems = [] -%}
    {%- for row in subscriptions -%}
        {%- set subject = (
            "publication '" ~ row.publication ~ "', subscription '" ~ row.subscriber ~ "': "
        ) -%}
        {#- a seed loads an empty field as the text None -#}
        {%- if row.subscriber in [none, '', 'None'] -%}
            {%- do problems.append(
                subject ~ 'a subscription without subscriber. Give its row a name, or remove it.'
            ) -%}
        {%- elif row.publication not in publications -%}
            {%- do problems.append(
                subject ~ 'there is no such publication, must be one of: '
                ~ publications | sort | join(', ')
                ~ '. Correct the subscription, or add the publication under vars: publications: in '
                ~ 'dbt_project.yml.'
            ) -%}
        {%- elif row.subscriber == publications[row.publication].publisher -%}
            {%- do problems.append(
                subject ~ 'it has the name of the publisher. Give the subscriber another name.'
            ) -%}
        {%- elif row.subscriber == publications[row.publication].publisher ~ '*' -%}
            {#- its versions would be taken for the run's own -#}
            {%- do problems.append(
                subject
                ~ 'it has the name under which the versions count that a run makes itself. Give '
                ~ 'the subscriber another name.'
            ) -%}
        {%- else -%}
            {%- if row.unreadable -%}
                {%- do problems.append(
                    subject ~ 'it has the ' ~ row.unreadable ~ '. Correct it, or leave it empty.'
                ) -%}
            {%- endif -%}
            {%- if row.number > 1 -%}
                {%- do problems.append(
                    subject ~ 'it has ' ~ row.number ~ ' rows in subscriptions. Remove all but one.'
                ) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}
