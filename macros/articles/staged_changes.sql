{#- The whole staging model of one article: its change feed in the form of the contract, with the
    row's key and its values as canonical text. Nothing is dropped here: what breaks the contract is
    recognized in change_intake.

    publication, article: names under vars: publications:.  Feed: source('feeds',
    '<publication>__<article>').
    Errors: a feed without a column of the contract or of the article, or of another type,
    stops the build. -#}
{% macro staged_changes(publication, article) -%}
{%- set options = replication_conflicts.article_options(publication, article) -%}
{%- set feed = source('feeds', publication ~ '__' ~ article) -%}
{{- config(materialized='kept_view') -}}
{%- if execute -%}
    {%- do replication_conflicts.check_feed_columns(publication, article, feed) -%}
{%- endif -%}
with

feed as (select * from {{ feed }}),

typed as (
    select
        '{{ publication }}' as publication,
        '{{ article }}' as article,
        change_id,
        cast(queue_position as bigint) as queue_position,
        node,
        transaction_id,
        cast(transaction_change_count as int) as transaction_change_count,
        operation,
        cast(changed_at as timestamp) as changed_at,
        {%- for column in replication_conflicts.contract_version_columns(publication) %}
        {{ column }},
        {%- endfor %}
        {%- for column in options.columns %}
        {{ adapter.quote(column) }},
        {%- endfor %}
        {{ replication_conflicts.row_key(options.primary_key, options.columns) }} as row_key,
        {{ replication_conflicts.canonical_row(options.columns) | indent(4) }} as change_row
        {%- if replication_conflicts.is_merge(publication) %},
        {{ replication_conflicts.written_columns(options) | indent(4) }} as written_columns,
        array('{{ replication_conflicts.tracked_columns(options) | join("', '") }}')
            as tracked_columns,
        exists(
            changed_columns,
            changed_column -> not coalesce(
                changed_column in ('{{ options.columns | join("', '") }}'), false
            )
        ) as has_unknown_column,
        {{ options.get('ignore_equal_values', false) | lower }} as ignores_equal_values
        {%- endif %}
    from feed
),

final as (
    select
        *,
        -- two copies of a change are the same change when this is equal
        {{ replication_conflicts.content_hash(publication, options.columns) | indent(8) }}
            as content_hash
    from typed
)

select * from final
{%- endmacro %}
