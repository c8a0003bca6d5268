{#- Which changes of subscribers break a unique or foreign key at the end of their transaction or
    session, as CTEs up to `violations`: publication, transaction_key, change_id, the failure, and
    failing_change_id, the change of the transaction that is the first. Unique keys come first, of
    two rows that clash the one whose change is later in the queue; then children without a parent;
    then what the delete of a parent would leave without one.

    makers: row_makers; ends: keys_at_the_end, both relations; replication: that of their
    publications -#}
{% macro key_violations(makers, ends, replication) -%}
-- one row per key that a row had before its transaction
given_up as (
    select
        publication,
        transaction_key,
        maker,
        inline(facts_before)
    from {{ makers }}
    where not is_publisher_change
),

-- one row per key that a change breaks
all_violations as (
    select
        publication,
        transaction_key,
        if(role = 'unique', 1, 2) as layer,
        claimed_by as maker,
        constraint_id
    from {{ ends }}
    where
        claimed_by is not null
        and ((role = 'unique' and claim_number > 1) or (role = 'child' and not has_parent))
    union all
    select
        given_up.publication,
        given_up.transaction_key,
        3 as layer,
        given_up.maker,
        given_up.constraint_id
    from given_up
    inner join {{ ends }} as counted_ends
        on
            given_up.publication = counted_ends.publication
            and given_up.transaction_key = counted_ends.transaction_key
            and given_up.constraint_id = counted_ends.constraint_id
            and given_up.value = counted_ends.value
            and given_up.role = 'parent'
            and counted_ends.has_child_before
            and not counted_ends.has_parent
),

-- one row per change that breaks a key: the first that counts
violations as (
    select
        publication,
        transaction_key,
        maker.change_id,
        first_value(maker.change_id) over (
            partition by publication, transaction_key
            order by first_violation.layer, maker
        ) as failing_change_id,
        {{ replication_conflicts.key_failure(
            'first_violation.constraint_id', 'publication', replication
        ) | indent(4) }} as failure
    from (
        select
            publication,
            transaction_key,
            maker,
            min(struct(layer, constraint_id)) as first_violation
        from all_violations
        group by publication, transaction_key, maker
    )
)
{%- endmacro %}
