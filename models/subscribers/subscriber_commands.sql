{{ config(materialized='kept_view') }}

-- One row per subscription and command that it gets; a subscriber applies its commands in the order
-- of queue_position and sequence. What lies between the command to reinitialize and the snapshot
-- that the subscriber then took is left out: the snapshot holds it. While the subscription waits,
-- nothing follows that command. A command to reinitialize is never left out: an event may name a
-- place before the snapshot's, and then a conflict between the two marks the subscription again.

with

commands as (select * from {{ ref('distribution_commands') }}),

subscriptions as (select * from {{ ref('subscriptions') }}),

events as (select * from {{ ref('subscription_event_log') }}),

addressed as (
    select
        commands.command_id,
        commands.publication,
        commands.origin,
        commands.kind,
        commands.transaction_id,
        commands.queue_position,
        commands.sequence,
        commands.article,
        commands.operation,
        commands.tombstone_type,
        commands.key,
        commands.row,
        commands.old_version,
        commands.new_version,
        commands.lineage,
        commands.cause,
        commands.parameters,
        commands.snapshot,
        commands.snapshot_position,
        commands.run_sequence,
        subscriptions.subscriber
    from commands
    inner join subscriptions
        on
            commands.publication = subscriptions.publication
            and coalesce(commands.subscriber, subscriptions.subscriber) = subscriptions.subscriber
),

-- one row per command to reinitialize: up to which place of the queue the subscriber's snapshot
-- makes up for its commands. Of two that act at one place the older one: it holds less
gaps as (
    select
        commands.publication,
        commands.subscriber,
        commands.queue_position as gap_from,
        min(
            struct(
                events.effective_position,
                coalesce(events.snapshot_position, events.effective_position) as gap_to
            )
        ).gap_to as gap_to
    from commands
    left join events
        on
            commands.publication = events.publication
            and commands.subscriber = events.subscriber
            and events.event = 'reinitialized'
            and commands.queue_position <= events.effective_position
    where commands.kind = 'reinitialize'
    group by commands.publication, commands.subscriber, commands.queue_position
),

final as (
    select
        addressed.command_id,
        addressed.publication,
        addressed.origin,
        addressed.kind,
        addressed.transaction_id,
        addressed.queue_position,
        addressed.sequence,
        addressed.article,
        addressed.operation,
        addressed.tombstone_type,
        addressed.key,
        addressed.row,
        addressed.old_version,
        addressed.new_version,
        addressed.lineage,
        addressed.cause,
        addressed.parameters,
        addressed.snapshot,
        addressed.snapshot_position,
        addressed.run_sequence,
        addressed.subscriber
    from addressed
    left anti join gaps
        on
            addressed.publication = gaps.publication
            and addressed.subscriber = gaps.subscriber
            and addressed.kind <> 'reinitialize'
            -- the records of the conflict that marks it belong to the gap
            and (
                addressed.queue_position > gaps.gap_from
                or (
                    addressed.queue_position = gaps.gap_from
                    and addressed.kind = 'log_conflict'
                )
            )
            and (gaps.gap_to is null or addressed.queue_position <= gaps.gap_to)
)

select * from final
