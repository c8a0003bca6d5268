{#- The version that a conflict was lost against, for its id. NULL where a change has failed, or has fallen with one of its logical record
    that did: it has lost against no version, and may lose against one when its node uploads it again.

    record_winner_version  what the whole record has lost against, where it has
    publisher_version      what the publisher holds after the decision -#}
{% macro winning_version(replication, outcome, failure, record_winner_version, publisher_version) -%}
case
        when {{ failure }} is not null then null
        when {{ replication }} = 'merge' and {{ outcome }} = 'rejected' then null
        else coalesce({{ record_winner_version }}, {{ publisher_version }})
    end
{%- endmacro %}
