{#- Ids in the feeds that are met more than once, there or in what earlier runs know, as a query:
      change_hash      hash of the id (change_hash). Two ids of one hash are taken for one here,
                       which does no harm: their changes are compared, and found to be different
      decided_content  hash of what was in the change that an earlier run decided or rejected;
                       NULL: none did
    Mostly few are: all other changes are new, and nobody need compare them with anything.

    staged, known: names of relations, the feeds of all articles and what known_changes gives -#}
{% macro repeated_hashes(staged, known) -%}
select
    change_hash,
    max(decided_content) as decided_content
from (
    select
        {{ replication_conflicts.change_hash() }} as change_hash,
        true as is_in_feed,
        cast(null as bigint) as decided_content
    from {{ staged }}
    where change_id is not null
    union all
    select
        {{ replication_conflicts.change_hash(change_id='change_key') }} as change_hash,
        false as is_in_feed,
        if(earlier_status = 'decided', content_hash, null) as decided_content
    from {{ known }}
)
group by change_hash
having
    count(*) > 1
    and max(is_in_feed)
{%- endmacro %}
