{#- The changes of a round where no publication has logical records, with what record_decisions says
    of them elsewhere: each is decided by itself. A query. -#}
{% macro outside_records(changes) -%}
select
    * except (is_run_row),
    false as is_run_row,
    false as is_obsolete,
    false as is_detected_whole,
    false as is_opponent,
    kind_met as kind_alone,
    cast(null as struct<queue_position:bigint,change_id:string>) as image_place,
    cast(null as boolean) as is_compensated,
    cast(null as string) as group_key,
    cast(null as string) as leader_change_id,
    cast(null as string) as record_verdict,
    cast(null as int) as record_conflict_type
from {{ changes }}
{%- endmacro %}
