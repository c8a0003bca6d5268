{#- Checks what is data and not code, before a run writes anything: subscriptions, their events, people's decisions, and that
    the policy of a publication has not changed while it has subscriptions. One query, one error that lists every problem. -#}
{% macro check_subscriptions() -%}
    {%- set recorded_policies = replication_conflicts.held_relation('publication_policies') -%}
    {%- set recorded_types = replication_conflicts.held_relation('subscription_types') -%}
    {%- set event_log = replication_conflicts.held_relation('subscription_event_log') -%}
    {%- set query -%}
        select
            'subscription' as subject, publication, subscriber, max(type) as value, count(*) as number,
            max(priority) as priority, max(republisher) as is_republisher, max(below) as below
        from {{ ref('subscriptions') }}
        group by publication, subscriber
        union all
        select 'event', publication, subscriber, event, count(*), null, null, null
        from {{ ref('subscription_events') }}
        group by publication, subscriber, event
        union all
        select 'decision', null, null, decision, count(*), null, null, null
        from {{ ref('conflict_decisions') }}
        group by decision
        {%- if event_log is not none %}
        union all
        select distinct 'logged event', publication, subscriber, event, 1, null, null, null
        from {{ event_log }}
        {%- endif %}
        {%- if recorded_policies is not none %}
        union all
        select 'policy', publication, null, max_by(policy, run_sequence), 1, null, null, null
        from {{ recorded_policies }}
        group by publication
        {%- endif %}
        {%- if recorded_types is not none %}
        union all
        select 'type', publication, subscriber, max_by(type, run_sequence), 1, null, null, null
        from {{ recorded_types }}
        group by publication, subscriber
        {%- endif %}
    {%- endset -%}
    {#- a linter compiles models before anything has been loaded -#}
    {%- if execute and load_relation(ref('subscriptions')) is not none -%}
        {%- do replication_conflicts.check_session() -%}
        {%- set found = {'subscription': [], 'event': [], 'decision': [], 'logged event': [], 'policy': [], 'type': []} -%}
        {%- for row in run_query(query).rows -%}
            {%- do found[row[0]].append({
                'publication': row[1], 'subscriber': row[2], 'value': row[3], 'number': row[4],
                'priority': row[5], 'is_republisher': row[6], 'below': row[7]
            }) -%}
        {%- endfor -%}
        {%- set subscriptions = found['subscription'] -%}
        {%- set problems =
            replication_conflicts.subscription_problems(subscriptions)
            + replication_conflicts.subscription_type_problems(subscriptions, found['type'])
            + replication_conflicts.event_problems(found['event'], found['logged event'], subscriptions)
            + (replication_conflicts.decision_problems(found['decision']) if found['decision'] else [])
            + replication_conflicts.policy_problems(found['policy'], subscriptions)
        -%}
        {%- if problems -%}
            {{ exceptions.raise_compiler_error(problems | join('\n  ')) }}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
