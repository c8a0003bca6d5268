{#- What became of one change under queued updating: 'failed' (it breaks a constraint), 'rejected'
    (with its whole transaction), 'already_deleted', 'won' (it was in conflict and stands) or
    'applied'. Never NULL.
    `is_conflict`: whether the change of a subscriber is in conflict; a change made at the
    publisher never 'wins'. -#}
{% macro queued_outcome(verdict, failure, operation, is_row_held, is_conflict) -%}
    case
        when {{ failure }} is not null then 'failed'
        when {{ verdict }} = 'rejected' then 'rejected'
        when {{ operation }} = 'delete' and not {{ is_row_held }} then 'already_deleted'
        when {{ is_conflict }} then 'won'
        else 'applied'
    end
{%- endmacro %}
