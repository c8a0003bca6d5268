{#- Publications whose policy is another one than that of the last run, although they have
    subscriptions; a list of texts.
    policies: one {publication, value: the last run's policy} for each that there is.
    Rule: queued updating, a policy may change only while the publication has no subscriptions. -#}
{% macro policy_problems(policies, subscriptions) -%}
    {%- set publications = replication_conflicts.publications() -%}
    {%- set problems = [] -%}
    {%- for row in policies if row.publication in publications -%}
        {%- set now = publications[row.publication].get('policy', 'publisher_wins') -%}
        {%- set subscribers = (
            subscriptions | selectattr('publication', 'equalto', row.publication)
            | map(attribute='subscriber')
        ) -%}
        {%- set subscribers = subscribers | select('string') | list -%}
        {%- if now != row.value and subscribers -%}
            {%- do problems.append(
                "publication '" ~ row.publication ~ "': the policy may not change from '"
                ~ row.value ~ "' to '" ~ now ~ "' while there are subscriptions: "
                ~ subscribers | sort | join(', ')
                ~ '. Set the policy back in dbt_project.yml, or remove the subscriptions first.'
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}
