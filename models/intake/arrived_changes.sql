{{ config(materialized='scratch', pre_hook='{{ replication_conflicts.alter_article_tables() }}') }}
{%- do check_inputs() -%}
{%- do check_initial_rows() -%}
{%- do check_feeds_are_whole() -%}
{%- set log = continued_log() -%}
{%- set has_few_hashes = feed_length() <= most_broadcast('hashes') -%}
{%- set lookup = '/*+ broadcast(repeated) */' if has_few_hashes else '' %}

-- Every row of the feeds, without mere copies of what an earlier run has decided or rejected. One
-- statement, so that it sees the feeds at one moment: a copy that is delivered meanwhile must not
-- be taken for new.

with

-- the feeds of all articles in the form of the contract
staged as (
    {% for item in article_list() -%}
    select
        {{ change_columns(item.publication) | join(',\n        ') }}
    from {{ ref('stg_' ~ item.publication ~ '__' ~ item.article) }}
    {% if not loop.last %}union all
    {% endif -%}
    {%- endfor %}
),

-- one row per change that an earlier run knows
known as (
    {{ known_changes(log) | indent(4) }}
),

-- one row per id, by its hash, that is met more than once
repeated as (
    {{ repeated_hashes('staged', 'known') | indent(4) }}
),

identified as (
    select
        *,
        {{ change_key() | indent(8) }} as change_key
    from staged
),

-- one row per row of a feed: whether its id is met elsewhere, too, or it has none
marked as (
    select {{ lookup }}
        identified.*,
        identified.change_id is null or repeated.change_hash is not null as is_repeated
    from identified
    left join repeated
        on
            {{ change_hash('identified.publication', 'identified.change_id') }}
            = repeated.change_hash
    where not coalesce(repeated.decided_content = identified.content_hash, false)
),

final as (
    select
        *,
        '{{ invocation_id }}' as run_id
    from marked
)

select * from final
