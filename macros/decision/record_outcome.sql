{#- Merge replication: what became of one change of a logical record that is decided as a whole.
    NULL for a row that is no change.

    record_verdict      'won' or 'lost', with the record; NULL: the change is decided by itself,
                        `outcome_alone`
    has_record_failure  whether a change that is decided together with it cannot be applied;
                        is_allowed: whether it would apply
    is_opponent         whether its own row is in conflict -#}
{% macro record_outcome(
    is_change, record_verdict, failure, has_record_failure, is_allowed, is_opponent,
    is_publisher_change, outcome_alone
) -%}
    case
        when not {{ is_change }} then null
        when {{ failure }} is not null then 'failed'
        when {{ has_record_failure }} and {{ is_allowed }} then 'rejected'
        when {{ record_verdict }} = 'lost' then 'lost'
        when {{ record_verdict }} = 'won' and {{ is_opponent }} and not {{ is_publisher_change }}
            then 'won'
        when {{ record_verdict }} = 'won' then 'applied'
        else {{ outcome_alone }}
    end
{%- endmacro %}
