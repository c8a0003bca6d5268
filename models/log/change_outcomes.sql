{{ config(
    materialized='ledger',
    news={'model': 'change_queue', 'by': 'run_id', 'where': "intake = 'taken'"},
    commit_once=true,
    pre_hook=['{{ check_run_is_whole() }}', '{{ forget_finished_runs() }}'],
    post_hook='{{ note_log_news() }}',
    partition_by='run_sequence'
) }}
{%- set held = held_state() %}
{%- set log = continued_log() -%}
{%- set interventions_act = has_interventions() -%}
{%- set facts = decision_facts() -%}
{%- set few = most_broadcast('changes') -%}
{#- where decisions need no values, those that are kept with a conflict are looked up afterwards -#}
{%- set without_values = [] -%}
{%- for item in article_list() if not needs_values(item.publication) -%}
    {%- do without_values.append(item) -%}
{%- endfor -%}
{%- set kept_now = facts.kept_of_this_run if without_values else 0 -%}
{%- set kept_before = facts.kept_of_earlier_runs if without_values else 0 -%}
{%- set looks_up_values = kept_now + kept_before > 0 -%}
{%- set keeping_hint = '/*+ broadcast(keeping) */' if kept_now + kept_before <= few -%}
{%- set merge_conflicts = facts.merge_conflicts -%}
{%- set conflicts_hint = '/*+ broadcast(new_conflicts) */' if merge_conflicts <= few %}

-- The decision log: one row per change that a run has decided, and per decision of a person or
-- refused command that has acted (models/interventions). Written first, in one commit a run,
-- and the only authority: everything to the right of it is derived from it.
-- What earlier steps record of the same run comes first:
-- {{ ref('change_queue') }}
-- {{ ref('rejected_changes') }}
-- {{ ref('waiting_changes') }}
-- {{ ref('recorded_settings') }}

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
        cast(null as {{ intervention_type() }}) as intervention,
        change_row,
        content_hash
    from {{ ref('incoming_changes') }}
    where
        other_content is null
        and run_id = '{{ invocation_id }}'
    {%- if interventions_act %}
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
        xxhash64(change_id) as content_hash
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
        {{ run_time() }} as decided_at
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

-- one row per decision, with what the change carried, the version that it left, and the one that
-- lost
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
        arrived.intervention,
        decisions.conflict_logging,
        decisions.decided_at,
        decisions.comparison,
        decisions.held_version,
        decisions.held_node,
        decisions.held_change_id,
        decisions.outcome,
        decisions.rule,
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
            or arrived.intervention is not null,
            decisions.state_after.row,
            null
        ) as merged_row,
        decisions.kept_row
    from arrived
    inner join decisions
        on
            -- the id first: sorting by publication would compare whole keys
            {% if has_records() -%}
            -- rows that the run itself has written stand beside the change that made it do so
            arrived.change_id = {{ causing_change('merge', 'decisions') }}
            {%- else -%}
            arrived.change_id = decisions.change_id
            {%- endif %}
            and arrived.publication = decisions.publication
),

