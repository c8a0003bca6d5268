{#- What was last recorded of settings that may not change while there are subscriptions, as a query
    of input_facts: a row per setting, which is the subject, and what it is about; what it was is
    the `value`. Of row filters those that are others now, and only those that a run has decided by:
    what a run recorded that failed before it decided anything holds nobody. `relation`:
    recorded_settings; `log`: the log of decisions, none before the first run. -#}
{% macro recorded_setting_facts(relation, log) -%}
{%- set decided = replication_conflicts.newest_run(log) if log is not none else 0 -%}
select
    {{ replication_conflicts.input_facts('setting', {
        'publication': 'publication',
        'article': 'article',
        'subscriber': 'subscriber',
        'value': replication_conflicts.last_recorded(),
        'number': 'count(*)'
    }) }}
from {{ replication_conflicts.in_one_part(relation) }}
where setting <> 'row_filter' or run_sequence <= {{ decided }}
group by setting, publication, article, subscriber
having
    setting <> 'row_filter'
    or not (
        {{ replication_conflicts.last_recorded() }}
        <=> {{ replication_conflicts.subscriber_filter() }}
    )
{%- endmacro %}
