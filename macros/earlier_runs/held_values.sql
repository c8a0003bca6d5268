{#- The values of the rows that the publisher holds of several articles, tombstones included, as a
    query: publication, article, row_key, held_row (canonical text). No rows without articles.

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
{{ replication_conflicts.empty_relation({
    'publication': 'string', 'article': 'string', 'row_key': 'string',
    'held_row': 'map<string, string>'
}) }}
{%- endfor %}
{%- endmacro %}
