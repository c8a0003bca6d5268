{#- Checks what is data and not code, before a run writes anything: subscriptions, their events,
    people's decisions, that the policy of a publication has not changed while it has subscriptions,
    that no subscription has changed its type or its row filters, that no article has become another
    one, and what of the configuration can be seen in a warehouse alone: expressions and models of
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
        'subscriptions': subscriptions_now,
        'subscription_events': events_now,
        'conflict_decisions': decisions_now
    }) if is_loaded else [] -%}
    {%- if missing_columns -%}
        {{ exceptions.raise_compiler_error(missing_columns | join('\n  ')) }}
    {%- endif -%}
    {%- set queries = [
        replication_conflicts.subscription_facts(subscriptions_now),
        replication_conflicts.event_facts(events_now, event_log),
        replication_conflicts.people_decision_facts(decisions_now)
    ] -%}
    {%- if settings is not none -%}
        {%- do queries.append(replication_conflicts.recorded_setting_facts(settings, log)) -%}
    {%- endif -%}
    {%- if is_loaded -%}
        {%- do replication_conflicts.check_session() -%}
        {%- set found = {
            'subscription': [],
            'event': [],
            'decision': [],
            'policy': [],
            'type': [],
            'row_filter': []
        } -%}
        {%- for row in run_query(queries | join('\nunion all\n')).rows -%}
            {%- do found[row['subject']].append(row.dict()) -%}
        {%- endfor -%}
        {%- set subscriptions = found['subscription'] -%}
        {%- set problems =
            replication_conflicts.subscription_problems(subscriptions)
            + replication_conflicts.subscription_type_problems(subscriptions, found['type'])
            + replication_conflicts.event_problems(found['event'], subscriptions)
            + (
                replication_conflicts.decision_problems(found['decision'])
                if found['decision']
                else []
            )
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
