{#- Who has a key at the end of a transaction that touches it: one row per transaction, key and row,
    the rows of others included. A statement. Earlier transactions count as the round assumes them,
    the own one as it would be without its failed changes.

    decided: the relation with the changes as this round decides them; makers: row_makers of it;
    replication: that of its publications -#}
{% macro keys_at_the_end(decided, makers, replication) -%}
{%- set with_records = replication == 'merge' and replication_conflicts.has_records() -%}
with

-- one row per transaction and row that it makes, with its place among all
makers as (
    select
        *,
        {{ replication_conflicts.session_place() }} as place
    from {{ makers }}
),

-- one row per key that such a row has then
claims as (
    select
        publication,
        transaction_key,
        maker,
        article,
        row_key,
        inline(facts_after)
    from makers
    where not is_publisher_change
),

-- one row per transaction and key that it touches
touched_keys as (
    select distinct
        publication,
        transaction_key,
        place,
        constraint_id,
        value
    from (
        select
            publication,
            transaction_key,
            place,
            inline(array_union(facts_after, facts_before))
        from makers
        where not is_publisher_change
    )
),

-- one row per row and transaction that leaves it as another one
left_by_changes as (
    select
        publication,
        article,
        row_key,
        {{ replication_conflicts.session_place() }} as from_place,
        {{ replication_conflicts.key_facts(
            'if(proposed_row.is_deleted, null, proposed_row.row)', replication
        ) | indent(4) }} as facts
    from (
        select
            *,
            row_number() over (
                partition by publication, transaction_key, article, row_key
                order by queue_position desc, change_id desc
            ) as number_from_end
        from {{ decided }}
        where guess
    )
    where number_from_end = 1
),

-- one row per row that is changed, as the run found it
held_at_first as (
    select
        publication,
        article,
        row_key,
        {{ replication_conflicts.place_before_queue() }} as from_place,
        {{ replication_conflicts.key_facts(
            'if(held_before_run.is_deleted, null, held_before_run.row)', replication
        ) | indent(4) }} as facts
    from (
        select
            *,
            row_number() over (
                partition by publication, article, row_key
                order by transaction_position, queue_position, change_id
            ) as change_number
        from {{ decided }}
        {%- if with_records %}
        where not is_run_row
        {%- endif %}
    )
    where change_number = 1
),

{% if with_records -%}
-- one row per row of a touched record that no change is about, as the run found it
held_in_records as (
    select
        record_rows.publication,
        record_rows.article,
        record_rows.row_key,
        {{ replication_conflicts.place_before_queue() }} as from_place,
        {{ replication_conflicts.key_facts(
            'if(held_state.is_deleted, null, held_state.row)', replication
        ) | indent(4) }} as facts
    from {{ ref('record_rows') }} as record_rows
    left anti join {{ ref('change_queue') }} as changes
        on
            record_rows.publication = changes.publication
            and record_rows.article = changes.article
            and record_rows.row_key = changes.row_key
            and changes.intake = 'taken'
            and changes.run_id = '{{ invocation_id }}'
    where record_rows.run_id = '{{ invocation_id }}'
),

{% endif -%}
timeline as (
    select * from left_by_changes
    union all
    select * from held_at_first
    {%- if with_records %}
    union all
    select * from held_in_records
    {%- endif %}
),

-- one row per row and time for which it was as it was
spans as (
    select
        *,
        lead(from_place) over (
            partition by publication, article, row_key
            order by from_place
        ) as until_place
    from timeline
),

-- one row per key that a row has, and the time for which it has it
holders as (
    select
        publication,
        article,
        row_key,
        from_place,
        until_place,
        inline(facts)
    from spans
    union all
    select
        publication,
        article,
        row_key,
        {{ replication_conflicts.place_before_queue() }} as from_place,
        null as until_place,
        constraint_id,
        role,
        value
    from {{ ref('key_holders') }}
    where run_id = '{{ invocation_id }}'
),

-- one row per row that has a key which the transaction touches, at the end of the transaction
at_the_end as (
    select
        publication,
        transaction_key,
        constraint_id,
        value,
        role,
        article,
        row_key,
        maker as claimed_by
    from claims
    union all
    select
        touched_keys.publication,
        touched_keys.transaction_key,
        touched_keys.constraint_id,
        touched_keys.value,
        holders.role,
        holders.article,
        holders.row_key,
        null as claimed_by
    from touched_keys
    inner join holders
        on
            touched_keys.publication = holders.publication
            and touched_keys.constraint_id = holders.constraint_id
            and touched_keys.value = holders.value
            and touched_keys.place > holders.from_place
            and touched_keys.place <= coalesce(holders.until_place, touched_keys.place)
    left anti join makers
        on
            touched_keys.publication = makers.publication
            and touched_keys.transaction_key = makers.transaction_key
            and holders.article = makers.article
            and holders.row_key = makers.row_key
),

-- one row per such row: its turn among those with the key, and who else has it
counted_ends as (
    select
        *,
        row_number() over (
            partition by publication, transaction_key, constraint_id, value, role
            order by claimed_by asc nulls first, article asc, row_key asc
        ) as claim_number,
        max(role = 'parent') over of_key as has_parent,
        max(role = 'child' and claimed_by is null) over of_key as has_child_before
    from at_the_end
    window of_key as (partition by publication, transaction_key, constraint_id, value)
)

select * from counted_ends
{%- endmacro %}
