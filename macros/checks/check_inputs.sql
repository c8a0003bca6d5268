{#- Checks what is data and not code, before a run writes anything: subscriptions, their events, people's decisions, that the
    policy of a publication has not changed while it has subscriptions, that no subscription has changed its type or its row filters,
    that no article has become another one, and what of the configuration can be seen in a warehouse alone: expressions and models of
    articles. One error that lists every problem. What may yet become right is a warning. -#}
{% macro check_inputs() -%}
    {%- set subscriptions_now = replication_conflicts.input_relation('subscriptions') -%}
    {%- set events_now = replication_conflicts.input_relation('subscription_events') -%}
    {%- set decisions_now = replication_conflicts.input_relation('conflict_decisions') -%}
    {%- set settings = replication_conflicts.held_relation('recorded_settings') -%}
    {%- set event_log = replication_conflicts.held_relation('subscription_event_log') -%}
    {%- set log = replication_conflicts.held_relation('change_outcomes') -%}
    {%- set other_shapes = replication_conflicts.shape_problems() -%}
    {#- a linter compiles models before anything has been loaded -#}
    {%- set is_loaded = execute and load_relation(subscriptions_now) is not none -%}
    {%- set missing_columns = replication_conflicts.input_column_problems({
        'subscriptions': subscriptions_now, 'subscription_events': events_now, 'conflict_decisions': decisions_now
    }) if is_loaded else [] -%}
    {%- if missing_columns -%}
        {{ exceptions.raise_compiler_error(missing_columns | join('\n  ')) }}
    {%- endif -%}
    {%- set query -%}
        select
            'subscription' as subject, publication, subscriber, max(type) as value, count(*) as number,
            max({{ replication_conflicts.input_value('priority', 'decimal(5,2)') }}) as priority,
            max({{ replication_conflicts.input_value('republisher', 'boolean') }}) as is_republisher, max(below) as below,
            null as conflict_id, null as article,
            coalesce(
                max({{ replication_conflicts.unreadable_value('priority', 'decimal(5,2)') }}),
                max({{ replication_conflicts.unreadable_value('republisher', 'boolean') }})
            ) as unreadable
        from {{ replication_conflicts.in_one_part(subscriptions_now) }}
        group by publication, subscriber
        union all
        select
            'event' as subject, publication, subscriber, event as value, count(*) as number,
            null as priority, null as is_republisher, null as below, null as conflict_id, null as article, null as unreadable
        from {{ replication_conflicts.in_one_part(events_now) }}
        group by publication, subscriber, event
        union all
        select
            'decision' as subject, null as publication, null as subscriber, decision as value, count(*) as number,
            null as priority, null as is_republisher, null as below, min(conflict_id) as conflict_id, null as article,
            max({{ replication_conflicts.unreadable_value('queue_position', 'bigint') }}) as unreadable
        from {{ replication_conflicts.in_one_part(decisions_now) }}
        group by decision
        {%- if event_log is not none %}
        union all
        select distinct
            'logged event' as subject, publication, subscriber, event as value, 1 as number,
            null as priority, null as is_republisher, null as below, null as conflict_id, null as article, null as unreadable
        from {{ replication_conflicts.in_one_part(event_log) }}
        {%- endif %}
        {%- if settings is not none %}
        union all
        select
            setting as subject, publication, subscriber, {{ replication_conflicts.last_recorded() }} as value, 1 as number,
            null as priority, null as is_republisher, null as below, null as conflict_id, article, null as unreadable
        from {{ replication_conflicts.in_one_part(settings) }}
        {#- a filter that was recorded by a run that failed before it decided anything holds nobody #}
        where setting <> 'row_filter' or run_sequence <= {{ replication_conflicts.newest_run(log) if log is not none else 0 }}
        group by setting, publication, article, subscriber
        having setting <> 'row_filter' or not ({{ replication_conflicts.last_recorded() }} <=> {{ replication_conflicts.subscriber_filter() }})
        {%- endif %}
    {%- endset -%}
    {%- if is_loaded -%}
        {%- do replication_conflicts.check_session() -%}
        {%- set found = {'subscription': [], 'event': [], 'decision': [], 'logged event': [], 'policy': [], 'type': [], 'row_filter': []} -%}
        {%- for row in run_query(query).rows -%}
            {%- do found[row['subject']].append({
                'publication': row['publication'], 'subscriber': row['subscriber'], 'value': row['value'],
                'number': row['number'], 'priority': row['priority'], 'is_republisher': row['is_republisher'],
                'below': row['below'], 'conflict_id': row['conflict_id'], 'article': row['article'],
                'unreadable': row['unreadable']
            }) -%}
        {%- endfor -%}
        {%- set subscriptions = found['subscription'] -%}
        {%- set problems =
            replication_conflicts.subscription_problems(subscriptions)
            + replication_conflicts.subscription_type_problems(subscriptions, found['type'])
            + replication_conflicts.event_problems(found['event'], found['logged event'], subscriptions)
            + (replication_conflicts.decision_problems(found['decision']) if found['decision'] else [])
            + replication_conflicts.policy_problems(found['policy'], subscriptions)
            + replication_conflicts.row_filter_problems(found['row_filter'], subscriptions)
            + other_shapes
            + replication_conflicts.model_problems()
            + replication_conflicts.full_refresh_problems()
            + replication_conflicts.expression_problems()
            + replication_conflicts.own_resolver_problems()
        -%}
        {%- if problems -%}
            {{ exceptions.raise_compiler_error(problems | join('\n  ')) }}
        {%- endif -%}
        {%- set warnings = replication_conflicts.row_filter_warnings(subscriptions) -%}
        {%- if warnings -%}
            {%- do exceptions.warn(warnings | join('\n  ')) -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
