{#- Ids that are met more than once, in the feeds or in what earlier runs know, as a query of their hashes (change_hash). Mostly few
    are: all other changes are new, and nobody need compare them with anything. Two ids of one hash are taken for one here, which does
    no harm: their changes are compared, and found to be different.

    known: the query of known_changes -#}
{% macro repeated_changes(known) -%}
select change_hash
from (
    {% for item in replication_conflicts.article_list() -%}
    select {{ replication_conflicts.change_hash("'" ~ item.publication ~ "'", 'change_id') }} as change_hash
    from {{ ref('stg_' ~ item.publication ~ '__' ~ item.article) }}
    where change_id is not null
    union all
    {% endfor -%}
    select {{ replication_conflicts.change_hash('publication', 'change_key') }} as change_hash
    from (
        {{ known | indent(8) }}
    )
)
group by change_hash
having count(*) > 1
{%- endmacro %}
