{#- Up to where the queue is settled by a round, one row per publication: whatever was assumed
    before the first transaction that was decided otherwise than assumed is right, and so is the
    decision about that transaction itself. No row for a publication that is settled. A query.

    round: the relation with what a round has decided; place: what says where a transaction stands
    among all, over its columns -#}
{% macro settled_positions(round, place='transaction_position') -%}
select
    publication,
    min({{ place }}) as settled_position
from {{ round }}
where is_unsettled
group by publication
{%- endmacro %}
