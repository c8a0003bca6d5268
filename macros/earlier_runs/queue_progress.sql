{#- How far earlier runs have taken the queue, as a query:
      last_position  the last place of a change that was taken
      last_place     the last place of anything: what people decided and subscribers refused
                     have places, too
      last_behind    the last place behind last_place that is in use, or last_place: decisions of
                     people lie behind a place, and changes of sessions that the queue had passed
      clock          the newest change that was taken; what people decided and subscribers refused
                     are no changes
      newest_change  the newest of all that kept the contract: one that was rejected with its
                     transaction sets the clock, too, for what comes after it in the queue
    log, rejected: the decision log and the rejected changes as the last run left them, or none. -#}
{% macro queue_progress(log, rejected) -%}
{%- set is_change = 'not ' ~ replication_conflicts.is_intervention()
    if replication_conflicts.held_relation('intervention_log') else 'true' -%}
{% if log -%}
select
    publication,
    max(last_position) as last_position,
    max(last_place) as last_place,
    max(struct(last_place, greatest(queue_position, last_place) as last_behind)).last_behind
        as last_behind,
    max(if(is_taken, changed_at, null)) as clock,
    max(changed_at) as newest_change
from (
    select
        publication,
        if({{ is_change }}, transaction_position, null) as last_position,
        transaction_position as last_place,
        queue_position,
        if({{ is_change }}, changed_at, null) as changed_at,
        true as is_taken
    from {{ log }}
    {%- if rejected %}
    union all
    select
        publication,
        cast(null as bigint) as last_position,
        cast(null as bigint) as last_place,
        cast(null as bigint) as queue_position,
        changed_at,
        false as is_taken
    from {{ rejected }}
    where reason = 'transaction'
    {%- endif %}
)
group by publication
{%- else -%}
{{ replication_conflicts.empty_relation({
    'publication': 'string', 'last_position': 'bigint', 'last_place': 'bigint',
    'last_behind': 'bigint', 'clock': 'timestamp', 'newest_change': 'timestamp'
}) }}
{%- endif %}
{%- endmacro %}