-- one row per decision, with the conflict that it is
identified as (
    select
        *,
        case
            when conflict_kind is not null
                then {{ conflict_id(
                    publication='publication', article='article', row_key='row_key',
                    losing_version=by_intervention(
                        intervention='change_id', change='losing_version'
                    ),
                    winning_version=winning_version(
                        replication='replication', outcome='outcome', failure='failure',
                        record_winner_version='record_winner_version',
                        publisher_version='coalesce(publisher_version, last_version)'
                    ),
                    change_id="if(replication = 'queued', change_id, null)"
                ) | indent(16) }}
        end as conflict_id
    from decided
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

-- one row per such decision, with those values
kept as (
    {% if kept_now -%}
    -- one row per change that beat, or lost against, a version made in this run
    select {{ keeping_hint }}
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
    {% if kept_now and kept_before %}
    union all
    {%- endif %}
    {% if kept_before -%}
    -- one row per change that beat, or lost against, a version of an earlier run
    select {{ keeping_hint }}
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
-- one row per decision, with the row that the publisher held before it
restored as (
    select
        identified.*,
        if(
            identified.kept_row.is_deleted,
            null,
            {{ 'coalesce(identified.kept_row.row, kept.kept_values)'
                if looks_up_values else 'identified.kept_row.row' }}
        ) as row_before
    from identified
    {%- if looks_up_values %}
    left join kept
        on
            identified.change_id = kept.change_id
            and identified.publication = kept.publication
    {%- endif %}
),

-- one row per decision, in the columns of the log
recorded as (
    select
        publication,
        article,
        row_key,
        change_id,
        node,
        transaction_id,
        transaction_change_count,
        transaction_position,
        queue_position,
        operation,
        changed_at,
        old_version,
        new_version,
        priority,
        change_row,
        comparison,
        held_version,
        held_node,
        held_change_id,
        if(
            intervention.kind = 'refused_command',
            intervention.lost_row,
            row_before
        ) as held_row,
        row_before,
        publisher_version,
        publisher_lineage,
        version_node,
        version_change_id,
        merge_version,
        -- a node whose refused command is not undone gets what is there
        if(
            intervention.kind = 'refused_command' and not is_written,
            row_before,
            merged_row
        ) as merged_row,
        outcome,
        rule,
        conflict_id,
        conflict_type,
        conflict_kind,
        coalesce(failure.code, conflict_type) as reason_code,
        failure.name as failed_constraint,
        -- a person has submitted what this node still has
        coalesce(
            loser_node,
            if(new_version is null, null, intervention.loser.node)
        ) as loser_node,
        loser_change_id,
        winner_node,
        winner_change_id,
        is_written,
        is_kept_at_node,
        replication,
        policy,
        conflict_logging,
        content_hash,
        run_sequence,
        intervention,
        '{{ invocation_id }}' as run_id,
        decided_at
    from restored
),

{% if merge_conflicts -%}
-- one row per conflict of merge replication that is not recorded yet, and the first change that is
-- in it: a node that uploads the same version once more is in the same conflict
new_conflicts as (
    select
        recent.conflict_id,
        min(
            struct(recent.transaction_position, recent.queue_position, recent.change_id)
        ) as first_change
    from (
        select
            transaction_position,
            queue_position,
            change_id,
            -- never NULL: what Spark knows of a column that is not NULL it works out for everything
            -- that the column is made of, which can take longer than the run
            coalesce(conflict_id, '') as conflict_id
        from identified
        where
            replication = 'merge'
            and conflict_kind is not null
    ) as recent
    {% if log -%}
    left anti join {{ source('held', 'change_outcomes') }} as log
        on
            log.replication = 'merge'
            and recent.conflict_id = log.conflict_id
    {% endif -%}
    group by recent.conflict_id
),

-- one row per decision: of several changes in one conflict the first alone has its id
conflicts as (
    select {{ conflicts_hint }}
        recorded.* except (conflict_id),
        if(
            recorded.replication = 'merge', new_conflicts.conflict_id, recorded.conflict_id
        ) as conflict_id
    from recorded
    left join new_conflicts
        on
            recorded.conflict_id = new_conflicts.conflict_id
            and recorded.change_id = new_conflicts.first_change.change_id
),
{%- else -%}
-- under queued updating every conflict is one of its own
conflicts as (select * from recorded),
{%- endif %}

-- one row per change: the publisher's row after the decision
left_behind as (
    select
        *,
        {{ winning_row() | indent(4) }} as row_after
    from conflicts
),

-- one row per change: whose partitions the row lies in before and after the decision
final as (
    select
        * except (intervention, row_before, row_after),
        {{ partition_members('row_before') | indent(4) }} as partitions_before,
        {{ partition_members('row_after') | indent(4) }} as partitions_after
    from left_behind
)

select * from final
