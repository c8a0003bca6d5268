{{ config(
    materialized='ledger',
    news={'model': 'change_queue', 'by': 'run_id', 'where': "intake = 'taken'"},
    commit_once=true,
    post_hook='{{ note_log_news() }}',
    partition_by='run_sequence'
) }}
{%- set held = held_state() %}
{%- set log = none if flags.FULL_REFRESH else held_relation('change_outcomes') -%}
{%- set has_interventions = has_interventions() -%}
{#- where decisions need no values, those that are kept with a conflict are looked up afterwards -#}
{%- set without_values = [] -%}
{%- for item in article_list() if not needs_values(item.publication) -%}
    {%- do without_values.append(item) -%}
{%- endfor -%}
{%- set no_facts = {'of_this_run': 0, 'of_earlier_runs': 0} -%}
{%- set kept_facts = kept_facts() if without_values else no_facts -%}
{%- set looks_up_values = kept_facts.of_this_run + kept_facts.of_earlier_runs > 0 -%}
{%- set kept_values = 'coalesce(decided.kept_row.row, kept.kept_values)'
    if looks_up_values else 'decided.kept_row.row' -%}
{#- so many may go to every executor -#}
{%- set are_few = kept_facts.of_this_run + kept_facts.of_earlier_runs <= 1000000 %}

-- The decision log: one row per change that a run has decided, and per decision of a person or
-- refused command that has acted (models/interventions). Written first, in one commit a run,
-- and the only authority: everything to the right of it is derived from it.
-- What earlier steps record of the same run comes first:
-- {{ ref('change_queue') }}
-- {{ ref('rejected_changes') }}
-- {{ ref('waiting_changes') }}
-- {{ ref('publication_policies') }}
-- {{ ref('subscription_types') }}

with

-- one row per change as it came, and per decision of a person and refused command
arrived as (
    select
        publication,
        change_id,
        node,
        transaction_id,
        transaction_change_count,
        changed_at,
        {%- if has_interventions %}
        cast(null as {{ intervention_type() }}) as intervention,
        {%- endif %}
        change_row,
        content_hash
    from {{ ref('incoming_changes') }}
    where
        other_content is null
        and run_id = '{{ invocation_id }}'
    {%- if has_interventions %}
    union all
    select
        publication,
        change_id,
        node,
        null as transaction_id,
        null as transaction_change_count,
        null as changed_at,
        intervention,
        change_row,
        change_id as content_hash
    from {{ ref('change_queue') }}
    where
        intervention is not null
        and run_id = '{{ invocation_id }}'
    {%- endif %}
),

-- the time of the run comes from a row, not from the text: code that Spark has compiled for a run
-- serves the next one, too
articles as (
    select
        *,
        cast('{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S") }}' as timestamp) as decided_at
    from {{ ref('configured_articles') }}
),

-- one row per decision, with what its article keeps of conflicts
decisions as (
    select
        decisions.*,
        articles.conflict_logging,
        articles.decided_at
    from {{ ref('change_decisions') }} as decisions
    inner join articles
        on
            decisions.publication = articles.publication
            and decisions.article = articles.article
    where decisions.run_id = '{{ invocation_id }}'
),

decided as (
    select
        decisions.publication,
        decisions.article,
        decisions.row_key,
        decisions.change_id,
        arrived.node,
        arrived.transaction_id,
        arrived.transaction_change_count,
        decisions.transaction_position,
        decisions.queue_position,
        decisions.operation,
        arrived.changed_at,
        decisions.old_version,
        decisions.new_version,
        decisions.contending_priority as priority,
        {% if has_records() -%}
        if(decisions.is_run_row, decisions.change_row, arrived.change_row) as change_row,
        if(decisions.is_run_row, null, arrived.content_hash) as content_hash,
        decisions.is_kept_at_node,
        decisions.record_winner_version,
        {%- else -%}
        arrived.change_row,
        arrived.content_hash,
        cast(null as boolean) as is_kept_at_node,
        cast(null as string) as record_winner_version,
        {%- endif %}
        decisions.replication,
        decisions.policy,
        decisions.run_sequence,
        {%- if has_interventions %}
        arrived.intervention,
        {%- endif %}
        decisions.conflict_logging,
        decisions.decided_at,
        decisions.comparison,
        decisions.held_version,
        decisions.held_node,
        decisions.held_change_id,
        decisions.outcome,
        decisions.rule,
        decisions.is_rejected,
        decisions.is_written,
        decisions.failure,
        decisions.conflict_type,
        decisions.conflict_kind,
        decisions.loser_node,
        decisions.loser_change_id,
        decisions.winner_node,
        decisions.winner_change_id,
        case
            when decisions.state_after is not null then decisions.state_after.version
            when decisions.is_written and decisions.operation = 'delete' then null
            when decisions.is_written then decisions.new_version
            else decisions.version_before
        end as publisher_version,
        coalesce(
            decisions.state_after.lineage, decisions.lineage_before
        ) as publisher_lineage,
        -- the version that loses, if one does. A deleted row has one too; a feed without lineages
        -- counts versions for each row, and those that lose have the same number again
        case
            when not decisions.is_rejected
                then coalesce(decisions.held_version, decisions.held_writer_version)
            when decisions.replication = 'queued' then decisions.new_version
            when decisions.lineage is null then arrived.change_id
            else {{ version_text('decisions.node', 'decisions.lineage[decisions.node]') }}
        end as losing_version,
        coalesce(
            {{ writer_version('decisions.state_after') }}, decisions.writer_version_before
        ) as last_version,
        if(
            decisions.is_written, coalesce(decisions.state_after.node, arrived.node), null
        ) as version_node,
        if(
            decisions.is_written, coalesce(decisions.state_after.change_id, arrived.change_id), null
        ) as version_change_id,
        decisions.state_after.merge_version,
        if(
            decisions.outcome = 'merged'
            or decisions.is_resolved_row
            or decisions.operation = 'delete'
            {%- if has_interventions %}
            or arrived.intervention is not null
            {%- endif %},
            {% if has_interventions -%}
            case
                when decisions.state_after is not null then decisions.state_after.row
                else decisions.standing_values
            end,
            {%- else -%}
            decisions.state_after.row,
            {%- endif %}
            null
        ) as merged_row,
        decisions.kept_row
    from arrived
    inner join decisions
        on
            -- the id first: sorting by publication would compare whole keys
            {% if has_records() -%}
            -- rows that the run itself has written stand beside the change that made it do so
            arrived.change_id = coalesce(decisions.cause_change_id, decisions.change_id)
            {%- else -%}
            arrived.change_id = decisions.change_id
            {%- endif %}
            and arrived.publication = decisions.publication
),

{% if looks_up_values -%}
-- one row per decision that is kept with a row whose values it does not have
keeping as (
    select
        publication,
        article,
        row_key,
        change_id,
        kept_row
    from decisions
    where
        not kept_row.is_deleted
        and not {{ publication_needs_values() }}
),

kept as (
    {% if kept_facts.of_this_run -%}
    -- one row per change that beat, or lost against, a version made in this run
    select{{ ' /*+ broadcast(keeping) */' if are_few }}
        keeping.publication,
        keeping.change_id,
        winners.change_row as kept_values
    from keeping
    inner join arrived as winners
        on
            keeping.publication = winners.publication
            and keeping.kept_row.change_id = winners.change_id
    where keeping.kept_row.is_of_this_run
    {%- endif %}
    {% if kept_facts.of_this_run and kept_facts.of_earlier_runs %}
    union all
    {%- endif %}
    {% if kept_facts.of_earlier_runs -%}
    -- one row per change that beat, or lost against, a version of an earlier run
    select{{ ' /*+ broadcast(keeping) */' if are_few }}
        keeping.publication,
        keeping.change_id,
        held.held_row as kept_values
    from keeping
    inner join (
        {{ held_values(without_values, held) | indent(8) }}
    ) as held
        on
            keeping.publication = held.publication
            and keeping.article = held.article
            and keeping.row_key = held.row_key
    where not keeping.kept_row.is_of_this_run
    {%- endif %}
),

{% endif -%}
recorded as (
    select
        decided.publication,
        decided.article,
        decided.row_key,
        decided.change_id,
        decided.node,
        decided.transaction_id,
        decided.transaction_change_count,
        decided.transaction_position,
        decided.queue_position,
        decided.operation,
        decided.changed_at,
        decided.old_version,
        decided.new_version,
        decided.priority,
        decided.change_row,
        decided.comparison,
        decided.held_version,
        decided.held_node,
        decided.held_change_id,
        {% if has_interventions -%}
        case
            when decided.intervention.kind = 'refused_command' then decided.intervention.lost_row
            when not coalesce(decided.kept_row.is_deleted, false)
                then {{ kept_values }}
        end as held_row,
        {%- else -%}
        if(decided.kept_row.is_deleted, null, {{ kept_values }}) as held_row,
        {%- endif %}
        decided.publisher_version,
        decided.publisher_lineage,
        decided.version_node,
        decided.version_change_id,
        decided.merge_version,
        decided.merged_row,
        decided.outcome,
        decided.rule,
        case
            when decided.conflict_kind is not null
                then {{ conflict_id(
                    'decided.publication', 'decided.article', 'decided.row_key',
                    by_intervention(
                        has_interventions,
                        'decided.change_id',
                        'decided.losing_version'
                    ),
                    winning_version(
                        'decided.replication', 'decided.outcome', 'decided.failure',
                        'decided.record_winner_version',
                        'coalesce(decided.publisher_version, decided.last_version)'
                    ),
                    "if(decided.replication = 'queued', decided.change_id, null)"
                ) | indent(16) }}
        end as conflict_id,
        decided.conflict_type,
        decided.conflict_kind,
        coalesce(decided.failure.code, decided.conflict_type) as reason_code,
        decided.failure.name as failed_constraint,
        {% if has_interventions -%}
        -- a person has submitted what this node still has
        coalesce(
            decided.loser_node,
            if(decided.new_version is null, null, decided.intervention.loser.node)
        ) as loser_node,
        {%- else -%}
        decided.loser_node,
        {%- endif %}
        decided.loser_change_id,
        decided.winner_node,
        decided.winner_change_id,
        decided.is_written,
        decided.is_kept_at_node,
        decided.policy,
        decided.conflict_logging,
        decided.content_hash,
        decided.run_sequence,
        {%- if has_interventions %}
        decided.intervention,
        {%- endif %}
        '{{ invocation_id }}' as run_id,
        decided.decided_at
    from decided
    {%- if looks_up_values %}
    left join kept
        on
            decided.change_id = kept.change_id
            and decided.publication = kept.publication
    {%- endif %}
),

{% if is_merge() -%}
-- one row per conflict of merge replication that is recorded already: a node that uploads the same
-- version once more is in the same conflict
known_conflicts as (
    {% if log -%}
    select distinct conflict_id
    from {{ source('held', 'change_outcomes') }}
    where
        policy is null
        and conflict_id is not null
    {%- else -%}
    select cast(null as string) as conflict_id
    where false
    {%- endif %}
),

conflicts as (
    select
        recorded.*,
        known_conflicts.conflict_id is not null
        or row_number() over (
            partition by
                recorded.publication, coalesce(recorded.conflict_id, recorded.change_id)
            order by recorded.transaction_position, recorded.queue_position
        ) > 1 as is_known_conflict
    from recorded
    left join known_conflicts on recorded.conflict_id = known_conflicts.conflict_id
),
{%- else -%}
-- under queued updating every conflict is one of its own
conflicts as (
    select
        *,
        false as is_known_conflict
    from recorded
),
{%- endif %}

-- one row per change: whose partitions the row lies in before and after the decision
final as (
    select
        * except (conflict_id, is_known_conflict{{ ', intervention' if has_interventions }}),
        if(is_known_conflict, null, conflict_id) as conflict_id,
        {{ partition_members('held_row') | indent(4) }} as partitions_before,
        {{ partition_members(
            "if(publisher_version is null, null, if(is_written"
            ~ (' or intervention is not null' if has_interventions else '')
            ~ ", coalesce(merged_row, change_row), held_row))"
        ) | indent(4) }} as partitions_after
    from conflicts
)

select * from final
