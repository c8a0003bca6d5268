{#- The whole model conflict_<publication>_<article>: the rows that lost a conflict, with the
    article's own columns as they lost, the node that had made them (origin_datasource_id) and the
    conflict. A lost delete has no row here, nor has a conflict that people have decided.
    Rule: the documented conflict table; `conflict_logging: subscriber` keeps no conflict at the
    publisher. -#}
{% macro conflict_table(publication, article) -%}
{%- set options = replication_conflicts.article_options(publication, article) -%}
{{- config(
    materialized='ledger',
    file_format='delta',
    news={
        'model': 'change_outcomes',
        'by': 'run_sequence',
        'where': replication_conflicts.has_conflict_row() ~ " and publication = '" ~ publication
            ~ "' and article = '" ~ article ~ "'"
    },
    obsolete=replication_conflicts.decided_rows(),
    post_hook="{{ replication_conflicts.remove_old_conflicts(\"'" ~ publication ~ "'\") }}"
) -}}
with

outcomes as (
    select
        *,
        {{ replication_conflicts.lost_row() }} as lost_row
    from {{ ref('change_outcomes') }}
    where
        publication = '{{ publication }}'
        and article = '{{ article }}'
        and {{ replication_conflicts.has_conflict_row() }}
        and run_sequence > {{ replication_conflicts.last_run_taken() }}
        and transaction_position >= {{ replication_conflicts.first_kept_position(
            "'" ~ publication ~ "'"
        ) }}
),

final as (
    select
        {%- for column, data_type in options.columns.items() %}
        {{ replication_conflicts.typed_value("lost_row['" ~ column ~ "']", data_type) }}
            as {{ adapter.quote(column) }},
        {%- endfor %}
        loser_node as origin_datasource_id,
        conflict_id,
        transaction_position,
        run_sequence
    from {{ replication_conflicts.without_decided('outcomes') }}
)

select * from final
{%- endmacro %}
