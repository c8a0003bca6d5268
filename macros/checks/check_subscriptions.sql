{#- Checks what is data and not code, before a run writes anything: every subscription belongs to a configured publication,
    and the policy of a publication has not changed while it has subscriptions.
    Rule: queued updating, a policy may change only while the publication has no subscriptions. -#}
{% macro check_subscriptions() -%}
    {%- set subscriptions = ref('subscriptions') -%}
    {%- set recorded = replication_conflicts.held_relation('publication_policies') -%}
    {%- if execute -%}
        {%- set rows = run_query('select publication, subscriber from ' ~ subscriptions).rows -%}
        {%- for row in rows if row[0] not in replication_conflicts.publications() -%}
            {{ exceptions.raise_compiler_error(
                "subscription '" ~ row[1] ~ "': there is no publication '" ~ row[0] ~ "', must be one of: "
                ~ replication_conflicts.publications().keys() | sort | join(', ')
                ~ ". Correct the subscription, or add the publication under vars: publications: in dbt_project.yml."
            ) }}
        {%- endfor -%}
        {%- for row in rows if row[1] == replication_conflicts.publications()[row[0]].publisher -%}
            {{ exceptions.raise_compiler_error(
                "publication '" ~ row[0] ~ "': subscription '" ~ row[1]
                ~ "' has the name of the publisher. Give the subscriber another name."
            ) }}
        {%- endfor -%}
        {%- if recorded is not none -%}
            {%- set policies = run_query(
                'select publication, max_by(policy, run_sequence) from ' ~ recorded ~ ' group by publication'
            ).rows -%}
            {%- for policy_row in policies if policy_row[0] in replication_conflicts.publications() -%}
                {%- set now = replication_conflicts.publications()[policy_row[0]].get('policy', 'publisher_wins') -%}
                {%- set subscribers = [] -%}
                {%- for row in rows if row[0] == policy_row[0] -%}
                    {%- do subscribers.append(row[1]) -%}
                {%- endfor -%}
                {%- if now != policy_row[1] and subscribers -%}
                    {{ exceptions.raise_compiler_error(
                        "publication '" ~ policy_row[0] ~ "': the policy may not change from '" ~ policy_row[1]
                        ~ "' to '" ~ now ~ "' while there are subscriptions: " ~ subscribers | sort | join(', ')
                        ~ ". Set the policy back in dbt_project.yml, or remove the subscriptions first."
                    ) }}
                {%- endif -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
