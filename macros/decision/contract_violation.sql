{#- Why a change breaks the feed contract, as the reason that rejected_changes names, or NULL where
    it keeps it. Of several reasons the first of this list counts. What has no place in the queue
    has no changes before it that could make it expired. Every argument is an SQL expression.

    operation             as the contract has it: an image of a logical record stands for an update
    is_known_node         whether the node is the publisher or has a subscription
    has_null_key          whether a key column is NULL
    has_unknown_column    merge: whether changed_columns names a column that the article
                          does not have
    has_version           whether the change says what it was made on (contract of its kind of
                          replication)
    has_invalid_priority  merge: whether it is stamped with a priority that no subscription may have
    is_duplicate          whether another change with the same id came first
    is_late               whether the queue had been taken beyond this place when the change arrived
    is_expired            whether it is older than what the publication keeps
    is_in_future          whether it was made more than a day after the run -#}
{% macro contract_violation(
    change_id, is_known_node, operation, has_null_key, has_unknown_column, has_version,
    has_invalid_priority, is_duplicate, is_late, is_expired, queue_position, is_in_future
) -%}
    case
        when {{ change_id }} is null then 'missing_change_id'
        when not {{ is_known_node }} then 'unknown_node'
        when
            {{ operation }} is null
            or {{ operation }} not in ('insert', 'update', 'delete') then 'unknown_operation'
        when {{ has_null_key }} then 'null_key'
        when {{ has_unknown_column }} then 'unknown_column'
        when not {{ has_version }} then 'missing_version'
        when {{ has_invalid_priority }} then 'invalid_priority'
        when {{ is_duplicate }} then 'duplicate_change_id'
        when {{ is_late }} then 'late_position'
        when {{ queue_position }} is null then 'missing_position'
        when {{ is_expired }} then 'expired'
        when {{ is_in_future }} then 'future_change'
    end
{%- endmacro %}
