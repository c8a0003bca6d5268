{#- The version that a conflict was lost against, for its id. What has failed, or has fallen with
    one of its logical record that did, has lost against what the publisher holds, and yet not as
    against a version that wins: it may lose against that one, too, when its node uploads it again.

    record_winner_version  what the whole record has lost against, where it has
    publisher_version      what the publisher holds after the decision, of a tombstone too; NULL: it
                           never held the row -#}
{% macro winning_version(
    replication, outcome, failure, record_winner_version, publisher_version
) -%}
    case
        when
            {{ failure }} is not null
            or ({{ replication }} = 'merge' and {{ outcome }} = 'rejected')
            then concat('failed/', coalesce({{ publisher_version }}, ''))
        else coalesce({{ record_winner_version }}, {{ publisher_version }})
    end
{%- endmacro %}
