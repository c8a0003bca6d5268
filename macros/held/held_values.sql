{#- The values of the rows that the publisher holds of several articles, tombstones included, as a query: publication, article, row_key,
    held_row (canonical text). No rows without articles.

    items: as article_list gives them; held: what held_state says -#}
{% macro held_values(items, held) -%}
{% for item in items -%}
select
    '{{ item.publication }}' as publication,
    '{{ item.article }}' as article,
    row_key,
    held_row
from (
    {{ replication_conflicts.held_rows(
        item, held[item.publication ~ '.' ~ item.article], with_values=true
    ) | indent(4) }}
)
{% if not loop.last %}union all
{% endif -%}
{%- else -%}
select
    cast(null as string) as publication,
    cast(null as string) as article,
    cast(null as string) as row_key,
    cast(null as map<string, string>) as held_row
where false
{%- endfor %}
{%- endmacro %}
