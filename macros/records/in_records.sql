{#- Rows of logical records, with where their article stands in its record: the columns of
    `versions`, and parent_key (record_parent_key), record, depth, parent, is_detected_whole and
    is_resolved_whole. Rows of other articles are left out. A query, to which a condition may be
    added; it reads the CTE record_articles (record_article_rows).

    versions: a relation with publication, article and versions of rows; row: its column with a
    version's values, map<string,string> -#}
{% macro in_records(versions, row) -%}
select
    keyed.*,
    record_articles.record,
    record_articles.depth,
    record_articles.parent,
    record_articles.is_detected_whole,
    record_articles.is_resolved_whole
from (
    select
        *,
        {{ replication_conflicts.record_parent_key(row) | indent(8) }} as parent_key
    from {{ versions }}
) as keyed
inner join record_articles
    on
        keyed.publication = record_articles.publication
        and keyed.article = record_articles.article
{%- endmacro %}
