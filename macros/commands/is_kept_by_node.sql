{#- Whether a change that failed, or was rejected with one, stays at its node, which uploads it
    again: as its article asks, or as the articles of its logical record do. Never NULL. Over the
    columns of change_outcomes and configured_articles.
    Rule: `compensate_for_errors: false`; under queued updating a failed change condemns its
    transaction, and all is undone. -#}
{% macro is_kept_by_node() -%}
    coalesce(
        replication = 'merge'
        and outcome in ('failed', 'rejected')
        and coalesce(is_kept_at_node, not compensate_for_errors),
        false
    )
{%- endmacro %}
