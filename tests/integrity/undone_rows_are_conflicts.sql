-- Whatever a subscriber inserted or updated and did not get through is a conflict with its losing
-- row: nothing is lost. Under merge replication a node that keeps a failed row uploads that version
-- of it again, and its conflict is recorded once.

with

outcomes as (
    select
        *,
        {{ is_tested(ref('change_outcomes')) }} as is_tested
    from {{ ref('change_outcomes') }}
    where not {{ is_intervention() }}
),

-- one row per version of a row that has lost
lost_versions as (
    select distinct
        publication,
        article,
        row_key,
        node,
        new_version
    from outcomes
    where
        conflict_id is not null
        and loser_change_id = change_id
        and replication = 'merge'
),

undone as (
    select *
    from outcomes
    where
        is_tested
        and outcome in ('rejected', 'failed')
        and operation in ('insert', 'update')
        and (conflict_id is null or not loser_change_id <=> change_id)
),

-- who wins has beaten somebody, and a conflict has both sides and a type
without_sides as (
    select *
    from outcomes
    where
        is_tested
        and (
            (outcome = 'won' and (conflict_id is null or not winner_change_id <=> change_id))
            or (
                conflict_id is not null
                and (
                    conflict_type is null
                    or conflict_kind is null
                    or loser_node is null
                    or winner_node is null
                )
            )
        )
),

final as (
    select
        undone.publication,
        undone.change_id,
        undone.outcome,
        undone.operation,
        undone.conflict_id
    from undone
    left anti join lost_versions
        on
            undone.publication = lost_versions.publication
            and undone.article = lost_versions.article
            and undone.row_key = lost_versions.row_key
            and undone.node = lost_versions.node
            and undone.new_version <=> lost_versions.new_version
    union all
    select
        publication,
        change_id,
        outcome,
        operation,
        conflict_id
    from without_sides
)

select * from final
