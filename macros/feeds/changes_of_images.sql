{#- The end of the staging macros that have images of rows: changes with images before and after, as
    the feed contract has them.

    from_cte: a CTE with change_id, queue_position, node, transaction_id, transaction_change_count,
    operation, changed_at, and for every column before_<n> and after_<n>, n counted from 1 in the
    article's order, of the article's types; has_before and has_after say whether there is such an
    image, with values that all have their types.
    version_column: none: versions are hashes of the images (content_version); otherwise they are
    before_version and after_version. -#}
{% macro changes_of_images(publication, article, from_cte, version_column=none) -%}
{%- set columns = replication_conflicts.article_options(publication, article).columns -%}
{%- set before = {} -%}
{%- set after = {} -%}
{%- for column in columns -%}
    {%- do before.update({column: 'before_' ~ loop.index}) -%}
    {%- do after.update({column: 'after_' ~ loop.index}) -%}
{%- endfor -%}
{%- set versions = {'before': 'before_version', 'after': 'after_version'} if version_column else {
    'before': replication_conflicts.content_version(before, columns),
    'after': replication_conflicts.content_version(after, columns)
} -%}
select
    change_id,
    cast(queue_position as bigint) as queue_position,
    node,
    cast(transaction_id as string) as transaction_id,
    cast(transaction_change_count as int) as transaction_change_count,
    operation,
    cast(changed_at as timestamp) as changed_at,
    if(has_before, {{ versions.before | indent(4) }}, null) as old_version,
    if(has_after, {{ versions.after | indent(4) }}, null) as new_version,
    {%- for column in columns %}
    if(operation = 'delete', {{ before[column] }}, {{ after[column] }})
        as {{ adapter.quote(column) }}
    {%- if not loop.last -%},{%- endif -%}
    {%- endfor %}
from {{ from_cte }}
{%- endmacro %}
